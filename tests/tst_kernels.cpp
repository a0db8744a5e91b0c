#include "kernels/Kernels.h"
#include "kernels/RankUpdate.h"

#include <QTest>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using namespace appa;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr Index longest = 67;

enum class Kind { Ordinary, Denormal, Cancelling, Huge };

/// Rows and vectors of one kind, at addresses that no vector register is aligned to.
template <class T> struct Input
{
    std::array<std::vector<T>, 4> storage;
    std::array<const T *, 4> rows;
    std::vector<double> xStorage, gStorage;
    Index d;

    Input(Index length, Kind kind, std::uint64_t seed) : d(length)
    {
        std::mt19937_64 random(seed);
        const auto draw = [&] { return static_cast<double>(random() >> 11) * 0x1p-53 - 0.5; };
        for (std::size_t k = 0; k < 4; ++k) {
            storage[k].resize(static_cast<std::size_t>(d) + 3);
            for (T &v : storage[k]) {
                switch (kind) {
                case Kind::Ordinary:
                    v = static_cast<T>(draw());
                    break;
                case Kind::Denormal:
                    v = static_cast<T>(draw()) * std::numeric_limits<T>::min();
                    break;
                case Kind::Cancelling:
                    v = static_cast<T>(std::ldexp(draw(), static_cast<int>(random() % 40)));
                    break;
                case Kind::Huge:
                    v = static_cast<T>(draw()) * static_cast<T>(1e30);
                    break;
                }
            }
            rows[k] = storage[k].data() + 1 + k % 2;
        }
        xStorage.resize(static_cast<std::size_t>(d) + 1);
        gStorage.resize(static_cast<std::size_t>(d) + 1);
        for (std::size_t j = 0; j < xStorage.size(); ++j) {
            xStorage[j] = draw() * (kind == Kind::Denormal ? 1e-300 : kind == Kind::Cancelling && j % 2 ? 1e12 : 1);
            gStorage[j] = draw();
        }
        if (kind == Kind::Cancelling) // neighbours that nearly cancel
            for (Index j = 1; j < d; j += 2)
                xStorage[static_cast<std::size_t>(j) + 1] = -xStorage[static_cast<std::size_t>(j)];
    }
    const double *x() const { return xStorage.data() + 1; }
    const double *g() const { return gStorage.data() + 1; }
};

struct Exact
{
    long double value = 0;
    long double magnitude = 0; ///< sum of |terms|: what rounding is relative to

    void add(long double a, long double b)
    {
        value += a * b;
        magnitude += std::abs(a * b);
    }
    bool near(double got) const
    {
        return std::abs(static_cast<long double>(got) - value)
            <= 70 * epsilon * magnitude + std::numeric_limits<double>::denorm_min() * 70;
    }
};

std::vector<Isa> isas()
{
    std::vector<Isa> list = {Isa::Baseline};
    for (const Isa isa : {Isa::Avx2, Isa::Avx512})
        if (detectedIsa() >= isa)
            list.push_back(isa);
    return list;
}

constexpr Asking everyAsking[] = {Asking::Staggered, Asking::InTwoSteps, Asking::ByPieces, Asking::Repeatedly};

