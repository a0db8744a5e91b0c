#include "BenchData.h"
#include "Sections.h"

#include "methods/RowPairs.h"

#include <array>

namespace appa::bench {

namespace {

std::uint64_t nextBits(std::uint64_t &state)
{
    state += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

template <class T> struct Fixture
{
    DenseMatrix<T> A;
    std::vector<double> x, y, g, norms;
    std::uint64_t seed = 1;
    const DenseKernels<T> &k = denseKernels<T>();

    Fixture(Index n, Index d)
        : A(n, d), x(static_cast<std::size_t>(d)), y(static_cast<std::size_t>(n)), g(x.size(), 1e-3), norms(y.size())
    {
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < d; ++j)
                A.row(i)[j] = static_cast<T>(static_cast<double>(nextBits(seed) >> 40) * 0x1p-24 - 0.5);
            norms[static_cast<std::size_t>(i)] = 0.0834 * static_cast<double>(d);
        }
    }

    Index draw() { return static_cast<Index>(nextBits(seed) % static_cast<std::uint64_t>(A.rows())); }

    enum class Sweep { Fused, Ahead, Plain };

    /// n SDCA steps for squared loss (lambda = 1, w = 1/n), two at a time, in random order.
    double sdcaPass(Sweep sweep)
    {
        const Index n = A.rows(), d = A.cols();
        const auto weight = static_cast<double>(n);
        IndexStream stream(n, IndexStream::Order::Random, nextBits(seed));
        RowPairs<T> pairs(A, n, stream);
        Two<const T *> previous = {};
        Two<double> delta = {};
        const auto solve = [&](int r, double m) {
            const auto i = static_cast<std::size_t>(pairs.row(r));
            const double change = (m - (1 + y[i] * weight)) * (1 / (weight + norms[i]));
            y[i] += change;
            return -change;
        };
        const auto update = [&] {
            k.axpy(delta.first, previous.first, x.data(), d);
            k.axpy(delta.second, previous.second, x.data(), d);
        };
        while (pairs.next()) {
            for (int r = 0; r < 2; ++r) {
                __builtin_prefetch(&y[static_cast<std::size_t>(pairs.farthest(r))], 1);
                __builtin_prefetch(&norms[static_cast<std::size_t>(pairs.farthest(r))]);
            }
            const Two<const T *> rows = {A.row(pairs.row(0)), A.row(pairs.row(1))};
            const auto *next = sweep == Sweep::Plain ? nullptr : &pairs.ahead();
            double gram;
            const Two<double> m = sweep == Sweep::Fused && previous.first
                ? k.axpyDot2(delta, previous, rows, next, x.data(), d, &gram)
                : k.dot2(rows, next, x.data(), d, &gram);
            delta.first = solve(0, m.first);
            delta.second = solve(1, m.second + delta.first * gram);
            previous = rows;
            if (sweep != Sweep::Fused)
                update();
        }
        if (sweep == Sweep::Fused)
            update();
        return x[0];
    }

    /// The same, a row at a time.
    double sdcaPassByRows()
    {
        const Index n = A.rows(), d = A.cols();
        const auto weight = static_cast<double>(n);
        std::vector<Index> rows(y.size());
        for (Index &row : rows)
            row = draw();
        for (std::size_t step = 0; step < rows.size(); ++step) {
            const auto i = static_cast<std::size_t>(rows[step]);
            const double delta =
                (rowDotAhead(A, std::span<const Index>(rows).subspan(step), x.data()) - 1 - y[i] * weight)
                / (weight + norms[i]);
            y[i] += delta;
            k.axpy(-delta, A.row(rows[step]), x.data(), d);
        }
        return x[0];
    }

    double marginPass()
    {
        double sum = 0;
        std::array<double, 4> dots;
        for (Index i = 0; i + 4 <= A.rows(); i += 4) {
            const std::array<const T *, 4> rows = {A.row(i), A.row(i + 1), A.row(i + 2), A.row(i + 3)};
            k.margin4(rows.data(), 4 * A.cols(), x.data(), A.cols(), dots.data());
            sum += dots[0] + dots[1] + dots[2] + dots[3];
        }
        return sum;
    }

    double gradientPass()
    {
        std::array<double, 4> dots;
        for (Index i = 0; i + 4 <= A.rows(); i += 4) {
            const std::array<const T *, 4> rows = {A.row(i), A.row(i + 1), A.row(i + 2), A.row(i + 3)};
            k.margin4(rows.data(), 4 * A.cols(), x.data(), A.cols(), dots.data());
            for (double &m : dots)
                m *= 1e-9;
            k.axpy4(dots.data(), rows.data(), g.data(), A.cols());
        }
        return g[0];
    }

    double affinePass()
    {
        double sum = 0;
        std::vector<Index> rows(y.size());
        for (Index &row : rows)
            row = draw();
        for (std::size_t step = 0; step < rows.size(); ++step) {
            const T *a = A.row(rows[step]);
            sum += rowDotAhead(A, std::span<const Index>(rows).subspan(step), x.data());
            k.affineStep(0.999, 1e-9, a, 1e-9, g.data(), x.data(), A.cols());
        }
        return sum;
    }
};

template <class T> void runShape(const Table &table, const Options &options, Index n, Index d)
{
    Fixture<T> f(n, d);
    const std::vector<Contender> contenders = {
        {"plain read", [&] { return plainRead(f.A.row(0), f.A.bytes()); }},
        {"SDCA pass, random order: axpyDot2", [&] { return f.sdcaPass(Fixture<T>::Sweep::Fused); }},
        {"SDCA pass, random order: dot2, axpy", [&] { return f.sdcaPass(Fixture<T>::Sweep::Ahead); }},
        {"the same without prefetch", [&] { return f.sdcaPass(Fixture<T>::Sweep::Plain); }},
        {"SDCA pass, random order: dot, axpy", [&] { return f.sdcaPassByRows(); }},
        {"margins: margin4", [&] { return f.marginPass(); }},
        {"gradient: margin4, axpy4", [&] { return f.gradientPass(); }},
        {"SVRG-like step, random order: dot, affineStep", [&] { return f.affinePass(); }},
    };
    const auto seconds = bestOf(options.repetitions, contenders);
    const std::string shape =
        std::to_string(n) + " x " + std::to_string(d) + (sizeof(T) == 4 ? " float32" : " float64");
    for (std::size_t c = 0; c < seconds.size(); ++c)
        table.row({shape, contenders[c].name, number(1e3 * seconds[c]), number(seconds[c] / seconds[0])});
}

} // namespace

void runKernels(const Options &options)
{
    const Table table({"A", "pass", "ms", "of the read"});
    const Index scale = options.quick ? 10 : 1;
    runShape<float>(table, options, 60000 / scale, 784);
    runShape<float>(table, options, 20000 / scale, 4000);
    runShape<double>(table, options, 60000 / scale, 784);
}

} // namespace appa::bench
