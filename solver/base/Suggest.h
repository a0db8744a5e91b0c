#pragma once

#include <string>
#include <vector>

namespace appa {

/// The candidate that is few enough typing errors away from `word`; "" if none is.
std::string nearest(const std::string &word, const std::vector<std::string> &candidates);
/// " Did you mean "...?" or "".
std::string didYouMean(const std::string &word, const std::vector<std::string> &candidates);

} // namespace appa
