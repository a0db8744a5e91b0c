#pragma once

#if defined(__linux__)
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace appa {

/// Who steps back when there are not enough cores: the window and the solvers come first, then what is measured and
/// loaded, then what is only compared with (F_opt, floors, constants).
enum class Priority { Normal = 0, Beside = 5, Behind = 10 };

/// Of the calling thread and those it will start. On Linux a thread has a niceness of its own, which can only be
/// raised; elsewhere nothing happens.
inline void lowerPriority(Priority priority)
{
#if defined(__linux__)
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), static_cast<int>(priority));
#else
    static_cast<void>(priority);
#endif
}

} // namespace appa