template <class T> void checkAll(Isa isa, const Input<T> &in)
{
    const auto &k = denseKernels<T>(isa);
    const Index d = in.d;
    std::array<Exact, 4> dots;
    Exact gram;
    for (Index j = 0; j < d; ++j) {
        for (std::size_t r = 0; r < 4; ++r)
            dots[r].add(in.rows[r][j], in.x()[j]);
        gram.add(in.rows[1][j], in.rows[2][j]);
    }
    std::vector<const Ahead<T, 2> *> askings = {nullptr};
    std::vector<Ahead<T, 2>> ways;
    ways.reserve(std::size(everyAsking));
    for (const Asking asking : everyAsking) {
        ways.emplace_back(d, asking).set([&](Index r) { return in.rows[static_cast<std::size_t>(r) % 4]; });
        askings.push_back(&ways.back());
    }
    for (const Ahead<T, 2> *next : askings) {
        const Two<const T *> rows = {in.rows[1], in.rows[2]};
        double gotGram;
        const Two<double> got = k.dot2(rows, next, in.x(), d, &gotGram);
        QVERIFY(dots[1].near(got.first));
        QVERIFY(dots[2].near(got.second));
        QVERIFY(gram.near(gotGram));

        // The fused sweep gives the bits of its parts.
        const Two<double> alpha = {0.5, -3.25};
        const Two<const T *> previous = {in.rows[3], in.rows[0]};
        std::vector<double> fused(static_cast<std::size_t>(d) + 2, 1234.5);
        std::copy(in.x(), in.x() + d, fused.data() + 1);
        std::vector<double> split = fused;
        double fusedGram, splitGram;
        const Two<double> ofFused = k.axpyDot2(alpha, previous, rows, next, fused.data() + 1, d, &fusedGram);
        k.axpy(alpha.first, previous.first, split.data() + 1, d);
        k.axpy(alpha.second, previous.second, split.data() + 1, d);
        const Two<double> ofSplit = k.dot2(rows, next, split.data() + 1, d, &splitGram);
        QVERIFY(fused == split);
        QVERIFY(ofFused.first == ofSplit.first && ofFused.second == ofSplit.second && fusedGram == splitGram);
    }
    std::array<double, 4> margins;
    k.margin4(in.rows.data(), 0, in.x(), d, margins.data());
    std::array<double, 4> inAPass;
    k.margin4(in.rows.data(), 4 * d, in.x(), d, inAPass.data());
    QVERIFY(inAPass == margins);
    for (std::size_t r = 0; r < 4; ++r) {
        QVERIFY(dots[r].near(margins[r]));
        QVERIFY(dots[r].near(k.dot(in.rows[r], in.x(), d)));
    }

    // The guards around x must survive.
    const std::array<double, 4> alpha = {0.5, -3.25, 1e-3, 7};
    const auto guarded = [&](auto &&update, auto &&expected) {
        std::vector<double> buffer(static_cast<std::size_t>(d) + 2, 1234.5);
        double *x = buffer.data() + 1;
        std::copy(in.x(), in.x() + d, x);
        update(x);
        QCOMPARE(buffer.front(), 1234.5);
        QCOMPARE(buffer.back(), 1234.5);
        for (Index j = 0; j < d; ++j) {
            const Exact want = expected(j);
            QVERIFY(want.near(x[j]));
        }
    };
    guarded([&](double *x) { k.axpy(alpha[1], in.rows[1], x, d); },
            [&](Index j) {
                Exact e;
                e.add(1, in.x()[j]);
                e.add(alpha[1], in.rows[1][j]);
                return e;
            });
    guarded([&](double *x) { k.axpy4(alpha.data(), in.rows.data(), x, d); },
            [&](Index j) {
                Exact e;
                e.add(1, in.x()[j]);
                for (std::size_t r = 0; r < 4; ++r)
                    e.add(alpha[r], in.rows[r][j]);
                return e;
            });
    guarded([&](double *x) { k.affineStep(0.75, alpha[1], in.rows[2], -2, in.g(), x, d); },
            [&](Index j) {
                Exact e;
                e.add(0.75, in.x()[j]);
                e.add(alpha[1], in.rows[2][j]);
                e.add(-2, in.g()[j]);
                return e;
            });
    for (const Asking asking : everyAsking) {
        Ahead<T, 1> following(d, asking);
        following.set([&](Index r) { return in.rows[static_cast<std::size_t>(r) % 4]; });
        for (std::size_t r = 0; r < 4; ++r) // what is only asked for has no influence
            QVERIFY(k.dotAhead(in.rows[r], following, in.x(), d) == k.dot(in.rows[r], in.x(), d));
    }
}

} // namespace

class TestKernels : public QObject
{
    Q_OBJECT

private slots:
    void agreeWithLongDouble_data()
    {
        QTest::addColumn<int>("kind");
        QTest::newRow("ordinary") << static_cast<int>(Kind::Ordinary);
        QTest::newRow("denormals") << static_cast<int>(Kind::Denormal);
        QTest::newRow("cancellation") << static_cast<int>(Kind::Cancelling);
        QTest::newRow("huge") << static_cast<int>(Kind::Huge);
    }
    void agreeWithLongDouble()
    {
        QFETCH(int, kind);
        std::vector<Index> lengths(longest + 1);
        std::iota(lengths.begin(), lengths.end(), 0);
        lengths.insert(lengths.end(), {79, 80, 81, 96, 129, 160, 161, 333}); // as many lines as parts, and more
        for (const Isa isa : isas())
            for (const Index d : lengths) {
                const auto seed = static_cast<std::uint64_t>(d) + 100;
                checkAll<float>(isa, Input<float>(d, static_cast<Kind>(kind), seed));
                checkAll<double>(isa, Input<double>(d, static_cast<Kind>(kind), seed));
                if (QTest::currentTestFailed()) {
                    qWarning("isa %s, d = %lld", std::string(nameOf(isa)).c_str(), static_cast<long long>(d));
                    return;
                }
            }
    }

    void notANumberIsNotLost()
    {
        for (const Isa isa : isas())
            for (Index d = 1; d <= 20; ++d)
                for (Index at = 0; at < d; ++at) {
                    std::vector<float> a(static_cast<std::size_t>(d), 1.0f);
                    const std::vector<double> x(a.size(), 1.0);
                    a[static_cast<std::size_t>(at)] = std::numeric_limits<float>::quiet_NaN();
                    QVERIFY(std::isnan(denseKernels<float>(isa).dot(a.data(), x.data(), d)));
                }
    }

