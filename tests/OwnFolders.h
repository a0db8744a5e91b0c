#pragma once

#include <QCoreApplication>
#include <QSettings>
#include <QTemporaryDir>

/// Settings, caches, data and state of the test's own, which go when it ends: neither the user's nor those that another
/// test, or the same one yesterday, has left.
class OwnFolders
{
public:
    OwnFolders()
    {
        QCoreApplication::setOrganizationName(QStringLiteral("appa-lab-test"));
        for (const char *kind : {"STATE", "CACHE", "CONFIG", "DATA"})
            qputenv(qPrintable(QStringLiteral("XDG_%1_HOME").arg(QLatin1String(kind))),
                    m_folder.filePath(QLatin1String(kind)).toLocal8Bit());
        for (const auto format : {QSettings::NativeFormat, QSettings::IniFormat}) // found out once a process
            QSettings::setPath(format, QSettings::UserScope, m_folder.filePath(QStringLiteral("CONFIG")));
    }
    QString path() const { return m_folder.path(); }
    QString filePath(const QString &name) const { return m_folder.filePath(name); }

private:
    QTemporaryDir m_folder;
};
