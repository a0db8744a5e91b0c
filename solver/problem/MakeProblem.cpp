#include "problem/MakeProblem.h"

#include <utility>

namespace appa {

std::string_view fittingLoss(TargetKind kind)
{
    switch (kind) {
    case TargetKind::Real:
        return SquaredLoss::id;
    case TargetKind::Classes:
        return SoftmaxLoss::id;
    case TargetKind::Binary:
        break;
    }
    return LogisticLoss::id;
}

Result<ProblemPtr> makeProblem(DatasetPtr data, std::string_view loss, double ridge)
{
    const auto made = makeLoss(loss.empty() ? fittingLoss(data->kind) : loss, data->train.rows(), data->classes());
    if (!made)
        return made.error();
    if (std::string why = Problem::whyNot(*data, made.value(), ridge); !why.empty())
        return Error{Error::Kind::Usage, std::move(why)};
    return ProblemPtr(std::make_shared<const Problem>(std::move(data), made.value(), ridge));
}

} // namespace appa
