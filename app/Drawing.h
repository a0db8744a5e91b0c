#pragma once

#include <memory>

class QGuiApplication;

namespace appa::cli {

/// What drawing text needs on the command line, where there is no application and no screen. Does nothing if there is
/// an application already.
class Drawing
{
public:
    Drawing();
    ~Drawing();
    Drawing(const Drawing &) = delete;
    Drawing &operator=(const Drawing &) = delete;

private:
    char m_name[9] = "appa-lab";
    char *m_arguments[2] = {m_name, nullptr};
    int m_count = 1;
    std::unique_ptr<QGuiApplication> m_application;
};

} // namespace appa::cli
