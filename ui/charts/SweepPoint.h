#pragma once

#include "methods/Registry.h"

#include <QColor>
#include <QString>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace appa::ui {

/// One run of a study: the values after each stage, index 0 being the start.
struct SweepPoint
{
    QString method; ///< id
    QString inner;
    double lambda = 0;
    std::uint64_t seed = 1;
    std::vector<double> loss;      ///< F after 0, 1, .. stages; shorter if it diverged
    std::vector<double> testError; ///< same length, or empty
    std::vector<double> passes;    ///< same length, or empty
    std::optional<int> divergedAt; ///< the stage
};

/// How a method of the study is drawn.
struct SweepMethod
{
    QString method;
    QString inner;
    QString label;
    QColor colour; ///< invalid: chosen by its place
    MethodFamily family = MethodFamily::Reduction;
    LambdaMeaning lambda = LambdaMeaning::ProximalWeight;
};

enum class SweepQuantity { Excess, Loss, TestError, PassesToTarget };

struct SweepData
{
    std::vector<SweepMethod> methods;
    std::vector<SweepPoint> points;
    std::vector<double> lambdas;                       ///< of the plan, ascending: the axes have room for all of them
    std::optional<double> optimum;                     ///< F_opt; without it Excess falls back to Loss, and says so
    double optimumFloor = 0;                           ///< resolution of the excess
    std::vector<std::pair<double, double>> ridgeFloor; ///< (lambda, ls(lambda)) as values of F
    SweepQuantity quantity = SweepQuantity::Excess;
    double target = 1e-3; ///< of PassesToTarget: excess (or loss) to reach
    int stage = -1;       ///< after this many stages; -1: the last
};

} // namespace appa::ui
