#include "BenchData.h"
#include "Sections.h"

#include "kernels/Kernels.h"

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

    /// n SDCA steps for squared loss (lambda = 1, w = 1/n), four at a time, in random order.
    double sdcaPass(Sweep sweep)
    {
        const Index n = A.rows(), d = A.cols();
        const auto weight = static_cast<double>(n);
        std::array<Index, 4> rows, next;
        for (Index &i : next)
            i = draw();
        std::array<const T *, 4> at, previous;
        Ahead<T> following;
        std::array<double, 4> dots, delta;
        std::array<double, 6> gram;
        for (Index step = 0; step < n; step += 4) {
            rows = next;
            for (std::size_t r = 0; r < 4; ++r) {
                next[r] = draw();
                at[r] = A.row(rows[r]);
                following.rows[r] = A.row(next[r]);
                following.scalars[2 * r] = &y[static_cast<std::size_t>(next[r])];
                following.scalars[2 * r + 1] = &norms[static_cast<std::size_t>(next[r])];
            }
            if (sweep == Sweep::Fused && step > 0)
                k.axpyDot4(delta.data(), previous.data(), at.data(), &following, x.data(), d, dots.data(), gram.data());
            else
                k.dot4(at.data(), sweep == Sweep::Plain ? nullptr : &following, x.data(), d, dots.data(), gram.data());
            const auto solve = [&](std::size_t r, double m) {
                const auto i = static_cast<std::size_t>(rows[r]);
                const double change = (m - (1 + y[i] * weight)) * (1 / (weight + norms[i]));
                y[i] += change;
                delta[r] = -change;
            };
            solve(0, dots[0]);
            solve(1, dots[1] + delta[0] * gram[0]);
            solve(2, dots[2] + delta[0] * gram[1] + delta[1] * gram[3]);
            solve(3, dots[3] + delta[0] * gram[2] + delta[1] * gram[4] + delta[2] * gram[5]);
            if (sweep != Sweep::Fused)
                k.axpy4(delta.data(), at.data(), x.data(), d);
            previous = at;
        }
        if (sweep == Sweep::Fused)
            k.axpy4(delta.data(), previous.data(), x.data(), d);
        return x[0];
    }

    /// The same, a row at a time.
    double sdcaPassByRows()
    {
        const Index n = A.rows(), d = A.cols();
        const auto weight = static_cast<double>(n);
        Index next = draw();
        for (Index step = 0; step < n; ++step) {
            const Index row = next;
            next = draw();
            const auto i = static_cast<std::size_t>(row);
            const double delta =
                (k.dotAhead(A.row(row), A.row(next), x.data(), d) - 1 - y[i] * weight) / (weight + norms[i]);
            y[i] += delta;
            k.axpy(-delta, A.row(row), x.data(), d);
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
        for (Index i = 0; i < A.rows(); ++i) {
            const T *a = A.row(draw());
            sum += k.dot(a, x.data(), A.cols());
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
        {"SDCA pass, random order: axpyDot4", [&] { return f.sdcaPass(Fixture<T>::Sweep::Fused); }},
        {"SDCA pass, random order: dot4, axpy4", [&] { return f.sdcaPass(Fixture<T>::Sweep::Ahead); }},
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
