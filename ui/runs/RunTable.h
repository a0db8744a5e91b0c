#pragma once

#include "runs/RunModel.h"
#include "theme/Theme.h"

#include <QSortFilterProxyModel>
#include <QTableView>

namespace appa::ui {

/// The runs, one line each, sorted as one likes. Its selection is the current run: what the panels show and the keys
/// act on.
class RunTable final : public QTableView
{
    Q_OBJECT
public:
    explicit RunTable(RunModel &model, QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    RunId currentRun() const; ///< 0: none
    void setCurrentRun(RunId id);
    QList<RunId> selectedRuns() const; ///< in the order shown
    /// Actions of the context menu, in order; null separates.
    void setMenuActions(const QList<QAction *> &actions) { m_menu = actions; }

    int heightOf(int rows) const; ///< with its header, and without scrolling

    QByteArray layoutState() const;
    void restoreLayout(const QByteArray &state);

signals:
    void currentRunChanged(int id);
    void selectedRunsChanged();

protected:
    void contextMenuEvent(QContextMenuEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    QItemSelectionModel::SelectionFlags selectionCommand(const QModelIndex &index, const QEvent *event) const override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void orderColumns();
    void fitColumns();
    int widthOf(const QModelIndex &cell, const QFontMetrics &metrics) const; ///< a status: without its reason
    bool fits(int firstRow, int lastRow) const;
    void showProblems();
    void chooseColumns(const QPoint &at);

    RunModel &m_model;
    QSortFilterProxyModel m_sorted;
    QList<QAction *> m_menu;
    Theme m_theme = Theme::light();
    bool m_fitted = false;
    bool m_byHand = false;    ///< the user arranged the columns: they are left alone and remembered
    bool m_spreading = false; ///< it is us who resize them
};

} // namespace appa::ui
