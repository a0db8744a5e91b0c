#include "Drawing.h"

#include <QGuiApplication>

#include <cstdio>
#include <cstdlib>

namespace appa::cli {

namespace {

/// A job on a cluster has no session, so no XDG_RUNTIME_DIR: Qt would say so for every figure, and nobody needs it.
void passOn(QtMsgType type, const QMessageLogContext &context, const QString &message)
{
    if (message.startsWith(QLatin1String("QStandardPaths:")))
        return;
    std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, message)));
    if (type == QtFatalMsg)
        std::abort();
}

} // namespace

Drawing::Drawing()
{
    if (QCoreApplication::instance())
        return;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    qInstallMessageHandler(passOn);
    m_application = std::make_unique<QGuiApplication>(m_count, m_arguments);
}

Drawing::~Drawing() = default;

} // namespace appa::cli
