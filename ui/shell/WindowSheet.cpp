#include "shell/WindowSheet.h"

namespace appa::ui {

QString windowSheet(const Theme &t)
{
    const auto px = [&t](double v) { return QString::number(qRound(v * t.scale)); };
    QString sheet = QStringLiteral(R"(
#side { background: @panel; }
#side QScrollArea, #sideContent { background: @panel; border: none; }
#toolLabel { color: @muted; padding: 0 @p4px 0 @p8px; }
#muted { color: @muted; font-size: @smallpx; }
#fieldError[level="error"] { color: @danger; font-size: @smallpx; }
#fieldError[level="note"] { color: @warning; font-size: @smallpx; }
#sectionTitle { font-weight: 600; text-align: left; padding: @p6px @p8px; color: @text; border: 1px solid transparent; border-radius: 0; border-top-color: @separator; }
#sectionTitle:checked { background: transparent; color: @text; }
#sectionTitle:hover { background: @hover; }
#sectionTitle:focus { border-color: @accent; }
#fold { padding: 0; color: @muted; border: 1px solid transparent; border-radius: 3px; font-size: @smallpx; }
#fold:focus { border-color: @accent; }
#fold:checked { background: transparent; color: @muted; }
#fold:hover { color: @text; background: transparent; }
#runButton { background: @fill; color: @onaccent; padding: @p4px @p12px; }
#runButton:hover { background: @fillhover; }
#runButton:disabled { background: @separator; color: @faint; }
#menuButton::menu-indicator, #addTransform::menu-indicator { image: none; width: 0; }
#tableTitle { color: @text; font-weight: 600; }
#tableHead { background: @panel; border-bottom: 1px solid @separator; border-top: 1px solid @separator; }
#transformList { border: 1px solid @separator; border-radius: 4px; background: @base; }
#transformList::item { padding: @p2px @p6px; }
#transformList::item:selected { background: @selection; color: @onsel; }
#lessonBar { background: @panel; border: none; border-bottom: 1px solid @separator; }
#lessonButton, #lessonBack { padding: @p4px @p8px; }
#lessonNext { background: @fill; color: @onaccent; font-weight: 600; padding: @p4px @p24px; }
#lessonNext:hover { background: @fillhover; }
#lessonNext:disabled { background: @separator; color: @faint; }
#emptyTitle { font-size: @titlepx; font-weight: 600; }
QTabWidget::tab-bar { left: @p8px; }
QStatusBar QLabel { color: @muted; }
QStatusBar QToolButton { padding: 0 @p6px; }
QTextBrowser, QPlainTextEdit { background: @base; }
QMenu { background: @panel; border: 1px solid @separator; padding: @p4px; }
QMenu::item { padding: @p6px @p24px @p6px @p28px; border-radius: 4px; }
QMenu::item:selected { background: @selection; color: @onsel; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: 1px; background: @separator; margin: @p4px @p8px; }
QMenu::icon { padding-left: @p8px; }
QMenu::indicator { left: @p8px; }
QComboBox QAbstractItemView { background: @panel; border: 1px solid @separator; selection-background-color: @selection; selection-color: @onsel; outline: none; padding: @p4px; }
QComboBox QAbstractItemView::item { min-height: @p24px; padding: 0 @p4px; }
QScrollBar:vertical { background: transparent; width: @p10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: @p10px; margin: 0; }
QScrollBar::handle { background: @thumb; border-radius: @p3px; margin: @p2px; }
QScrollBar::handle:vertical { min-height: @p28px; }
QScrollBar::handle:horizontal { min-width: @p28px; }
QScrollBar::handle:hover { background: @outline; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
)");
    const QColor hover = t.isDark ? QColor(0x2a2e35) : QColor(0xebeef2);
    const QColor thumb = t.isDark ? QColor(0x3b424b) : QColor(0xc9cfd6);
    // Longer names first: "@fill" is the beginning of "@fillhover".
    const std::pair<const char *, QString> tokens[] = {
        {"@fillhover", t.isDark ? t.accentFill.lighter(115).name() : t.accentFill.darker(108).name()},
        {"@fill", t.accentFill.name()},
        {"@accent", t.accent.name()},
        {"@onaccent", t.accentText.name()},
        {"@onsel", t.selectionText.name()},
        {"@panel", t.panel.name()},
        {"@muted", t.textMuted.name()},
        {"@danger", t.danger.name()},
        {"@warning", t.warning.name()},
        {"@text", t.text.name()},
        {"@separator", t.separator.name()},
        {"@selection", t.selection.name()},
        {"@hover", hover.name()},
        {"@thumb", thumb.name()},
        {"@outline", t.outline.name()},
        {"@base", t.base.name()},
        {"@faint", t.textFaint.name()},
        {"@smallpx", px(11.5) + QStringLiteral("px")},
        {"@titlepx", px(16) + QStringLiteral("px")},
    };
    for (const auto &[token, value] : tokens)
        sheet.replace(QLatin1String(token), value);
    for (const int size : {28, 24, 12, 10, 8, 6, 4, 3, 2})
        sheet.replace(QStringLiteral("@p%1px").arg(size), px(size) + QStringLiteral("px"));
    return sheet;
}

} // namespace appa::ui
