#pragma once

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>
#include <QTest>

/// The base of tests that start the program itself, as a user starts it, in a folder of their own.
class ProgramTest : public QObject
{
protected:
    struct Outcome
    {
        int code = -1;
        QByteArray out;
        QByteArray err;
    };

    /// A small problem that every command knows how to make.
    const QStringList smallProblem = {"--data", "ill-conditioned:n=200,d=10,test=50", "--ridge", "0.01", "--precision",
                                      "double"};
    const QStringList smallLogistic = {"--data", "gaussians-2d:n=200", "--ridge", "0.01"};

    ProgramTest()
    {
        if (!m_folder.isValid())
            qFatal("no folder for the test's files");
        for (const char *name : {"XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"})
            m_environment.insert(name, m_folder.path());
        for (const char *name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR"})
            m_environment.remove(name);
    }

    /// Not started yet: in the test's folder, or in one of those in it.
    void prepare(QProcess &process, const QString &folder = {}) const
    {
        process.setProcessEnvironment(m_environment);
        process.setWorkingDirectory(m_folder.filePath(folder));
    }
    /// `shellPrefix`: what a shell does before, "ulimit -f 2;" for example.
    Outcome call(const QStringList &arguments, const QString &shellPrefix = {}, const QString &folder = {}) const
    {
        QProcess process;
        prepare(process, folder);
        if (shellPrefix.isEmpty())
            process.start(APPA_PROGRAM, arguments);
        else
            process.start("/bin/sh", QStringList{"-c", shellPrefix + " exec \"$0\" \"$@\"", APPA_PROGRAM} + arguments);
        if (!process.waitForFinished(120000))
            return {-1, {}, "it did not end"};
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -process.exitCode(),
                process.readAllStandardOutput(), process.readAllStandardError()};
    }
    QByteArray content(const QString &name) const
    {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir m_folder;
    QProcessEnvironment m_environment = QProcessEnvironment::systemEnvironment();
};
