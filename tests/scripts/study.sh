# Shared by the scripts that check studies; to be sourced.
#
#   study_options   a small study: the plan and the problem
#   same_study A B  fails unless two folders hold the same results, seconds apart

appa=${APPA_LAB:-appa-lab}
study_options=(--data "gaussians-2d:n=20000,test=2000" --loss squared --methods "dual-appa:sdca,sdca,svrg,sgd"
               --lambdas 1e-6:1e6:13 --seeds 1..2 --stages 20)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

without_seconds() {
    # The column is found by its name; notes (the last column) may be quoted, the ones before it never hold a comma.
    awk -F, -v OFS=, 'NR == 1 { for (k = 1; k <= NF; ++k) if ($k == "seconds") c = k } NR > 1 { $c = "" } { print }' "$1/results.csv"
}

same_study() {
    cmp <(without_seconds "$1") <(without_seconds "$2") && cmp "$1/plan.json" "$2/plan.json" && cmp "$1/summary.csv" "$2/summary.csv"
}
