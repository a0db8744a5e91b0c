#include "HeadlessQt.h"

#include "DecimalPoint.h"

namespace appa {

HeadlessQt::HeadlessQt()
{
    if (QCoreApplication::instance())
        return;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    // Where nobody is logged in there is no XDG_RUNTIME_DIR; a figure does not need it, and nobody need be told.
    static QtMessageHandler before = nullptr;
    before = qInstallMessageHandler([](QtMsgType type, const QMessageLogContext &context, const QString &message) {
        if (!message.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR")) && before)
            before(type, context, message);
    });
    m_application = std::make_unique<QGuiApplication>(m_count, m_arguments);
    keepDecimalPoint();
}

} // namespace appa
