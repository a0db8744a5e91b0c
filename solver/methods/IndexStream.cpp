#include "methods/IndexStream.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace appa {

namespace {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ull;
constexpr Index lookAhead = 32;

} // namespace

void IndexStream::beginStage(Index stage)
{
    m_state = m_base + static_cast<std::uint64_t>(stage);
    m_position = m_ready = 0;
}

std::uint64_t IndexStream::bits()
{
    m_state += golden;
    return mix64(m_state);
}

Index IndexStream::nextOf()
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
    if (m_position == 0) {
        m_key = bits();
        m_permutation.resize(static_cast<std::size_t>(m_n));
        std::iota(m_permutation.begin(), m_permutation.end(), 0u);
        m_shuffled = 0;
    }
    if (m_shuffled < std::min(m_n, m_position + lookAhead))
        shuffleOn();
    // Some are always known ahead, and the last one is taken here, since a new permutation follows it.
    m_ready = m_shuffled < m_n ? m_shuffled - lookAhead + 1 : m_n - 1;
    const Index i = m_permutation[static_cast<std::size_t>(m_position)];
    if (++m_position == m_n)
        m_position = m_ready = 0;
    return i;
}

Index IndexStream::ahead(Index k) const
{
    switch (m_order) {
    case Order::Random:
        return static_cast<Index>(mix64(m_state + static_cast<std::uint64_t>(k + 1) * golden)
                                  % static_cast<std::uint64_t>(m_n));
    case Order::Cyclic:
        return (m_position + k) % m_n;
    case Order::Permutation:
        break;
    }
    const Index at = m_position + k;
    return m_position > 0 && at < m_shuffled ? m_permutation[static_cast<std::size_t>(at)] : 0;
}

double IndexStream::uniform()
{
    return static_cast<double>(bits() >> 11) * 0x1p-53;
}

void IndexStream::setOrder(Order order)
{
    m_order = order;
    m_position = m_ready = 0;
}

void IndexStream::shuffleOn()
{
    // Some elements at a time: a whole shuffle would keep a run with millions of rows from answering.
    const Index end = std::min(m_n, m_position + 4 * lookAhead);
    for (Index k = m_shuffled; k < end; ++k) {
        const std::uint64_t draw = mix64(m_key + static_cast<std::uint64_t>(k) * golden);
        const Index other = k + static_cast<Index>(draw % static_cast<std::uint64_t>(m_n - k));
        std::swap(m_permutation[static_cast<std::size_t>(k)], m_permutation[static_cast<std::size_t>(other)]);
    }
    m_shuffled = end;
}

} // namespace appa
