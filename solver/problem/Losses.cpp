#include "problem/Losses.h"

#include <optional>
#include <string>
#include <utility>

namespace appa {

namespace {

/// Calls f with a default value of every alternative of AnyLoss, in order: the variant is the only list of losses.
template <class F> void forEachLoss(F &&f)
{
    [&]<std::size_t... I>(std::index_sequence<I...>)
    {
        (f(std::variant_alternative_t<I, AnyLoss>{}), ...);
    }
    (std::make_index_sequence<std::variant_size_v<AnyLoss>>{});
}

} // namespace

const std::vector<LossInfo> &losses()
{
    static const std::vector<LossInfo> all = [] {
        std::vector<LossInfo> list;
        forEachLoss([&](auto loss) { list.push_back({loss.id, loss.label, loss.formula, loss.hasDual}); });
        return list;
    }();
    return all;
}

Result<AnyLoss> makeLoss(std::string_view id, long long n, int classes)
{
    std::optional<AnyLoss> made;
    std::string known;
    forEachLoss([&](auto loss) {
        known += (known.empty() ? "" : ", ") + std::string(loss.id);
        if (loss.id != id)
            return;
        loss.w = 1 / static_cast<double>(n);
        if constexpr (requires { loss.classes; })
            loss.classes = classes;
        made = loss;
    });
    if (!made)
        return Error{Error::Kind::Usage, "There is no loss '" + std::string(id) + "'. Known losses: " + known + "."};
    if (n < 1)
        return Error{Error::Kind::Data, "A loss needs at least one row of data."};
    return *made;
}

const LossInfo &infoOf(const AnyLoss &loss)
{
    return losses()[loss.index()];
}

} // namespace appa
