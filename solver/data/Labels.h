#pragma once

#include "base/Result.h"
#include "data/Dataset.h"
#include "data/loaders/Loaders.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace appa {

/// A ready-made choice of positive classes.
struct LabelPreset
{
    std::string_view name;
    std::string_view description;
    std::vector<std::string> classes;
};

/// "12457" (MNIST), "animals" and "vehicles" (CIFAR-10). The word "classes" keeps the classes, for softmax.
std::span<const LabelPreset> labelPresets();

/// What the recipe says about labels.
struct LabelChoice
{
    std::vector<std::string> positive; ///< classes by number or name, a preset's name, or "classes"
    bool regression = false;
};

/// Gives the labels of both parts their meaning and says so in the provenance. `test` may be null.
Result<Dataset> applyLabels(RawTable &train, RawTable *test, const LabelChoice &choice);
/// Says in the provenance which part, after all transforms, has rows of one class only.
void noteLoneClasses(Dataset &data);

} // namespace appa
