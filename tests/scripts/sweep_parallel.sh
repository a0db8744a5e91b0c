#!/bin/bash
# A study spread by GNU parallel gives the same file as one process.
# Needs: parallel. With HOSTS set (to what parallel's --sshlogin takes, e.g. "1/localhost,1/node2") it goes over ssh to
# machines that share this folder; without, it uses this machine.
#
#   APPA_LAB=build/release/app/appa-lab tests/scripts/sweep_parallel.sh
#
# In short, for a study of one's own:
#   parallel --sshlogin node1,node2 appa-lab sweep PROBLEM PLAN --task {}/8 --jobs 1 --out study/part-{} --resume ::: $(seq 8)
#   appa-lab sweep --merge study/part-* --out study/all
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/study.sh"
appa=$(realpath "$appa")

"$appa" sweep "${study_options[@]}" --out "$work/whole" --no-figure --quiet > /dev/null

where=(--jobs "$(nproc)")
[ -n "${HOSTS:-}" ] && where=(--sshlogin "$HOSTS")
PARALLEL_HOME=$work parallel --quote "${where[@]}" "$appa" sweep "${study_options[@]}" --task "{}/5" --jobs 1 \
    --out "$work/study/part-{}" --no-figure --quiet --resume ::: 1 2 3 4 5 > /dev/null
"$appa" sweep --merge "$work"/study/part-* --out "$work/study/all" --no-figure --quiet > /dev/null
same_study "$work/whole" "$work/study/all"
echo "parallel: $(grep -c 'finished\|diverged' "$work/study/all/results.csv") runs in 5 tasks, the same file as one process"
