#include "dialogs/CheatSheet.h"

#include <QDialogButtonBox>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace appa::ui {

CheatSheet::CheatSheet(const QList<Group> &groups, const Theme &theme, QWidget *parent) : QDialog(parent)
{
    setWindowTitle(tr("Keys and gestures"));
    setModal(false);
    setAttribute(Qt::WA_DeleteOnClose);
    auto *text = new QTextBrowser(this);
    text->setFrameShape(QFrame::NoFrame);
    text->document()->setDocumentMargin(16);
    const auto table = [&](const Group &group) {
        QString out = QStringLiteral("<p class='h'>%1</p><table>").arg(group.title);
        for (const QAction *action : group.actions) {
            if (!action || action->shortcut().isEmpty())
                continue;
            QString name = action->text();
            out += QStringLiteral("<tr><td class='k'>%1</td><td>%2</td></tr>")
                       .arg(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped(),
                            (action->statusTip().isEmpty() ? name : action->statusTip()).toHtmlEscaped());
        }
        return out + QStringLiteral("</table>");
    };
    QString left;
    QString middle;
    QString right;
    for (qsizetype i = 0; i < groups.size(); ++i)
        (i < 2 || i == 5 ? left : i < 4 ? middle : right) += table(groups[i]); // equally long columns
    middle += tr("<p class='h'>Tabs</p><table>"
                 "<tr><td class='k'>Alt+1 … Alt+6</td><td>curves, sensitivity, stages, landscape, theory, "
                 "log</td></tr></table>"
                 "<p class='h'>In a number field</p><table>"
                 "<tr><td class='k'>Up, Down</td><td>a tenth of a decade</td></tr>"
                 "<tr><td class='k'>PgUp, PgDn</td><td>a decade</td></tr></table>");
    right += tr("<p class='h'>In the charts and the landscape</p><table>"
                "<tr><td class='k'>Wheel</td><td>zoom about the cursor</td></tr>"
                "<tr><td class='k'>Drag</td><td>zoom into a rectangle</td></tr>"
                "<tr><td class='k'>Ctrl+drag</td><td>pan (or the middle button, or Alt+drag)</td></tr>"
                "<tr><td class='k'>Double-click</td><td>fit</td></tr>"
                "<tr><td class='k'>Click a name</td><td>hide or show the run</td></tr></table>"
                "<p class='h'>In the charts only</p><table>"
                "<tr><td class='k'>Wheel over an axis</td><td>zoom that axis only</td></tr>"
                "<tr><td class='k'>A, B</td><td>two cursors, with the differences between them (or Shift+click, or the "
                "right button’s menu); the arrows move one placed without the mouse; Escape removes them</td></tr>"
                "<tr><td class='k'>Double-click a name</td><td>show only this one</td></tr></table>"
                "<p class='h'>In the table of runs</p><table>"
                "<tr><td class='k'>Ctrl+click</td><td>select several runs: Space, Ctrl+., H and Del act on all "
                "of them</td></tr></table>");
    text->setHtml(
        QStringLiteral(
            "<style>.h { font-weight: 600; margin: 12px 0 4px 0; font-size: %1px; } td { padding: 2px 14px 2px 0; } "
            ".k { color: %2; font-weight: 600; white-space: nowrap; }</style>"
            "<table width='100%'><tr><td width='34%' valign='top'>%3</td><td width='33%' valign='top'>%4</td>"
            "<td width='33%' valign='top'>%5</td></tr></table>")
            .arg(theme.font(TextRole::Title).pixelSize())
            .arg(theme.accent.name(), left, middle, right));
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 12);
    layout->addWidget(text);
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(12, 0, 12, 0);
    bar->addWidget(buttons);
    layout->addLayout(bar);
    const QSize room = parent ? parent->size() : QSize(1200, 800);
    resize(std::min(theme.space(170), room.width() - 40), std::min(theme.space(102), room.height() - 60));
}

} // namespace appa::ui
