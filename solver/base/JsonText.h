#pragma once

#include <string>

namespace appa {

/// A value of nlohmann's library as indented text. Names and paths may not be UTF-8: what cannot be written is
/// replaced.
template <class Json> std::string jsonText(const Json &json)
{
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace appa
