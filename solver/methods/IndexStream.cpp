#include "methods/IndexStream.h"

#include <numeric>
#include <utility>

namespace appa {

void IndexStream::beginStage(Index stage)
{
    m_state = m_base + static_cast<std::uint64_t>(stage);
    m_position = 0;
}

std::uint64_t IndexStream::bits()
{
    m_state += 0x9E3779B97F4A7C15ull;
    return mix64(m_state);
}

Index IndexStream::next()
{
    switch (m_order) {
    case Order::Random:
        return static_cast<Index>(bits() % static_cast<std::uint64_t>(m_n));
    case Order::Cyclic: {
        const Index i = m_position;
        m_position = i + 1 == m_n ? 0 : i + 1;
        return i;
    }
    case Order::Permutation:
        break;
    }
    if (m_position == 0)
        shuffle();
    const Index i = m_permutation[static_cast<std::size_t>(m_position)];
    m_position = m_position + 1 == m_n ? 0 : m_position + 1;
    return i;
}

Index IndexStream::ahead(Index k) const
{
    switch (m_order) {
    case Order::Random:
        return static_cast<Index>(mix64(m_state + static_cast<std::uint64_t>(k + 1) * 0x9E3779B97F4A7C15ull)
                                  % static_cast<std::uint64_t>(m_n));
    case Order::Cyclic:
        return (m_position + k) % m_n;
    case Order::Permutation:
        break;
    }
    const auto at = static_cast<std::size_t>(m_position + k);
    return m_position > 0 && at < m_permutation.size() ? m_permutation[at] : 0;
}

double IndexStream::uniform()
{
    return static_cast<double>(bits() >> 11) * 0x1p-53;
}

void IndexStream::setOrder(Order order)
{
    m_order = order;
    m_position = 0;
}

void IndexStream::shuffle()
{
    // Always from the identity, so that a permutation depends on the counter alone.
    m_permutation.resize(static_cast<std::size_t>(m_n));
    std::iota(m_permutation.begin(), m_permutation.end(), 0u);
    for (std::size_t k = m_permutation.size(); k > 1; --k)
        std::swap(m_permutation[k - 1], m_permutation[bits() % k]);
}

} // namespace appa
