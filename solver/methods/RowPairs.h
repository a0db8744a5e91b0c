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
        : m_A(A), m_stream(stream), m_count(count), m_left(count)
    {
        const Index bytes = A.cols() * static_cast<Index>(sizeof(T));
        m_ahead.lines = bytes / 64 + (bytes % 64 == 0 ? 0 : 2); // such rows begin and end within a line
        // Long rows are found by the hardware soon enough, and five pairs of them would push each other out.
        m_ahead.pairs = m_ahead.lines <= 128 ? Ahead<T>::mostPairs : 3;
        for (Index k = 0; k < 2 * m_ahead.pairs; ++k)
            slot(2 + k) = draw();
        const Index pairs = m_ahead.pairs;
        Index begin = 0;
        for (Index part = 0; part < pairs; ++part) {
            const Index k = 2 * (pairs - part);
            m_ahead.parts[part] = {A.row(row(k)) + begin, A.row(row(k + 1)) + begin};
            m_size[part] = (m_ahead.lines / pairs + (part < m_ahead.lines % pairs ? 1 : 0)) * Ahead<T>::line;
            begin += m_size[part];
        }
    }

    /// Moves on to the following pair; false if fewer than two rows are left.
    APPA_ALWAYS_INLINE bool next()
    {
        if (m_left < 2)
            return false;
        m_left -= 2;
        m_first += 2;
        // Each pair is now asked for its next part, and one more for its first.
        const Index pairs = m_ahead.pairs;
        for (Index part = pairs - 1; part > 0; --part) {
            const Two<const T *> &before = m_ahead.parts[part - 1];
            m_ahead.parts[part] = {before.first + m_size[part - 1], before.second + m_size[part - 1]};
        }
        slot(2 * pairs) = draw();
        slot(2 * pairs + 1) = draw();
        m_ahead.parts[0] = {m_A.row(row(2 * pairs)), m_A.row(row(2 * pairs + 1))};
        return true;
    }
    /// The rows of this pair (0, 1), of the one that comes next (2, 3), and so on.
    Index row(Index k) const { return m_rows[(m_first + k) % ring]; }
    const Ahead<T> &ahead() const { return m_ahead; }
    /// The rows that were drawn last: what else goes with them is best asked for now.
    Index farthest(Index k) const { return row(2 * m_ahead.pairs + k); }
    /// The row that is left over where `count` is odd, after the last pair; -1 where it is even.
    Index last() const { return m_left == 1 ? row(2) : -1; }

private:
    static constexpr Index ring = 16;
    static_assert(2 * (Ahead<T>::mostPairs + 1) <= ring);

    Index &slot(Index k) { return m_rows[(m_first + k) % ring]; }
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
    Index m_size[Ahead<T>::mostPairs]; ///< of each part, in numbers
    Ahead<T> m_ahead;
};

} // namespace appa
