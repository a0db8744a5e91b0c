#pragma once

#include <clocale>

namespace appa {

/// Qt's applications take over the user's locale, and with it printf's decimal comma. What is printed, written into
/// files and shown keeps the point; only a date is QLocale's. To be called after their constructors.
inline void keepDecimalPoint()
{
    std::setlocale(LC_NUMERIC, "C");
}

} // namespace appa
