#pragma once

#include <clocale>

namespace appa {

/// Qt's applications take over the user's locale, and with it printf's decimal comma. What is printed and what is
/// written into files keeps the point; what the window shows is QLocale's. To be called after their constructors.
inline void keepDecimalPoint()
{
    std::setlocale(LC_NUMERIC, "C");
}

} // namespace appa
