#pragma once

#include "run/Session.h"

#include <nlohmann/json.hpp>

namespace appa {

using Json = nlohmann::json;

/// The content of a session file. Numbers are written so that they read back to the same bits; NaN is null.
Json toJson(const Session &session);
/// Throws Json::exception where something is missing or of the wrong type.
Session sessionFrom(const Json &json);

Json toJson(const DataRecipe &recipe);
DataRecipe recipeFrom(const Json &json);

} // namespace appa
