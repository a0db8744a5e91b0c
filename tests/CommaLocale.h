#pragma once

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <clocale>

/// A locale with a decimal comma, made for the test: few machines have one installed.
class CommaLocale
{
public:
    CommaLocale()
    {
        const QString program = QStandardPaths::findExecutable("localedef");
        if (program.isEmpty())
            return;
        m_made = QProcess::execute(program, {"-i", "de_DE", "-f", "UTF-8", m_folder.filePath(name)}) == 0;
    }
    bool isMade() const { return m_made; }
    QString folder() const { return m_folder.path(); } ///< for LOCPATH

    static constexpr const char *name = "de_DE.UTF-8";

    /// printf's numbers have a comma from here to the end of the block.
    class InUse
    {
    public:
        explicit InUse(const CommaLocale &locale)
        {
            qputenv("LOCPATH", locale.folder().toLocal8Bit());
            m_holds = std::setlocale(LC_NUMERIC, name) != nullptr;
        }
        InUse(const InUse &) = delete;
        InUse &operator=(const InUse &) = delete;
        ~InUse()
        {
            std::setlocale(LC_NUMERIC, "C");
            qunsetenv("LOCPATH");
        }
        bool holds() const { return m_holds; }

    private:
        bool m_holds = false;
    };

private:
    QTemporaryDir m_folder;
    bool m_made = false;
};
