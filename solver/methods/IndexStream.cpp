#include "methods/IndexStream.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace appa {

namespace {

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ull;
constexpr Index lookAhead = 32;

/// floor(bits count / 2^64): `bits` as a number below `count`, in a fraction of a division's time.
std::uint64_t scaled(std::uint64_t bits, std::uint64_t count)
{
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(bits) * count) >> 64);
}

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
        return remainder(bits());
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
        for (Index k = 0; k < std::min(m_n, static_cast<Index>(m_partners.size())); ++k)
            m_partners[static_cast<std::size_t>(k)] = partner(k);
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

Index IndexStream::remainder(std::uint64_t bits) const
{
    // The quotient by way of the reciprocal is right or one too small.
    const auto n = static_cast<std::uint64_t>(m_n);
    const std::uint64_t rest = bits - scaled(bits, m_reciprocal) * n;
    return static_cast<Index>(rest < n ? rest : rest - n);
}

Index IndexStream::ahead(Index k) const
{
    switch (m_order) {
    case Order::Random:
        return remainder(mix64(m_state + static_cast<std::uint64_t>(k + 1) * golden));
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

std::uint32_t IndexStream::partner(Index k) const
{
    const std::uint64_t draw = mix64(m_key + static_cast<std::uint64_t>(k) * golden);
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(k)
                                      + scaled(draw, static_cast<std::uint64_t>(m_n - k)));
}

void IndexStream::shuffleOn()
{
    // Not all at once, which would keep a run with millions of rows from answering; but many, since between steps, when
    // the caches are busy with rows, each start takes as long as some steps.
    constexpr Index many = Index{1} << 16; // a quarter of a millisecond
    const Index end = std::min(m_n, m_position + lookAhead + many);
    const Index some = static_cast<Index>(m_partners.size());
    for (Index k = m_shuffled; k < end; ++k) {
        std::uint32_t &other = m_partners[static_cast<std::size_t>(k % some)];
        std::swap(m_permutation[static_cast<std::size_t>(k)], m_permutation[other]);
        other = partner(std::min(k + some, m_n - 1));
        __builtin_prefetch(&m_permutation[other], 1);
    }
    m_shuffled = end;
}

} // namespace appa
