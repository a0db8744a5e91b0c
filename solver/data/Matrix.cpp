#include "data/Matrix.h"

#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace appa {

namespace {

constexpr std::size_t hugePage = std::size_t{2} << 20;

std::size_t roundUp(std::size_t bytes, std::size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

std::size_t pageSize()
{
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

char *map(std::size_t bytes)
{
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        throw std::bad_alloc();
    return static_cast<char *>(p);
}

} // namespace

void useHugePages(const void *data, std::size_t bytes)
{
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t first = roundUp(begin, hugePage);
    const std::uintptr_t last = (begin + bytes) / hugePage * hugePage;
    if (first + hugePage > last)
        return;
    auto *p = reinterpret_cast<void *>(first);
    madvise(p, last - first, MADV_HUGEPAGE);
    // Linux 6.1 does it at once (older C libraries have no name for it); before that the kernel gets to it by and by.
    constexpr int collapse = 25;
    madvise(p, last - first, collapse);
}

PageBuffer::PageBuffer(std::size_t bytes)
{
    if (bytes == 0)
        return;
    if (bytes > (std::size_t{1} << 47))
        throw std::bad_alloc();
    const std::size_t need = roundUp(bytes, pageSize());
    if (need < 2 * hugePage) {
        m_data = map(need);
    } else {
        // One huge page more than needed, cut at both ends, so that the start lies on a 2-MiB boundary.
        char *p = map(need + hugePage);
        const auto address = reinterpret_cast<std::uintptr_t>(p);
        const std::size_t head = roundUp(address, hugePage) - address;
        if (head > 0)
            munmap(p, head);
        if (head < hugePage)
            munmap(p + head + need, hugePage - head);
        m_data = p + head;
        madvise(m_data, need, MADV_HUGEPAGE);
    }
    m_bytes = bytes;
}

PageBuffer::~PageBuffer()
{
    if (m_data)
        munmap(m_data, roundUp(m_bytes, pageSize()));
}

} // namespace appa
