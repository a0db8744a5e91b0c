#include "panels/NowPanel.h"

#include "theme/Format.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <cmath>

namespace appa::ui {

NowPanel::NowPanel(QWidget *parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setObjectName(QStringLiteral("now"));
    setAccessibleName(tr("The current run's figures"));
}

void NowPanel::setTheme(const Theme &theme)
{
    m_theme = theme;
    updateGeometry();
    update();
}

void NowPanel::setRun(const RunRecord *run)
{
    m_figures.clear();
    if (!run) {
        m_name.clear();
        m_status.clear();
        setAccessibleDescription({});
        update();
        return;
    }
    m_name = run->name;
    m_status = statusText(*run);
    m_colour = m_theme.series(run->colour);
    m_dash = Theme::dash(familyOf(run->method));
    m_statusColour = run->status == RunStatus::Running ? m_theme.good
        : run->status == RunStatus::Diverged           ? m_theme.warning
        : run->status == RunStatus::Failed             ? m_theme.danger
                                                       : m_theme.textMuted;
    const TracePoint *last = run->trace.points.empty() ? nullptr : &run->trace.points.back();
    const double excess = last ? excessOf(*run, last->loss) : unknown;
    m_figures.append({tr("Stage"),
                      run->stop.stages > 0
                          ? QStringLiteral("%1 / %2").arg(formatCount(run->stage), formatCount(run->stop.stages))
                          : formatCount(run->stage)});
    m_figures.append({tr("Passes"), formatFixed(passesOf(*run, run->cost), 1)});
    if (last && isBelowOptimum(*run, last->loss))
        m_figures.append({tr("Excess loss"), tr("below F_opt"), belowOptimumMeaning(*run, last->loss)});
    else if (!std::isnan(excess) && run->problem->optimum)
        m_figures.append({tr("Excess loss"),
                          excess <= run->problem->optimum->floor
                              ? QStringLiteral("≤ %1").arg(formatNumber(run->problem->optimum->floor, 2))
                              : formatNumber(excess, 3)});
    else
        m_figures.append({tr("Loss"), last ? formatNumber(last->loss) : formatNumber(unknown)});
    m_figures.append({tr("Test error"), last ? formatNumber(last->testError) : formatNumber(unknown)});
    m_figures.append({gapLabel(*run), formatNumber(gapOf(*run), 3), gapMeaning(*run)});
    m_figures.append({tr("Solver time"), run->hasStarted() ? formatSeconds(run->seconds) : formatNumber(unknown)});
    // It is painted: to those who listen it is one sentence.
    QStringList said{m_name, m_status};
    for (const Figure &figure : m_figures)
        said << figure.label + u' ' + figure.value;
    setAccessibleDescription(said.join(QStringLiteral(", ")));
    update();
}

QString NowPanel::valueOf(const QString &label) const
{
    for (const Figure &figure : m_figures)
        if (figure.label == label)
            return figure.value;
    return {};
}

QSize NowPanel::sizeHint() const
{
    const QFontMetrics small(m_theme.font(TextRole::Small));
    const QFontMetrics big(m_theme.font(TextRole::Title));
    const int cell = small.height() + big.height() + m_theme.space(0.75);
    return {200, headHeight() + m_theme.space(3) + 6 / columns() * cell};
}

int NowPanel::columns() const
{
    return width() < m_theme.space(26) ? 1 : 2;
}

int NowPanel::headHeight() const
{
    return QFontMetrics(m_theme.font(TextRole::Strong)).height()
        + (columns() == 1 ? QFontMetrics(m_theme.font(TextRole::Small)).height() : 0);
}

QString NowPanel::shownName() const
{
    const int before = m_theme.space(4.5), between = m_theme.space(1), after = m_theme.space(1.5);
    const int status =
        columns() == 1 ? 0 : between + QFontMetrics(m_theme.font(TextRole::Small)).horizontalAdvance(m_status);
    return QFontMetrics(m_theme.font(TextRole::Strong))
        .elidedText(m_name, Qt::ElideRight, width() - before - status - after);
}

void NowPanel::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    updateGeometry();
}

void NowPanel::paintEvent(QPaintEvent *)
{
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(m_theme.separator);
    p.drawLine(0, 0, width(), 0);
    if (m_name.isEmpty())
        return;
    const int pad = m_theme.space(1.5);
    const QFont strong = m_theme.font(TextRole::Strong);
    const QFont small = m_theme.font(TextRole::Small);
    const QFont title = m_theme.font(TextRole::Title);
    const QFontMetrics strongMetrics(strong);
    const QFontMetrics smallMetrics(small);
    const QFontMetrics titleMetrics(title);

    const int y = m_theme.space(1);
    QPen pen(m_colour, 3, Qt::SolidLine, m_dash.isEmpty() ? Qt::RoundCap : Qt::FlatCap);
    if (!m_dash.isEmpty()) { // as in the charts and the table, two of them in the little room there is
        QList<qreal> dash = m_dash;
        for (qreal &d : dash)
            d *= 0.3 * m_theme.scale;
        pen.setDashPattern(dash);
    }
    p.setPen(pen);
    const double line = y + strongMetrics.height() / 2.0;
    p.drawLine(QPointF(pad + 1, line), QPointF(pad + m_theme.space(2), line));
    const int nameX = pad + m_theme.space(3);
    p.setFont(small);
    p.setPen(m_statusColour);
    if (columns() == 1) // the name needs the whole line
        p.drawText(QRect(nameX, y + strongMetrics.height(), width() - nameX, smallMetrics.height()), Qt::AlignLeft,
                   m_status);
    else
        p.drawText(QRect(0, y, width() - pad, strongMetrics.height()), Qt::AlignVCenter | Qt::AlignRight, m_status);
    p.setFont(strong);
    p.setPen(m_theme.text);
    p.drawText(QRect(nameX, y, width() - nameX, strongMetrics.height()), Qt::AlignVCenter, shownName());

    for (qsizetype i = 0; i < m_figures.size(); ++i) {
        const QRect cell = cellOf(i);
        p.setFont(small);
        p.setPen(m_theme.textMuted);
        p.drawText(cell, Qt::AlignLeft, smallMetrics.elidedText(m_figures[i].label, Qt::ElideRight, cell.width()));
        p.setFont(title);
        p.setPen(m_theme.text);
        p.drawText(cell.adjusted(0, smallMetrics.height(), 0, 0), Qt::AlignLeft,
                   titleMetrics.elidedText(m_figures[i].value, Qt::ElideRight, cell.width()));
    }
}

QRect NowPanel::cellOf(qsizetype figure) const
{
    const int pad = m_theme.space(1.5);
    const int column = (width() - 2 * pad) / columns();
    const int high =
        QFontMetrics(m_theme.font(TextRole::Small)).height() + QFontMetrics(m_theme.font(TextRole::Title)).height();
    const int top = headHeight() + m_theme.space(2);
    return {pad + static_cast<int>(figure % columns()) * column,
            top + static_cast<int>(figure / columns()) * (high + m_theme.space(0.75)), column - 4, high};
}

bool NowPanel::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    for (qsizetype i = 0; i < m_figures.size(); ++i)
        if (cellOf(i).contains(help->pos()) && !m_figures[i].tip.isEmpty()) {
            QToolTip::showText(help->globalPos(), m_figures[i].tip, this, cellOf(i));
            return true;
        }
    QToolTip::hideText();
    event->ignore();
    return true;
}

} // namespace appa::ui
