#pragma once

#include "base/Inline.h"
#include "data/Matrix.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace appa {

/// Handed over in registers: between one pair of rows and the next every nanosecond counts.
template <class V> struct Two
{
    V first, second;
};

/// How memory is best asked for the rows to come. Results do not depend on it.
enum class Asking {
    /// Several rows at once: the first part of the farthest, the second part of the one before it, and so on to the
    /// last part of the next. A core waits for some twenty lines of its first cache at a time, too few for memory's
    /// speed; but the second cache finds out by itself what comes behind a line that is asked for, and has the more on
    /// its way, the more rows it sees (up to about ten).
    Staggered,
    /// The same for rows farther away, and only as near as the second cache; from there the next rows are brought to
    /// the first one. For short rows on processors whose first cache several of them would fill.
    InTwoSteps,
    /// The rows at work, a piece ahead of where they are read, which at a row's end is the beginning of the next one:
    /// for rows so long that several of them would push each other out of a small second cache, and for processors that
    /// look ahead no farther in several rows than in one.
    ByPieces,
    /// By shorter pieces, into the first cache, and each of them two or three times before its turn: for processors
    /// that drop requests while as many others as they can count are on their way, often with memory at its limit.
    Repeatedly
};

/// What the choice depends on.
struct Processor
{
    bool intel = false;    ///< whose first and second caches are larger
    int family = 0;        ///< as the processor tells it
    Index secondCache = 0; ///< bytes, as far as known

    bool isZen5() const { return !intel && family >= 0x1A; } ///< or later
};
const Processor &thisProcessor();

/// What suits `count` rows of so many bytes at work together.
Asking askingFor(Index rowBytes, Index count, const Processor &processor = thisProcessor());

/// What following calls will read: asked for line by line while this one computes, `count` rows side by side.
template <class T, Index count> struct Ahead
{
    static constexpr Index line = 64 / static_cast<Index>(sizeof(T)); ///< numbers in a cache line
    // Into how many parts rows are cut, as many as are asked for in turn:
    static constexpr Index partsOfShort = 10 / count;
    static constexpr Index partsOfLong = 6 / count; ///< which are found by the hardware soon enough
    static constexpr Index partsInTwoSteps = 8 / count;
    static constexpr Index mostParts = partsOfShort;
    static constexpr Index most = 14; ///< rows that have to be known ahead

    /// By pieces: what is asked for with column j of the rows at work is at now + j, from column `turn` on at then + j.
    /// As addresses, since some lie in front of their row.
    struct Piece
    {
        Index turn; ///< a multiple of 16
        std::uintptr_t now[count], then[count];

        std::uintptr_t at(Index j, Index r) const
        {
            return (j < turn ? now : then)[r] + static_cast<std::uintptr_t>(j) * sizeof(T);
        }
    };

    Asking asking;
    Index distance;                 ///< of the farthest rows, in rows; a multiple of `count`
    Index lines;                    ///< of a row
    const T *far[mostParts][count]; ///< in parts: a line of far[0], far[1], .. in turn, from the farthest rows on
    Index parts = 1;
    const T *following[count]; ///< the rows whose turn is next
    Piece pieces[3];
    Index pieceCount = 0;

    explicit Ahead(Index d) : Ahead(d, askingFor(d * static_cast<Index>(sizeof(T)), count)) { }
    Ahead(Index d, Asking how) : asking(how)
    {
        const Index bytes = d * static_cast<Index>(sizeof(T));
        lines = bytes / 64 + (bytes % 64 == 0 ? 0 : 2); // such rows begin and end within a line
        distance = count;
        switch (asking) {
        case Asking::Staggered:
            parts = lines <= 128 ? partsOfShort : partsOfLong;
            distance = parts * count;
            break;
        case Asking::InTwoSteps:
            parts = partsInTwoSteps;
            distance = parts * count + 6;
            break;
        case Asking::ByPieces:
            setPieces(d, {std::min<Index>(16384, bytes)}); // of the next row at the most
            break;
        case Asking::Repeatedly:
            if (bytes <= 4096)
                setPieces(d, {6784, 4864});
            else
                setPieces(d, {6400, 4480, 2560});
            break;
        }
    }

    /// row(k) is the k-th of the rows from those at work on.
    template <class Row> APPA_ALWAYS_INLINE void set(const Row &row)
    {
        if (pieceCount > 0) {
            const auto address = [&](Index k) { return reinterpret_cast<std::uintptr_t>(row(k)); };
            for (Index p = 0; p < pieceCount; ++p)
                for (Index r = 0; r < count; ++r) {
                    pieces[p].now[r] = address(m_rows[p] + r) + m_begin[p];
                    pieces[p].then[r] = address(m_rows[p] + count + r) - m_turn[p];
                }
            return;
        }
        for (Index r = 0; r < count; ++r)
            following[r] = row(count + r);
        Index begin = 0; // of a part, in lines
        for (Index p = 0; p < parts; ++p) {
            for (Index r = 0; r < count; ++r)
                far[p][r] = row(distance - p * count + r) + begin * line;
            begin += lines / parts + (p < lines % parts);
        }
    }

private:
    /// Pieces that are so many bytes ahead, as far as the rows there are known.
    void setPieces(Index d, std::initializer_list<Index> bytesAhead)
    {
        for (const Index bytes : bytesAhead) {
            const Index lead = std::min(bytes / static_cast<Index>(sizeof(T)), (most / count - 1) * d);
            const Index rows = d > 0 ? lead / d : 0, begin = (lead - rows * d) / 16 * 16;
            const Index turn = (d - begin + 15) / 16 * 16; // so the row's last numbers are asked for, too
            pieces[pieceCount].turn = turn;
            m_rows[pieceCount] = rows * count;
            m_begin[pieceCount] = static_cast<std::uintptr_t>(begin) * sizeof(T);
            m_turn[pieceCount] = static_cast<std::uintptr_t>(turn) * sizeof(T);
            distance = std::max(distance, (rows + 1) * count);
            ++pieceCount;
        }
    }

    // Of a piece: the rows in which it begins, counted from those at work, where in them, and its turn; in bytes.
    Index m_rows[3];
    std::uintptr_t m_begin[3], m_turn[3];
};