    void sparseRowsAgreeWithDenseOnes()
    {
        std::mt19937_64 random(3);
        for (Index d = 1; d <= longest; ++d) {
            DenseMatrix<double> dense(1, d);
            std::vector<SparseMatrix<double>::Entry> entries;
            std::vector<double> x(static_cast<std::size_t>(d));
            for (Index j = 0; j < d; ++j) {
                x[static_cast<std::size_t>(j)] = static_cast<double>(random() % 1000) / 500 - 1;
                if (random() % 2)
                    continue;
                dense.row(0)[j] = static_cast<double>(random() % 1000) / 500 - 1;
                entries.push_back({static_cast<std::uint32_t>(j), dense.row(0)[j]});
            }
            const auto count = static_cast<Index>(entries.size());
            const SparseMatrix<double> sparse(d, {0, count}, std::move(entries));
            QVERIFY(std::abs(rowDot(dense, 0, x.data()) - rowDot(sparse, 0, x.data())) < 1e-13);
            auto other = x;
            rowAxpy(dense, 0, 0.3, x.data());
            rowAxpy(sparse, 0, 0.3, other.data());
            for (std::size_t j = 0; j < x.size(); ++j)
                QVERIFY(std::abs(x[j] - other[j]) < 1e-15);
            const Index rows[] = {0, 0};
            QVERIFY(rowDotAhead(dense, rows, x.data()) == rowDot(dense, 0, x.data()));
            QVERIFY(rowDotAhead(sparse, rows, x.data()) == rowDot(sparse, 0, x.data()));
            rowPrefetch(sparse, 0);
        }
    }

    void piecesAskForEveryRowOnceEach()
    {
        constexpr Index rows = 24, gap = 1024, line = Ahead<float, 2>::line;
        for (const Asking asking : {Asking::ByPieces, Asking::Repeatedly})
            for (const Index d : {1, 15, 16, 17, 500, 784, 785, 1024, 1025, 1280, 4000, 4097, 8193, 12000}) {
                const std::vector<float> numbers(static_cast<std::size_t>(rows * (d + gap)));
                Ahead<float, 2> ahead(d, asking);
                QVERIFY(ahead.pieceCount > 0);
                QVERIFY(ahead.distance % 2 == 0 && ahead.distance <= (Ahead<float, 2>::most));
                for (Index p = 0; p < ahead.pieceCount; ++p) {
                    QVERIFY(ahead.pieces[p].turn % 16 == 0);
                    std::vector<int> asked(numbers.size());
                    for (Index first = 0; first + 2 + ahead.distance <= rows; first += 2) {
                        ahead.set([&](Index k) { return numbers.data() + (first + k) * (d + gap); });
                        for (Index l = 0; l < ahead.lines; ++l)
                            for (Index r = 0; r < 2; ++r) {
                                const auto *at = reinterpret_cast<const float *>(ahead.pieces[p].at(l * line, r));
                                const Index number = at - numbers.data();
                                // It is yet to be read.
                                QVERIFY(number > (first + r) * (d + gap) + l * line);
                                for (Index k = number; k < std::min(number + line, std::ssize(asked)); ++k)
                                    ++asked[static_cast<std::size_t>(k)];
                            }
                    }
                    // The first rows are asked for in part, the last ones not at all. Of those between every number is
                    // asked for, once where rows are whole lines, and what lies beside them but for a line or two not.
                    const int most = d % line == 0 ? 1 : 2;
                    for (Index row = ahead.distance; row < rows - ahead.distance; ++row)
                        for (Index j = -gap / 2; j < d + gap / 2; ++j) {
                            const int times = asked[static_cast<std::size_t>(row * (d + gap) + j)];
                            QVERIFY2(j >= 0 && j < d ? times >= 1 && times <= most
                                                     : times == 0 || (j >= -2 * line && j < d + 3 * line),
                                     qPrintable(QString("%1 columns, piece %2: %3").arg(d).arg(p).arg(j)));
                        }
                }
            }
    }

