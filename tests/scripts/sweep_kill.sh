#!/bin/bash
# kill -9 at random moments of a study, resumed each time, ends with the same file as an unbroken one.
#
#   APPA_LAB=build/release/app/appa-lab tests/scripts/sweep_kill.sh [moments]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
source "$here/study.sh"
moments=${1:-10}

from=$(date +%s%N)
"$appa" sweep "${study_options[@]}" --out "$work/whole" --no-figure --quiet > /dev/null
took=$((($(date +%s%N) - from) / 1000000))

RANDOM=${SEED:-1}
killed=0
resumed=0
while ((killed < moments)); do
    "$appa" sweep "${study_options[@]}" --out "$work/broken" --no-figure --quiet --resume > /dev/null 2>&1 &
    pid=$!
    # Somewhere within the third of what an unbroken study takes.
    sleep "$(awk -v r=$RANDOM -v t="$took" 'BEGIN { printf "%.3f", r / 32768 * t / 3000 }')"
    kill -9 $pid 2> /dev/null || true
    status=0
    wait $pid 2> /dev/null || status=$?
    if ((status == 137)); then
        killed=$((killed + 1))
        rows=$(grep -c 'finished\|diverged' "$work/broken/results.csv" 2> /dev/null || true)
        echo "kill $killed: ${rows:-0} runs on disk, $(stat -c %s "$work/broken/results.csv" 2> /dev/null || echo 0) bytes"
    else
        # It was faster: look at it, and begin another.
        same_study "$work/whole" "$work/broken"
        resumed=$((resumed + 1))
        rm -rf "$work/broken"
    fi
done
"$appa" sweep "${study_options[@]}" --out "$work/broken" --no-figure --quiet --resume > /dev/null
same_study "$work/whole" "$work/broken"
echo "kill -9: $killed kills in $((resumed + 1)) studies, each ended with the file of an unbroken one"
