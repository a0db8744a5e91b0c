#pragma once

#include "kernels/Kernels.h"
#include "methods/IndexStream.h"

namespace appa {

/// The stream's next `count` rows of a dense matrix, two at a time, with what the kernels on pairs should ask for
/// meanwhile: also of the rows behind those `count`, as far as they are known, so that steps cut into ticks lose
/// nothing.
template <class T> class RowPairs
{
public:
    RowPairs(const DenseMatrix<T> &A, Index count, IndexStream &stream)
        : m_A(A), m_stream(stream), m_count(count), m_left(count), m_ahead(A.cols())
    {
        for (Index k = 0; k < m_ahead.distance; ++k)
            slot(2 + k) = draw();
    }

    /// Moves on to the following pair; false if fewer than two rows are left.
    APPA_ALWAYS_INLINE bool next()
    {
        if (m_left < 2)
            return false;
        m_left -= 2;
        m_first += 2;
        for (Index r = 0; r < 2; ++r)
            slot(m_ahead.distance + r) = draw();
        m_ahead.set([&](Index k) { return m_A.row(row(k)); });
        return true;
    }
    /// The rows of this pair (0, 1), of the one that comes next (2, 3), and so on.
    Index row(Index k) const { return m_rows[static_cast<std::size_t>(m_first + k) % ring]; }
    const Ahead<T, 2> &ahead() const { return m_ahead; }
    /// The rows that were drawn last: what else goes with them is best asked for now.
    Index farthest(Index k) const { return row(m_ahead.distance + k); }
    /// The row that is left over where `count` is odd, after the last pair; -1 where it is even.
    Index last() const { return m_left == 1 ? row(2) : -1; }

private:
    static constexpr std::size_t ring = 16;
    static_assert(Ahead<T, 2>::most + 2 <= Index(ring));

    Index &slot(Index k) { return m_rows[static_cast<std::size_t>(m_first + k) % ring]; }
    Index draw()
    {
        const Index k = m_drawn++;
        return k < m_count ? m_stream.next() : m_stream.ahead(k - m_count);
    }

    const DenseMatrix<T> &m_A;
    IndexStream &m_stream;
    Index m_count;
    Index m_left;
    Index m_drawn = 0;
    Index m_first = 0; ///< where this pair lies in the ring
    Index m_rows[ring];
    Ahead<T, 2> m_ahead;
};

} // namespace appa
