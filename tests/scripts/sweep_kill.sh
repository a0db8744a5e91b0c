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
for ((k = 1; k <= moments; ++k)); do
    "$appa" sweep "${study_options[@]}" --out "$work/broken" --no-figure --quiet --resume > /dev/null 2>&1 &
    pid=$!
    # At random, together about as long as the whole takes.
    sleep "$(awk -v r=$RANDOM -v t="$took" -v m="$moments" 'BEGIN { printf "%.3f", r / 32768 * 2 * t / 1000 / m }')"
    if kill -9 $pid 2> /dev/null; then
        killed=$((killed + 1))
    fi
    wait $pid 2> /dev/null || true
    rows=$(grep -c 'finished\|diverged' "$work/broken/results.csv" 2> /dev/null || true)
    echo "killed at moment $k: ${rows:-0} runs on disk, $(stat -c %s "$work/broken/results.csv" 2> /dev/null || echo 0) bytes"
done
"$appa" sweep "${study_options[@]}" --out "$work/broken" --no-figure --quiet --resume > /dev/null
same_study "$work/whole" "$work/broken"
echo "kill -9: $killed of $moments struck, the same file as an unbroken study"
