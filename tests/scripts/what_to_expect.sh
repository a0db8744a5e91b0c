#!/bin/bash
# What the methods do on the built-in part of MNIST, in two tables (squared and logistic loss) and the paper's figures: best
# lambda, excess or F there, test error with its standard error, and where a method ends above F(0). SGD, SVRG, SDCA, Dual
# APPA from y = 0 and from y_hat(0) as printed; 17 decades of lambda, 3 seeds, 20 stages. About two minutes on two cores.
#
# DRAW=2 takes other random Fourier features: the logistic problem is separable, and what Dual APPA reaches at its best
# lambda scatters by a factor of 2 over them.
#
#   APPA_LAB=build/release/app/appa-lab tests/scripts/what_to_expect.sh [FOLDER]
set -euo pipefail
appa=${APPA_LAB:-appa-lab}
folder=${1:-what-to-expect}
for loss in squared logistic; do
    "$appa" sweep --data mnist-6k --transforms "mean-norm,rff:1200:1:${DRAW:-1}" --loss $loss \
        --methods sgd,svrg,sdca,dual-appa:sdca:dual-start=zero,dual-appa:sdca:dual-start=paper \
        --lambdas 1e-8:1e8:17 --seeds 1..3 --stages 20 --curves --floors --resume --out "$folder/$loss"
    echo
done
