#pragma once

#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace appa::testing {

/// Counts how many of a buffer's pages are read: they are made unreadable, and the fault of each first read is counted.
/// Whatever reads them is seen, whether it counts its accesses or not. One at a time; the buffer must not be written
/// to.
class TouchedPages
{
public:
    TouchedPages(const void *begin, std::size_t bytes)
    {
        const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        const auto first = reinterpret_cast<std::uintptr_t>(begin);
        s_begin = (first + page - 1) / page * page;
        s_end = (first + bytes) / page * page;
        s_page = page;
        struct sigaction action = {};
        action.sa_sigaction = &TouchedPages::onFault;
        action.sa_flags = SA_SIGINFO;
        ::sigaction(SIGSEGV, &action, &s_before);
    }
    ~TouchedPages()
    {
        protect(PROT_READ | PROT_WRITE);
        ::sigaction(SIGSEGV, &s_before, nullptr);
    }
    TouchedPages(const TouchedPages &) = delete;
    TouchedPages &operator=(const TouchedPages &) = delete;

    /// The pages that `f` reads.
    template <class F> long during(F &&f)
    {
        s_count = 0;
        protect(PROT_NONE);
        f();
        protect(PROT_READ | PROT_WRITE);
        return s_count;
    }

private:
    static void protect(int how)
    {
        if (::mprotect(reinterpret_cast<void *>(s_begin), s_end - s_begin, how) != 0)
            throw std::runtime_error("mprotect failed");
    }
    static void onFault(int, siginfo_t *info, void *)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
        if (address < s_begin || address >= s_end) { // a fault of its own kind
            ::sigaction(SIGSEGV, &s_before, nullptr);
            return;
        }
        s_count = s_count + 1;
        ::mprotect(reinterpret_cast<void *>(address / s_page * s_page), s_page, PROT_READ);
    }

    inline static std::uintptr_t s_begin = 0, s_end = 0, s_page = 4096;
    inline static volatile long s_count = 0;
    inline static struct sigaction s_before = {};
};

} // namespace appa::testing
