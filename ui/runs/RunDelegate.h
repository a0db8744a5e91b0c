#pragma once

#include "runs/RunModel.h"
#include "theme/Theme.h"

#include <QPointer>
#include <QStyledItemDelegate>

namespace appa::ui {

class RunTable;

/// How a cell of the runs' table looks. A run's name: tick, a sample of the line as the chart draws it, then the name;
/// all cells share one padding.
class RunDelegate final : public QStyledItemDelegate
{
public:
    RunDelegate(const RunModel &model, RunTable &table);
    Theme theme = Theme::light();

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    bool editorEvent(QEvent *event, QAbstractItemModel *model, const QStyleOptionViewItem &option,
                     const QModelIndex &index) override;
    void updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option,
                              const QModelIndex &index) const override;
    /// Once: while somebody types, the run's news are not for its editor.
    void setEditorData(QWidget *editor, const QModelIndex &index) const override;

private:
    bool isOfTheProblemShown(const RunRecord &run) const;
    int pad() const { return theme.space(1); }
    int nameOffset() const { return theme.space(6.25); }
    QRect checkRect(const QRect &cell) const;

    const RunModel &m_model;
    const RunTable &m_table;
    mutable QPointer<QWidget> m_filled; ///< the editor that has its text
};

} // namespace appa::ui
