#pragma once

#include "problem/losses/Logistic.h"
#include "problem/losses/SmoothedHinge.h"
#include "problem/losses/Softmax.h"
#include "problem/losses/Squared.h"

#include "base/Result.h"

#include <string_view>
#include <variant>
#include <vector>

namespace appa {

/// The registry of losses: a new loss is one file in losses/ and one name here.
using AnyLoss = std::variant<SquaredLoss, LogisticLoss, SmoothedHingeLoss, SoftmaxLoss>;

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
