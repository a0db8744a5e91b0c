#include "Window.h"

#include "DecimalPoint.h"
#include "MainWindow.h"

#include "shell/FlatStyle.h"
#include "theme/Icons.h"

#include <QApplication>
#include <QTimer>

namespace appa {

int runWindow(int argc, char **argv)
{
    QApplication app(argc, argv);
    keepDecimalPoint();
    QApplication::setOrganizationName(QStringLiteral("appa-lab"));
    QApplication::setApplicationName(QStringLiteral("appa-lab"));
    QApplication::setApplicationDisplayName(QStringLiteral("APPA Lab"));
    QApplication::setApplicationVersion(QStringLiteral(APPA_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.appalab.AppaLab"));
    ui::Theme::systemIsDark(); // asked while the palette is still the platform's
    auto *style = new ui::FlatStyle;
    QApplication::setStyle(style);
    QApplication::setWindowIcon(ui::applicationIcon());
    MainWindow window(style);
    window.show();
    // The first frame comes before the first data set.
    QTimer::singleShot(0, &window, [&window] { window.begin(QApplication::arguments().mid(1)); });
    return QApplication::exec();
}

} // namespace appa
