#pragma once

#include "base/Inline.h"
#include "base/Mix.h"
#include "data/Matrix.h"

#include <array>
#include <cstdint>
#include <vector>

namespace appa {

/// The random choices of a run. Counter-based: draw k of stage t is splitmix64(base + t) number k, so the stream's
/// whole state is (base, stage, k), a restored run needs nothing else, and two forks see the same draws.
class IndexStream
{
public:
    enum class Order { Random, Permutation, Cyclic };

    IndexStream() = default;
    /// `base` scatters a run's seed: see `baseOf`. Tests may give it directly.
    IndexStream(Index n, Order order, std::uint64_t base)
        : m_n(n), m_order(order), m_base(base),
          m_reciprocal(~std::uint64_t{0} / static_cast<std::uint64_t>(n > 0 ? n : 1))
    {
    }
    static std::uint64_t baseOf(std::uint64_t seed) { return mix64(seed + 0x9E3779B97F4A7C15ull); }

    void beginStage(Index stage);
    /// The next row, in the chosen order.
    APPA_ALWAYS_INLINE Index next()
    {
        if (m_position < m_ready) [[likely]] {
            __builtin_prefetch(m_permutation.data() + m_position + 64);
            return m_permutation[static_cast<std::size_t>(m_position++)];
        }
        return nextOf();
    }
    /// The row that the k-th draw from here will give (k = 0: the next), for prefetching; some row where that is
    /// unknown.
    Index ahead(Index k) const;
    double uniform(); ///< in [0, 1), from the same counter
    std::uint64_t bits();
    void setOrder(Order order);
    Order order() const { return m_order; }

private:
    Index nextOf();
    Index remainder(std::uint64_t bits) const; ///< bits % n
    /// What element k of the permutation is swapped with: k or a later one.
    std::uint32_t partner(Index k) const;
    void shuffleOn();

    Index m_n = 0;
    Order m_order = Order::Random;
    std::uint64_t m_base = 0;
    std::uint64_t m_reciprocal = 0; ///< floor((2^64 - 1)/n)
    std::uint64_t m_state = 0;
    Index m_position = 0; ///< within the current permutation or cycle
    std::vector<std::uint32_t> m_permutation;
    std::array<std::uint32_t, 16> m_partners = {}; ///< of the elements that are shuffled next, by their last bits
    Index m_shuffled = 0;                          ///< its first elements, which are final
    Index m_ready = 0;       ///< as far as they can be taken without a further thought; 0 in other orders
    std::uint64_t m_key = 0; ///< the permutation depends on it alone
};

} // namespace appa
