#include "Sections.h"

#include "problem/Cholesky.h"
#include "problem/Optimum.h"
#include "problem/Products.h"

#include <cmath>

namespace appa::bench {

namespace {

/// Rows around a low-dimensional subspace, with labels that no hyperplane separates.
DatasetPtr blobs(Index n, Index d)
{
    Dataset data;
    data.name = "blobs";
    data.classNames = {"-1", "+1"};
    DenseMatrix<float> A(n, d);
    std::uint64_t state = 1;
    const auto draw = [&] {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
    };
    for (Index i = 0; i < n; ++i) {
        const double a = draw(), b = draw();
        for (Index j = 0; j < d; ++j)
            A.row(i)[j] = static_cast<float>(
                (a * std::sin(static_cast<double>(j)) + b * std::cos(3.0 * static_cast<double>(j)) + 0.3 * draw())
                / std::sqrt(static_cast<double>(d)));
        data.train.targets.push_back(a + draw() > 0 ? 1 : -1);
    }
    data.train.features = std::move(A);
    data.test.features = DenseMatrix<float>(0, d);
    return finish(std::move(data));
}

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
              return factor.factor(std::move(S), 0, passThreads(), {}) == Cholesky::Outcome::Done ? 1.0 : 0.0;
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
