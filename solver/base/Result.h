#pragma once

#include <string>
#include <utility>
#include <variant>

namespace appa {

/// What went wrong, as a sentence a user can act on. The kind decides the exit code of the command line.
struct Error
{
    enum class Kind { Usage, Data, Io, Cancelled };

    Kind kind = Kind::Data;
    std::string message;
};

/// Either a value or an Error: errors are values, never half-made objects.
template <class T> class [[nodiscard]] Result
{
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) { }
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) { }

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    T &value() & { return std::get<0>(m_state); }
    const T &value() const & { return std::get<0>(m_state); }
    T &&value() && { return std::get<0>(std::move(m_state)); }
    const Error &error() const { return std::get<1>(m_state); }

private:
    std::variant<T, Error> m_state;
};

} // namespace appa
