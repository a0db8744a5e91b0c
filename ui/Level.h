#pragma once

namespace appa::ui {

/// How much a sentence matters: information goes by itself, the others stay until they are read.
enum class Level { Info, Warning, Error };

} // namespace appa::ui