/// The hot loops on dense rows, float32 or float64 against a double vector, once in plain C++ and once in AVX2/FMA.
/// The table is chosen once at start-up; one indirect call per row or for a few rows is nothing beside them.
template <class T> struct DenseKernels
{
    /// sum_j a_j x_j, accumulated in double.
    double (*dot)(const T *a, const double *x, Index d);
    /// The same, while rows to come are brought towards the caches.
    double (*dotAhead)(const T *a, const Ahead<T, 1> &next, const double *x, Index d);
    /// x += alpha a
    void (*axpy)(double alpha, const T *a, double *x, Index d);
    /// Two rows in one sweep over x: a_0.x and a_1.x, and gram = a_0.a_1. `next` may be nullptr, here and in axpyDot2.
    Two<double> (*dot2)(Two<const T *> rows, const Ahead<T, 2> *next, const double *x, Index d, double *gram);
    /// x += alpha_0 previous_0 + alpha_1 previous_1 and then dot2 of `rows`, in one sweep: the update of one pair hides
    /// behind the reading of the next. The same bits as two calls of axpy followed by dot2.
    Two<double> (*axpyDot2)(Two<double> alpha, Two<const T *> previous, Two<const T *> rows, const Ahead<T, 2> *next,
                            double *x, Index d, double *gram);
    /// Four rows in one sweep over x: dots[k] = a_k.x. In a pass, what lies `ahead` numbers behind each row is brought
    /// along: the following four rows, or the following one. Hardware alone reads rows of a few kilobytes a third
    /// slower. 0 asks for nothing.
    void (*margin4)(const T *const rows[4], Index ahead, const double *x, Index d, double dots[4]);
    /// x += sum_k alpha_k a_k in one sweep.
    void (*axpy4)(const double alpha[4], const T *const rows[4], double *x, Index d);
    /// x = c x + alpha a + beta g: a step with a dense gradient and shrinkage (SVRG, SAGA) in one sweep.
    void (*affineStep)(double c, double alpha, const T *a, double beta, const double *g, double *x, Index d);
};

/// In increasing order: a processor with one has those before it. AVX-512 gives the bits of AVX2.
enum class Isa { Baseline, Avx2, Avx512 };

/// What suits this machine: AVX-512 only where it was measured to be much the faster one (Zen 5). APPA_ISA=baseline,
/// avx2 or avx512 in the environment chooses another, as far as the machine has it.
Isa detectedIsa();
std::string_view nameOf(Isa isa);
/// The least of them that gives the same bits.
inline Isa arithmeticOf(Isa isa)
{
    return std::min(isa, Isa::Avx2);
}

template <class T> const DenseKernels<T> &denseKernels(Isa isa);
/// The table for this machine.
template <class T> const DenseKernels<T> &denseKernels();

// --- rows of either kind, for loops that do not care --------------------------------------------------------------

template <class T> inline double rowDot(const DenseMatrix<T> &A, Index i, const double *x)
{
    static const DenseKernels<T> &k = denseKernels<T>();
    return k.dot(A.row(i), x, A.cols());
}

template <class T> inline void rowAxpy(const DenseMatrix<T> &A, Index i, double alpha, double *x)
{
    static const DenseKernels<T> &k = denseKernels<T>();
    k.axpy(alpha, A.row(i), x, A.cols());
}

