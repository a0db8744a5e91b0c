#pragma once

#include "base/Result.h"
#include "data/Parallel.h"

#include <map>
#include <string>
#include <vector>

namespace appa {

/// Inflates a .gz file to `target`. Nothing appears under that name until all of it is there.
Result<std::string> unpackGz(const std::string &archive, const std::string &target, const ProgressRange &range);

/// Unpacks those members of a .tar.gz whose base name is in `wanted` to `folder`, under their base names. All or none.
Result<std::vector<std::string>> unpackTarGz(const std::string &archive, const std::vector<std::string> &wanted,
                                             const std::string &folder, const ProgressRange &range);

/// The same members, in memory.
Result<std::map<std::string, std::string>> readTarGz(const std::string &archive, const std::vector<std::string> &wanted,
                                                     const ProgressRange &range);

} // namespace appa
