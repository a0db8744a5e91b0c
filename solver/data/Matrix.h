#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace appa {

using Index = std::int64_t;

/// Zero-filled memory from the system, on 2-MiB pages where it is large. Moves, never copies.
class PageBuffer
{
public:
    PageBuffer() = default;
    explicit PageBuffer(std::size_t bytes); ///< throws std::bad_alloc
    PageBuffer(PageBuffer &&other) noexcept
        : m_data(std::exchange(other.m_data, nullptr)), m_bytes(std::exchange(other.m_bytes, 0))
    {
    }
    PageBuffer &operator=(PageBuffer &&other) noexcept
    {
        std::swap(m_data, other.m_data);
        std::swap(m_bytes, other.m_bytes);
        return *this;
    }
    ~PageBuffer();

    void *data() const { return m_data; }
    std::size_t bytes() const { return m_bytes; }

private:
    void *m_data = nullptr;
    std::size_t m_bytes = 0;
};

/// Puts memory that is in use already on 2-MiB pages where the system can: random rows then cost fewer page walks.
void useHugePages(const void *data, std::size_t bytes);

/// Dense rows, one after another, without padding.
template <class T> class DenseMatrix
{
public:
    using Scalar = T;
    static constexpr bool isSparse = false;

    DenseMatrix() = default;
    DenseMatrix(Index rows, Index cols)
        : m_rows(rows), m_cols(cols), m_buffer(static_cast<std::size_t>(rows * cols) * sizeof(T))
    {
    }

    Index rows() const { return m_rows; }
    Index cols() const { return m_cols; }
    const T *row(Index i) const { return static_cast<const T *>(m_buffer.data()) + i * m_cols; }
    T *row(Index i) { return static_cast<T *>(m_buffer.data()) + i * m_cols; }
    Index nonZeros() const { return m_rows * m_cols; }
    std::size_t bytes() const { return m_buffer.bytes(); }

private:
    Index m_rows = 0;
    Index m_cols = 0;
    PageBuffer m_buffer;
};

/// Compressed rows whose (column, value) pairs lie side by side: one cache miss instead of two.
template <class T> class SparseMatrix
{
public:
    using Scalar = T;
    static constexpr bool isSparse = true;

    struct Entry
    {
        std::uint32_t column;
        T value;
    };

    SparseMatrix() = default;
    /// `starts` has rows + 1 entries; columns ascend strictly within a row and are below `cols`.
    SparseMatrix(Index cols, std::vector<Index> starts, std::vector<Entry> entries)
        : m_cols(cols), m_starts(std::move(starts)), m_entries(std::move(entries))
    {
        useHugePages(m_starts.data(), m_starts.size() * sizeof(Index));
        useHugePages(m_entries.data(), m_entries.size() * sizeof(Entry));
    }

    Index rows() const { return static_cast<Index>(m_starts.size()) - 1; }
    Index cols() const { return m_cols; }
    std::span<const Entry> row(Index i) const
    {
        const auto k = static_cast<std::size_t>(i);
        return {m_entries.data() + m_starts[k], static_cast<std::size_t>(m_starts[k + 1] - m_starts[k])};
    }
    std::span<const Index> starts() const { return m_starts; }
    Index nonZeros() const { return static_cast<Index>(m_entries.size()); }
    std::size_t bytes() const { return m_entries.size() * sizeof(Entry) + m_starts.size() * sizeof(Index); }
    /// For changes in place: values may change freely, columns must stay ascending.
    std::span<Entry> entries() { return m_entries; }
    void setCols(Index cols) { m_cols = cols; }

private:
    Index m_cols = 0;
    std::vector<Index> m_starts = {0};
    std::vector<Entry> m_entries;
};

using Features = std::variant<DenseMatrix<float>, DenseMatrix<double>, SparseMatrix<float>, SparseMatrix<double>>;

inline Index rowsOf(const Features &f)
{
    return std::visit([](const auto &A) { return A.rows(); }, f);
}
inline Index colsOf(const Features &f)
{
    return std::visit([](const auto &A) { return A.cols(); }, f);
}
inline Index nonZerosOf(const Features &f)
{
    return std::visit([](const auto &A) { return A.nonZeros(); }, f);
}
inline std::size_t bytesOf(const Features &f)
{
    return std::visit([](const auto &A) { return A.bytes(); }, f);
}
inline bool isSparse(const Features &f)
{
    return std::visit([](const auto &A) { return A.isSparse; }, f);
}

} // namespace appa
