#include "BenchData.h"
#include "Sections.h"

#include "problem/Cholesky.h"
#include "problem/Optimum.h"
#include "problem/Products.h"

#include <cmath>

namespace appa::bench {

namespace {

void runShape(const Table &table, Index n, Index d)
{
    const auto data = blobs(n, d);
    const auto shape = std::to_string(n) + " x " + std::to_string(d);
    const Features &A = data->train.features;
    const double flops = static_cast<double>(n) * static_cast<double>(d) * static_cast<double>(d);
    Eigen::MatrixXd G;
    Vector v = Vector::Ones(d), out;
    Cholesky factor;
    const auto seconds = bestWallOf(
        1,
        {{"A'A v, one pass", [&] { return weightedProduct(A, {}, v, out, passThreads(), {}) ? out[0] : 0; }},
         {"Gram matrix", [&] { return weightedGram(A, {}, G, passThreads(), {}, "") ? G(0, 0) : 0; }},
         {"Cholesky", [&] {
              Eigen::MatrixXd S = G;
              S.diagonal().array() += 1;
              const auto asFound = [](Index, double found) { return found; };
              return factor.factor(std::move(S), asFound, passThreads(), {}) == Cholesky::Outcome::Done ? 1.0 : 0.0;
          }}});
    table.row({shape, "A'A v, one pass", number(seconds[0]), ""});
    table.row({shape, "Gram matrix", number(seconds[1]), number(1e-9 * flops / seconds[1]) + " GFlop/s"});
    table.row({shape, "Cholesky", number(seconds[2]), ""});
    for (const char *loss : {"squared", "logistic"})
        for (const double ridge : {1.0 / static_cast<double>(n), 1e-6}) {
            const Problem problem(data, makeLoss(loss, n, 1).value(), ridge);
            const auto optimum = referenceOptimum(problem);
            table.row({shape, std::string("F_opt, ") + loss + ", ridge " + number(ridge), number(optimum->seconds),
                       optimum->message});
        }
    const Problem problem(data, makeLoss("squared", n, 1).value(), 0);
    const auto constants =
        bestWallOf(1, {{"constants", [&] { return Problem(data, problem.loss(), 0).constants()->mu; }}});
    table.row({shape, "constants, squared", number(constants[0]), ""});
}

} // namespace

void runDirect(const Options &options)
{
    const Table table({"A (float32)", "what", "s, all cores", "note"});
    const Index scale = options.quick ? 10 : 1;
    runShape(table, 60000 / scale, 784);
    runShape(table, 20000 / scale, 4000 / (options.quick ? 4 : 1));
}

} // namespace appa::bench
