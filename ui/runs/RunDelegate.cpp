#include "runs/RunDelegate.h"

#include "runs/RunTable.h"

#include <QMouseEvent>
#include <QPainter>

#include <utility>

namespace appa::ui {

namespace {

/// What a cell says in so much room. Half a number would be another number: it is there as a whole or not at all,
/// and a status without its reason rather than cut. Names differ at their ends; a problem begins with its data's
/// name.
QString shown(const QModelIndex &index, const RunRecord *run, const QFontMetrics &metrics, int room)
{
    const QString text = index.data().toString();
    if (metrics.horizontalAdvance(text) <= room)
        return text;
    const int column = index.column();
    if (column >= RunModel::Lambda && column <= RunModel::Time)
        return QStringLiteral("…");
    if (column == RunModel::Status && run)
        return metrics.elidedText(statusText(*run), Qt::ElideRight, room);
    return metrics.elidedText(text, column == RunModel::Problem ? Qt::ElideRight : Qt::ElideMiddle, room);
}

} // namespace

RunDelegate::RunDelegate(const RunModel &model, RunTable &table)
    : QStyledItemDelegate(&table), m_model(model), m_table(table)
{
}

QSize RunDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const int text = option.fontMetrics.horizontalAdvance(index.data().toString());
    return {text + 2 * pad() + (index.column() == RunModel::Name ? nameOffset() : 0) + 2,
            option.fontMetrics.height() + theme.space(1.25)};
}

void RunDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    painter->save();
    const bool selected = option.state & QStyle::State_Selected;
    painter->fillRect(option.rect, selected ? theme.selection : index.row() % 2 ? theme.alternate : theme.base);
    QRect text = option.rect.adjusted(pad(), 0, -pad(), 0);
    const RunRecord *run = m_model.find(index.data(RunModel::IdRole).toInt());
    QColor colour = selected ? theme.selectionText : theme.text;
    const bool drawn = run && run->visible && isOfTheProblemShown(*run);
    if (!drawn)
        colour = theme.textMuted;
    if (index.column() == RunModel::Name && run) {
        QStyleOptionViewItem box = option;
        box.rect = checkRect(option.rect);
        box.state &= ~QStyle::State_HasFocus;
        box.state |= run->visible ? QStyle::State_On : QStyle::State_Off;
        option.widget->style()->drawPrimitive(QStyle::PE_IndicatorItemViewItemCheck, &box, painter, option.widget);
        QPen pen(theme.series(run->colour), 2.5 * theme.scale);
        pen.setCapStyle(Qt::FlatCap);
        QList<qreal> dash = Theme::dash(familyOf(run->method));
        for (qreal &d : dash)
            d *= 0.6;
        if (!dash.isEmpty())
            pen.setDashPattern(dash);
        if (!drawn)
            painter->setOpacity(0.4);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(pen);
        const double left = option.rect.left() + pad() + theme.space(2.75);
        const double y = option.rect.center().y() + 0.5;
        painter->drawLine(QPointF(left, y), QPointF(left + theme.space(2.75), y));
        painter->setOpacity(1);
        text.setLeft(option.rect.left() + pad() + nameOffset());
        if (run->id == m_table.currentRun()) // of several, the one that lambda acts on
            painter->fillRect(QRect(option.rect.topLeft(), QSize(theme.space(0.5), option.rect.height())),
                              theme.accent);
    }
    if (index.column() == RunModel::Status && run) {
        const QColor dot = run->status == RunStatus::Running ? theme.good
            : run->status == RunStatus::Diverged             ? theme.warning
            : run->status == RunStatus::Failed               ? theme.danger
                                                             : theme.textMuted;
        if (run->status == RunStatus::Diverged || run->status == RunStatus::Failed)
            colour = dot;
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(dot, 1.5 * theme.scale, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const double r = 3.5 * theme.scale;
        const QPointF centre(text.left() + r, option.rect.center().y() + 0.5);
        if (run->status == RunStatus::Finished) { // a tick: it did what it was to do
            const QPointF tick[] = {centre + QPointF(-r, 0), centre + QPointF(-0.25 * r, 0.75 * r),
                                    centre + QPointF(r, -0.8 * r)};
            painter->drawPolyline(tick, 3);
        } else {
            painter->setBrush(run->status == RunStatus::Running || run->status == RunStatus::Diverged
                                      || run->status == RunStatus::Failed
                                  ? QBrush(dot)
                                  : QBrush(Qt::NoBrush));
            painter->drawEllipse(centre, r, r);
        }
        text.setLeft(text.left() + theme.space(1.75));
    }
    painter->setFont(option.font);
    painter->setPen(colour);
    const auto alignment = index.data(Qt::TextAlignmentRole).value<Qt::Alignment>();
    painter->drawText(text, static_cast<int>(alignment), shown(index, run, option.fontMetrics, text.width()));
    painter->restore();
}

bool RunDelegate::editorEvent(QEvent *event, QAbstractItemModel *model, const QStyleOptionViewItem &option,
                              const QModelIndex &index)
{
    if (index.column() == RunModel::Name && event->type() == QEvent::MouseButtonRelease) {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        if (checkRect(option.rect).adjusted(-6, -6, 6, 6).contains(mouse->position().toPoint())) {
            const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
            return model->setData(index, on ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
        }
    }
    return false;
}

void RunDelegate::updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option, const QModelIndex &) const
{
    editor->setGeometry(option.rect.adjusted(pad() + nameOffset() - 4, 1, 0, -1));
}

void RunDelegate::setEditorData(QWidget *editor, const QModelIndex &index) const
{
    if (std::exchange(m_filled, editor) != editor)
        QStyledItemDelegate::setEditorData(editor, index);
}

bool RunDelegate::isOfTheProblemShown(const RunRecord &run) const
{
    const RunRecord *current = m_model.find(m_table.currentRun());
    return !current || current->problem == run.problem;
}

QRect RunDelegate::checkRect(const QRect &cell) const
{
    const int side = theme.space(2);
    return {cell.left() + pad(), cell.center().y() - side / 2 + 1, side, side};
}

} // namespace appa::ui