/// Calls `work`, an always_inline lambda, compiled for AVX2 and FMA where this process uses them: for loops whose
/// products and sums wait for each other.
#if defined(__x86_64__)
template <class Work> __attribute__((target("avx2,fma"))) void callFused(const Work &work)
{
    work();
}
template <class Work> void withFusedProducts(const Work &work)
{
    if (detectedIsa() >= Isa::Avx2)
        callFused(work);
    else
        work();
}
#else
template <class Work> void withFusedProducts(const Work &work)
{
    work();
}
#endif

// --- sparse rows: compiled into the loops that use them, whatever processor those are made for ----------------------

template <class Entry> APPA_ALWAYS_INLINE double dot(std::span<const Entry> row, const double *x)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    std::size_t k = 0;
    for (; k + 4 <= row.size(); k += 4) {
        s0 += static_cast<double>(row[k].value) * x[row[k].column];
        s1 += static_cast<double>(row[k + 1].value) * x[row[k + 1].column];
        s2 += static_cast<double>(row[k + 2].value) * x[row[k + 2].column];
        s3 += static_cast<double>(row[k + 3].value) * x[row[k + 3].column];
    }
    for (; k < row.size(); ++k)
        s0 += static_cast<double>(row[k].value) * x[row[k].column];
    return (s0 + s1) + (s2 + s3);
}

template <class Entry> APPA_ALWAYS_INLINE void axpy(std::span<const Entry> row, double alpha, double *x)
{
    const auto add = [&](const Entry &e) { x[e.column] += alpha * static_cast<double>(e.value); };
    std::size_t k = 0;
    for (; k + 4 <= row.size(); k += 4) {
        add(row[k]);
        add(row[k + 1]);
        add(row[k + 2]);
        add(row[k + 3]);
    }
    for (; k < row.size(); ++k)
        add(row[k]);
}

/// Where a row is brought. More requests can be under way to the second cache than to the first.
enum class Cache { Second = 2, First = 3 };

/// GCC takes a function that only prefetches for one that does nothing and drops calls of it: inlined by force.
template <Cache cache = Cache::First, class Entry> APPA_ALWAYS_INLINE void prefetch(std::span<const Entry> row)
{
    constexpr int locality = static_cast<int>(cache);
    const char *p = reinterpret_cast<const char *>(row.data());
    const std::size_t bytes = row.size_bytes();
    // No branch for the lines that most rows lie on: how many they are can't be foreseen.
    __builtin_prefetch(p, 0, locality);
    __builtin_prefetch(p + 64, 0, locality);
    __builtin_prefetch(p + std::min<std::size_t>(bytes, 128), 0, locality);
    __builtin_prefetch(p + std::min<std::size_t>(bytes, 192), 0, locality);
    for (std::size_t b = 256; b < bytes + 63; b += 64) // it may begin within a line
        __builtin_prefetch(p + b, 0, locality);
}

/// The same for a row that the second cache has: its first lines, since a loop of unforeseen length costs more than the
/// others' way from there.
template <class Entry> APPA_ALWAYS_INLINE void prefetchBeginning(std::span<const Entry> row)
{
    const char *p = reinterpret_cast<const char *>(row.data());
    __builtin_prefetch(p);
    __builtin_prefetch(p + 64);
}

template <class T> inline double rowDot(const SparseMatrix<T> &A, Index i, const double *x)
{
    return dot(A.row(i), x);
}

template <class T> inline void rowAxpy(const SparseMatrix<T> &A, Index i, double alpha, double *x)
{
    axpy(A.row(i), alpha, x);
}

template <class T> APPA_ALWAYS_INLINE void rowPrefetch(const SparseMatrix<T> &A, Index i)
{
    prefetch(A.row(i));
}

/// rowDot of rows[0], the first of those to come, while later ones are brought towards the caches.
template <class T> inline double rowDotAhead(const DenseMatrix<T> &A, std::span<const Index> rows, const double *x)
{
    static const DenseKernels<T> &k = denseKernels<T>();
    Ahead<T, 1> next(A.cols());
    const auto known = static_cast<Index>(rows.size()) - 1;
    const auto row = [&](Index r) { return A.row(rows[static_cast<std::size_t>(std::min(r, known))]); };
    next.set(row);
    return k.dotAhead(A.row(rows[0]), next, x, A.cols());
}

/// How many steps before its turn a sparse row is best asked for.
inline constexpr std::size_t sparseRowsAhead = 8;

template <class T> inline double rowDotAhead(const SparseMatrix<T> &A, std::span<const Index> rows, const double *x)
{
    if (rows.size() > sparseRowsAhead)
        rowPrefetch(A, rows[sparseRowsAhead]);
    return rowDot(A, rows[0], x);
}

} // namespace appa
