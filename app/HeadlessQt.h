#pragma once

#include <QGuiApplication>

#include <memory>

namespace appa {

/// Drawing text needs a QGuiApplication; on the command line there is none, and no screen either. If there is one
/// already, that one serves.
class HeadlessQt
{
public:
    HeadlessQt();

private:
    int m_count = 1;
    char m_name[9] = "appa-lab";
    char *m_arguments[2] = {m_name, nullptr};
    std::unique_ptr<QGuiApplication> m_application;
};

} // namespace appa
