#ifdef APPA_HAVE_LIBLINEAR

#include "Liblinear.h"

#include "BenchData.h"

#include "problem/Cholesky.h"
#include "problem/Products.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace appa::bench {

LiblinearData::LiblinearData(const Dataset &data) : m_cols(data.train.cols()), m_targets(data.train.targets)
{
    const Index n = data.train.rows();
    std::vector<std::size_t> starts;
    std::visit(
        [&](const auto &A) {
            const auto add = [&](Index column, double value) {
                if (value != 0)
                    m_nodes.push_back({static_cast<int>(column) + 1, value});
            };
            for (Index i = 0; i < n; ++i) {
                starts.push_back(m_nodes.size());
                if constexpr (std::decay_t<decltype(A)>::isSparse)
                    for (const auto &e : A.row(i))
                        add(e.column, static_cast<double>(e.value));
                else
                    for (Index j = 0; j < A.cols(); ++j)
                        add(j, static_cast<double>(A.row(i)[j]));
                m_nodes.push_back({-1, 0});
            }
        },
        data.train.features);
    for (const std::size_t start : starts)
        m_rows.push_back(&m_nodes[start]);
}

namespace {

int iterations = 0;

/// liblinear says how long it took only in what it prints.
void listen(const char *text)
{
    int count = 0;
    if (std::sscanf(text, " optimization finished, #iter = %d", &count) == 1)
        iterations = count;
}

} // namespace

void LiblinearData::time(int solver, double C, Calls &best) const
{
    double seconds = 0;
    (void)solve(solver, C, 1e10, seconds);
    best.few = std::min(best.few, seconds);
    const int first = iterations;
    (void)solve(solver, C, 1e-3, seconds);
    best.many = std::min(best.many, seconds);
    best.passes = iterations - first;
}

Vector LiblinearData::solve(int solver, double C, double eps, double &seconds) const
{
    set_print_string_function(listen);
    problem prob{};
    prob.l = static_cast<int>(m_rows.size());
    prob.n = static_cast<int>(m_cols);
    prob.y = m_targets.data();
    prob.x = m_rows.data();
    prob.bias = -1;
    parameter param{};
    param.solver_type = solver;
    param.C = C;
    param.eps = eps;
    param.p = 0;
    std::srand(1); // what liblinear draws from: the same passes at every call
    const double begin = threadSeconds();
    model *trained = train(&prob, &param);
    seconds = threadSeconds() - begin;
    Vector x(m_cols);
    // The first label seen is liblinear's positive class; regression has no labels.
    const double sign = trained->label && trained->label[0] < 0 ? -1 : 1;
    for (Index j = 0; j < m_cols; ++j)
        x[j] = sign * trained->w[j];
    free_and_destroy_model(&trained);
    return x;
}

double directSeconds(const Problem &problem)
{
    const double begin = threadSeconds();
    Eigen::MatrixXd G;
    (void)weightedGram(problem.data().train.features, {}, G, 1, {}, "");
    G /= static_cast<double>(problem.n());
    G.diagonal().array() += problem.ridge();
    Cholesky factor;
    (void)factor.factor(std::move(G), [](Index, double found) { return found; }, 1, {});
    return threadSeconds() - begin;
}

} // namespace appa::bench

#endif
