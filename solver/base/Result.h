#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace appa {

/// Something a user can do about data that is not read as it was meant. The sentence that advises it names no option or
/// field: the command line adds what it is called there, the window's open dialog does it at a click.
enum class Remedy {
    Regression,      ///< keep the targets as real numbers
    PositiveClasses, ///< say which classes become +1
    ChooseLabel,     ///< take another column as the label
    WordsAsColumns,  ///< turn words into columns of zeros and ones
    SkipRows,        ///< leave out rows with missing values
    FillMeans,       ///< take the column's mean for missing values
    DropColumn,      ///< leave the column out
    DoublePrecision, ///< store the features in double precision
    TakeTestFile     ///< take the file that lies beside the data's as its test set
};

/// What went wrong, as a sentence a user can act on. The kind decides the exit code of the command line.
struct Error
{
    enum class Kind { Usage, Data, Io, Cancelled };

    Kind kind = Kind::Data;
    std::string message;
    std::vector<Remedy> remedies = {}; ///< what the sentence advises, in its order
    std::string column = {}; ///< of a table, the one it is about, as a recipe names it; "" if none, or several
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
