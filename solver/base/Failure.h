#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

namespace appa {

/// Does `work`. Returns "" or, if it threw, the sentence for the user: an exception must not leave a thread.
/// `purpose` completes "could not ..".
template <class Work> std::string failureOf(const std::string &purpose, Work &&work)
{
    try {
        std::forward<Work>(work)();
        return {};
    } catch (const std::bad_alloc &) {
        return "The memory did not suffice to " + purpose + ".";
    } catch (const std::exception &e) {
        return "It was not possible to " + purpose + ": " + e.what() + ".";
    }
}

} // namespace appa
