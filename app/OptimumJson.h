#pragma once

#include "JsonNumber.h"

#include "problem/Optimum.h"

namespace appa::cli {

/// As `appa-lab run --json` and `appa-lab optimum --json` name what is known of F_opt; also where it is not attained.
inline nlohmann::ordered_json optimumJson(const Optimum &optimum)
{
    nlohmann::ordered_json json;
    json["f_opt"] = jsonNumber(optimum.value);
    json["certificate"] = jsonNumber(optimum.certificate);
    json["floor"] = jsonNumber(optimum.floor);
    json["attained"] = optimum.attained;
    json["known"] = optimum.known;
    json["message"] = optimum.message;
    return json;
}

} // namespace appa::cli
