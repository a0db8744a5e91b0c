#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>

/// Operator new that has no more than a moment's memory. Eigen takes its own from malloc. For one file of a program.
static std::atomic<std::size_t> largestAllocation = SIZE_MAX;
/// This thread goes on as ever.
static thread_local bool hasMemoryOfItsOwn = false;

void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept
{
    return bytes <= largestAllocation || hasMemoryOfItsOwn ? std::malloc(bytes) : nullptr;
}
void *operator new(std::size_t bytes)
{
    if (void *memory = operator new(bytes, std::nothrow))
        return memory;
    throw std::bad_alloc();
}
void operator delete(void *memory) noexcept
{
    std::free(memory);
}
void operator delete(void *memory, std::size_t) noexcept
{
    std::free(memory);
}

/// By default sentences fit in, and the margins of the reference problem (60 rows) do not.
class LittleMemory
{
public:
    explicit LittleMemory(std::size_t most = 470) { largestAllocation = most; }
    ~LittleMemory() { largestAllocation = SIZE_MAX; }
    LittleMemory(const LittleMemory &) = delete;
    LittleMemory &operator=(const LittleMemory &) = delete;
};
