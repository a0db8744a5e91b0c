#!/bin/bash
# A study as a Slurm job array on this one machine gives the same file as one process.
# Needs: slurm-wlm (slurmctld, slurmd, sbatch), to be run as root. Starts its own controller and node in a temporary folder.
#
#   APPA_LAB=build/release/app/appa-lab tests/scripts/sweep_slurm.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/study.sh"
appa=$(realpath "$appa")

slurm=$work/slurm
mkdir -p "$slurm/state" "$slurm/spool"
cat > "$slurm/slurm.conf" <<CONF
ClusterName=one
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/none
CredType=cred/none
SlurmUser=root
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=$(hostname -s) NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$slurm/slurm.conf
slurmctld -D -f "$SLURM_CONF" > /dev/null 2>&1 & controller=$!
slurmd -D -f "$SLURM_CONF" > /dev/null 2>&1 & node=$!
trap 'kill $node $controller 2> /dev/null; wait; rm -rf "$work"' EXIT

for attempt in $(seq 60); do
    [ "$(sinfo -h -o %T 2> /dev/null)" = idle ] && break
    [ "$attempt" = 60 ] && { echo "the node did not come up" >&2; tail "$slurm"/*.log >&2; exit 1; }
    sleep 0.5
done

"$appa" sweep "${study_options[@]}" --out "$work/whole" --no-figure --quiet > /dev/null

export STUDY=$work/study APPA_LAB=$appa
mkdir -p "$STUDY"
sbatch --wait --array=1-5 --output="$work/task-%a.log" "$here/sweep-array.sbatch" "${study_options[@]}" --quiet \
    || { cat "$work"/task-*.log >&2; exit 1; }
"$appa" sweep --merge "$STUDY"/part-* --out "$STUDY/all" --no-figure --quiet > /dev/null
same_study "$work/whole" "$STUDY/all"
echo "slurm: $(grep -c 'finished\|diverged' "$STUDY/all/results.csv") runs in 5 tasks, the same file as one process"
