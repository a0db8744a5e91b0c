#pragma once

#include "problem/losses/Logistic.h"
#include "problem/losses/SmoothedHinge.h"
#include "problem/losses/Softmax.h"
#include "problem/losses/Squared.h"

#include "base/Result.h"

#include <concepts>
#include <string_view>
#include <variant>
#include <vector>

namespace appa {

/// The registry of losses: a new loss is one file in losses/ and one name here.
using AnyLoss = std::variant<SquaredLoss, LogisticLoss, SmoothedHingeLoss, SoftmaxLoss>;

/// phi_i of one margin, as opposed to softmax's K.
template <class Loss> inline constexpr bool isScalarLoss = requires(const Loss &loss)
{
    {
        loss.derivative(0.0, 0.0)
        } -> std::same_as<double>;
};

struct LossInfo
{
    std::string_view id;      ///< as on the command line
    std::string_view label;   ///< as in the window
    std::string_view formula; ///< for the help
    bool hasDual = true;
};

const std::vector<LossInfo> &losses();
/// The loss by its id, with weight w = 1/n (and K classes, where it needs them).
Result<AnyLoss> makeLoss(std::string_view id, long long n, int classes);
const LossInfo &infoOf(const AnyLoss &loss);

} // namespace appa
