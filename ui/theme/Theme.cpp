#include "theme/Theme.h"

#include "methods/Registry.h"

#include <QApplication>
#include <QFontDatabase>
#include <QFontInfo>
#include <QStyle>
#include <QStyleFactory>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace appa::ui {

namespace {

// Eight hues that stay apart under protanopia, deuteranopia and tritanopia; lightness differs too, and each family of
// methods has its own dash, so that colour never carries a distinction alone.
constexpr std::array<QRgb, 8> seriesOnLight = {0xff0072b2, 0xffc24e00, 0xff00805c, 0xffb0478a,
                                               0xff2a8fd0, 0xff9a6b00, 0xff5b4bb0, 0xff5f676e};
constexpr std::array<QRgb, 8> seriesOnDark = {0xff4ba3e3, 0xfff08a3c, 0xff2fc08f, 0xffe58bbf,
                                              0xff8fd3ff, 0xffe8c04a, 0xffa79bf5, 0xffa9b3bc};

double linearized(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

double luminance(const QColor &c)
{
    return 0.2126 * linearized(c.redF()) + 0.7152 * linearized(c.greenF()) + 0.0722 * linearized(c.blueF());
}

} // namespace

double contrastRatio(const QColor &a, const QColor &b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

QString uiFontFamily()
{
    static const QString family = [] {
        const QStringList installed = QFontDatabase::families();
        for (const char *name : {"Inter", "Inter Variable", "Noto Sans", "Cantarell", "DejaVu Sans"}) {
            if (installed.contains(QLatin1String(name)))
                return QString::fromLatin1(name);
        }
        return QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
    }();
    return family;
}

Theme Theme::light(double scale)
{
    Theme t;
    t.scale = scale;
    t.window = QColor(0xf4f5f7);
    t.panel = QColor(0xfafbfc);
    t.base = QColor(0xffffff);
    t.alternate = QColor(0xf7f8fa);
    t.button = QColor(0xffffff);
    t.text = QColor(0x1b1f24);
    t.textMuted = QColor(0x57606a);
    t.textFaint = QColor(0x9aa3ad);
    t.separator = QColor(0xdde1e6);
    t.outline = QColor(0x868f99);
    t.accent = QColor(0x1f6feb);
    t.accentFill = QColor(0x1f6feb);
    t.accentText = QColor(0xffffff);
    t.selection = QColor(0xdbe8fb);
    t.selectionText = QColor(0x1b1f24);
    t.good = QColor(0x1a7f45);
    t.warning = QColor(0x855800);
    t.danger = QColor(0xc9303b);
    t.plot = QColor(0xffffff);
    t.grid = QColor(0xe4e7eb);
    t.gridMinor = QColor(0xf1f3f5);
    t.frame = QColor(0xb9c0c8);
    t.crosshair = QColor(0x57606a);
    return t;
}

Theme Theme::dark(double scale)
{
    Theme t;
    t.isDark = true;
    t.scale = scale;
    t.window = QColor(0x17191d);
    t.panel = QColor(0x1d2025);
    t.base = QColor(0x14161a);
    t.alternate = QColor(0x1a1d21);
    t.button = QColor(0x2a2e35);
    t.text = QColor(0xe7eaee);
    t.textMuted = QColor(0x9ca6b1);
    t.textFaint = QColor(0x626b75);
    t.separator = QColor(0x2e333a);
    t.outline = QColor(0x727c87);
    t.accent = QColor(0x3f8cff);
    t.accentFill = QColor(0x2a69c9);
    t.accentText = QColor(0xffffff);
    t.selection = QColor(0x26364d);
    t.selectionText = QColor(0xf3f6fa);
    t.good = QColor(0x3fb97a);
    t.warning = QColor(0xe0a83a);
    t.danger = QColor(0xf0616d);
    t.plot = QColor(0x14161a);
    t.grid = QColor(0x282c33);
    t.gridMinor = QColor(0x1d2025);
    t.frame = QColor(0x444b54);
    t.crosshair = QColor(0xaab3bd);
    return t;
}

Theme Theme::print(double scale)
{
    Theme t = light(scale);
    t.window = t.panel = t.plot = QColor(0xffffff);
    t.text = QColor(Qt::black);
    t.textMuted = QColor(0x333333);
    t.frame = QColor(0x555555);
    t.grid = QColor(0xdddddd);
    t.gridMinor = QColor(0xf0f0f0);
    return t;
}

namespace {

/// The platform's own answer, kept: later the application's palette is ours.
std::optional<bool> darkSystem;

} // namespace

bool Theme::systemIsDark()
{
    if (!darkSystem)
        darkSystem = QGuiApplication::palette().color(QPalette::Window).lightness() < 128;
    return *darkSystem;
}

void Theme::askSystem()
{
    QApplication::setPalette(QPalette()); // nothing of ours: the platform's shows through
    darkSystem.reset();
    systemIsDark();
}

Theme Theme::make(ThemeMode mode, double scale)
{
    const bool wantDark = mode == ThemeMode::Dark || (mode == ThemeMode::System && systemIsDark());
    return wantDark ? dark(scale) : light(scale);
}

QPalette Theme::palette() const
{
    QPalette p;
    p.setColor(QPalette::Window, window);
    p.setColor(QPalette::WindowText, text);
    p.setColor(QPalette::Base, base);
    p.setColor(QPalette::AlternateBase, alternate);
    p.setColor(QPalette::Text, text);
    p.setColor(QPalette::PlaceholderText, textMuted);
    p.setColor(QPalette::Button, button);
    p.setColor(QPalette::ButtonText, text);
    p.setColor(QPalette::BrightText, danger);
    p.setColor(QPalette::Highlight, accentFill);
    p.setColor(QPalette::HighlightedText, accentText);
    p.setColor(QPalette::Link, accent);
    p.setColor(QPalette::LinkVisited, accent);
    p.setColor(QPalette::ToolTipBase, isDark ? QColor(0x2a2e35) : QColor(0x24292f));
    p.setColor(QPalette::ToolTipText, QColor(0xf0f3f6));
    // Fusion derives its bevels and outlines from these.
    p.setColor(QPalette::Light, isDark ? QColor(0x353a42) : QColor(0xffffff));
    p.setColor(QPalette::Midlight, isDark ? QColor(0x2e333a) : QColor(0xeef0f3));
    p.setColor(QPalette::Mid, separator);
    p.setColor(QPalette::Dark, isDark ? QColor(0x0f1114) : QColor(0xb9c0c8));
    p.setColor(QPalette::Shadow, isDark ? QColor(Qt::black) : QColor(0x868f99));
    for (const QPalette::ColorRole role :
         {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        p.setColor(QPalette::Disabled, role, textFaint);
    p.setColor(QPalette::Disabled, QPalette::Base, window);
    p.setColor(QPalette::Disabled, QPalette::Button, panel);
    p.setColor(QPalette::Disabled, QPalette::Highlight, separator);
    return p;
}

QFont Theme::font(TextRole role) const
{
    QFont f(role == TextRole::Mono ? QFontDatabase::systemFont(QFontDatabase::FixedFont).family() : uiFontFamily());
    double size = 13;
    switch (role) {
    case TextRole::Small:
        size = 11.5;
        break;
    case TextRole::Body:
        break;
    case TextRole::Strong:
        f.setWeight(QFont::DemiBold);
        break;
    case TextRole::Title:
        size = 14;
        f.setWeight(QFont::DemiBold);
        break;
    case TextRole::Display:
        size = 20;
        f.setWeight(QFont::DemiBold);
        break;
    case TextRole::Mono:
        size = 12.5;
        break;
    }
    f.setPixelSize(std::max(7, static_cast<int>(std::lround(size * scale))));
    return f;
}

int Theme::space(double units) const
{
    return static_cast<int>(std::lround(8 * units * scale));
}

QString Theme::styleSheet() const
{
    // Only what Fusion's palette cannot say: flat bars, 1-px separators, equal padding of header and cells.
    const QString sheet = QStringLiteral(R"(
QToolBar { background: @panel; border: none; border-bottom: 1px solid @separator; spacing: @4px; padding: @4px @8px; }
QToolBar::separator { background: @separator; width: 1px; margin: @4px @6px; }
QToolButton { border: 1px solid transparent; border-radius: @4px; padding: @4px @8px; color: @text; background: transparent; }
QToolButton:hover { background: @hover; }
QToolButton:pressed, QToolButton:checked { background: @selection; color: @onsel; }
QToolButton:focus { border-color: @accent; }
QToolButton:disabled { color: @faint; }
QStatusBar { background: @panel; border-top: 1px solid @separator; color: @muted; }
QStatusBar::item { border: none; }
QMenuBar { background: @panel; border-bottom: 1px solid @separator; }
QMainWindow::separator { background: @separator; width: 1px; height: 1px; }
QSplitter::handle { background: @separator; }
QSplitter::handle:horizontal { width: 1px; }
QSplitter::handle:vertical { height: 1px; }
QHeaderView { background: @panel; }
QHeaderView::section { background: @panel; color: @muted; border: none; border-bottom: 1px solid @separator; padding: @4px @8px; }
QTableView { border: none; gridline-color: @separator; selection-background-color: @selection; selection-color: @onsel; alternate-background-color: @alternate; }
QTableView::item { padding: @2px @8px; border: none; }
QTabBar::tab { background: transparent; border: none; border-bottom: 2px solid transparent; padding: @6px @12px; color: @muted; }
QTabBar::tab:selected { color: @text; border-bottom-color: @accent; }
QTabBar::tab:hover { color: @text; }
QTabWidget::pane { border: none; border-top: 1px solid @separator; }
QToolTip { background: @tipbase; color: @tiptext; border: 1px solid @outline; padding: @4px @6px; }
)");
    const QColor hover = isDark ? QColor(0x2a2e35) : QColor(0xebeef2);
    const QPalette colours = palette(); // a tip with a border of the sheet's takes no colour from the palette itself
    QString out = sheet;
    for (const auto &[token, colour] : {std::pair{"@panel", panel},
                                        {"@separator", separator},
                                        {"@text", text},
                                        {"@hover", hover},
                                        {"@selection", selection},
                                        {"@onsel", selectionText},
                                        {"@accent", accent},
                                        {"@faint", textFaint},
                                        {"@muted", textMuted},
                                        {"@alternate", alternate},
                                        {"@outline", outline},
                                        {"@tipbase", colours.color(QPalette::ToolTipBase)},
                                        {"@tiptext", colours.color(QPalette::ToolTipText)}})
        out.replace(QLatin1String(token), colour.name());
    for (const int px : {12, 8, 6, 4, 2})
        out.replace(QStringLiteral("@%1px").arg(px), QStringLiteral("%1px").arg(std::lround(px * scale)));
    return out;
}

void Theme::apply(QApplication &app) const
{
    systemIsDark();
    if (app.style()->objectName() != QLatin1String("fusion") && app.styleSheet().isEmpty())
        app.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    app.setPalette(palette());
    app.setFont(font(TextRole::Body));
    app.setStyleSheet(styleSheet());
}

QColor Theme::series(int index) const
{
    const auto &colours = isDark ? seriesOnDark : seriesOnLight;
    const auto count = static_cast<int>(colours.size());
    return QColor::fromRgb(colours[static_cast<std::size_t>((index % count + count) % count)]);
}

int Theme::seriesCount()
{
    return static_cast<int>(seriesOnLight.size());
}

QList<qreal> Theme::dash(MethodFamily family)
{
    switch (family) {
    case MethodFamily::Reduction:
        return {};
    case MethodFamily::DualCoordinate:
        return {7, 3};
    case MethodFamily::Stochastic:
        return {4, 2};
    case MethodFamily::FullGradient:
        return {9, 2.5, 2, 2.5};
    case MethodFamily::LeastSquares:
        return {9, 2.5, 2, 2.5, 2, 2.5};
    }
    return {};
}

} // namespace appa::ui