    void rowsAreAskedForAsLengthAndProcessorWant()
    {
        using enum Asking;
        constexpr Processor intel = {true, 6, 2 << 20}, zen3 = {false, 0x19, 512 << 10}, zen4 = {false, 0x19, 1 << 20},
                            zen5 = {false, 0x1A, 1 << 20};
        struct Row
        {
            Index bytes, count;
            Asking onIntel, onZen3, onZen4, onZen5;
        };
        for (const Row &row : {Row{3136, 2, Staggered, InTwoSteps, InTwoSteps, Repeatedly},
                               {4096, 2, Staggered, InTwoSteps, InTwoSteps, Repeatedly},
                               {4100, 2, Staggered, Staggered, ByPieces, Repeatedly},
                               {65536, 2, Staggered, Staggered, ByPieces, Repeatedly},
                               {65540, 2, Staggered, ByPieces, ByPieces, Repeatedly},
                               {3136, 1, Staggered, Staggered, ByPieces, Staggered},
                               {200000, 1, Staggered, Staggered, ByPieces, Repeatedly}}) {
            QCOMPARE(askingFor(row.bytes, row.count, intel), row.onIntel);
            QCOMPARE(askingFor(row.bytes, row.count, zen3), row.onZen3);
            QCOMPARE(askingFor(row.bytes, row.count, zen4), row.onZen4);
            QCOMPARE(askingFor(row.bytes, row.count, zen5), row.onZen5);
        }
        QCOMPARE((Ahead<float, 2>(784).asking), askingFor(3136, 2));
        QCOMPARE((Ahead<double, 1>(784).asking), askingFor(6272, 1));
    }

    void staggeredPartsOfARowAreTheWholeRow()
    {
        for (const Asking asking : {Asking::Staggered, Asking::InTwoSteps})
            for (const Index d : {1, 15, 16, 17, 123, 784, 785, 2048, 2049, 4001, 12000}) {
                std::vector<float> numbers(static_cast<std::size_t>(d) + 1024); // all rows are this one
                Ahead<float, 2> ahead(d, asking);
                Index farthest = 0;
                ahead.set([&](Index k) {
                    farthest = std::max(farthest, k);
                    return numbers.data();
                });
                QCOMPARE(farthest, ahead.distance + 1);
                QVERIFY(ahead.distance % 2 == 0 && ahead.distance <= (Ahead<float, 2>::most));
                // In as many calls as there are parts each of them is asked for once, by every parts-th line.
                std::vector<int> asked(static_cast<std::size_t>(ahead.lines));
                for (Index l = 0; l < ahead.lines; ++l) {
                    const float *at = ahead.far[l % ahead.parts][1] + l / ahead.parts * Ahead<float, 2>::line;
                    ++asked[static_cast<std::size_t>((at - numbers.data()) / Ahead<float, 2>::line)];
                }
                QVERIFY2(std::ranges::all_of(asked, [](int times) { return times == 1; }),
                         qPrintable(QString::number(d)));
            }
    }

    void rankUpdateAddsWeightedOuterProducts_data()
    {
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("d");
        for (const auto &[n, d] : {std::pair{1, 1}, {3, 5}, {256, 12}, {257, 13}, {700, 29}, {1300, 48}, {40, 67}})
            QTest::addRow("%d x %d", n, d) << n << d;
    }
    void rankUpdateAddsWeightedOuterProducts()
    {
        QFETCH(int, n);
        QFETCH(int, d);
        std::mt19937_64 random(9);
        DenseMatrix<float> A(n, d);
        std::vector<double> c(static_cast<std::size_t>(n));
        for (Index i = 0; i < n; ++i) {
            c[static_cast<std::size_t>(i)] = static_cast<double>(random() % 100) / 50 - 1;
            for (Index j = 0; j < d; ++j)
                A.row(i)[j] = static_cast<float>(random() % 1000) / 500 - 1;
        }
        const auto size = static_cast<std::size_t>(d);
        for (const Isa isa : isas()) {
            std::vector<double> first;
            for (const int threads : {1, 2, 5}) {
                const std::size_t ld = size + 3;
                std::vector<double> C(ld * size, 0.25);
                const RankUpdate update{.isa = isa, .threads = threads, .stop = {}, .report = {}};
                QVERIFY(update.operator()<float>([&](Index i) { return A.row(i); }, n, c, d, C.data(),
                                                 static_cast<Index>(ld)));
                for (std::size_t j = 0; j < size; ++j) {
                    for (std::size_t i = j; i < size; ++i) {
                        long double want = 0.25L;
                        for (Index r = 0; r < n; ++r)
                            want +=
                                c[static_cast<std::size_t>(r)] * static_cast<long double>(A.row(r)[i]) * A.row(r)[j];
                        QVERIFY(std::abs(C[j * ld + i] - static_cast<double>(want)) < 1e-12);
                    }
                    for (std::size_t i = size; i < ld; ++i)
                        QCOMPARE(C[j * ld + i], 0.25);
                }
                if (first.empty())
                    first = C;
                QVERIFY(C == first);
            }
        }
    }

    void stoppedRankUpdateSaysSo()
    {
        const DenseMatrix<float> A(600, 20);
        std::vector<double> C(400);
        std::stop_source source;
        source.request_stop();
        const RankUpdate update{.threads = 2, .stop = source.get_token(), .report = {}};
        QVERIFY(!update.operator()<float>([&](Index i) { return A.row(i); }, 600, {}, 20, C.data(), 20));
    }
};

QTEST_GUILESS_MAIN(TestKernels)
#include "tst_kernels.moc"
