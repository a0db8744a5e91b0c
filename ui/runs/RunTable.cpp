#include "runs/RunTable.h"

#include "runs/RunDelegate.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>

#include <algorithm>

namespace appa::ui {

RunTable::RunTable(RunModel &model, QWidget *parent) : QTableView(parent), m_model(model)
{
    setObjectName(QStringLiteral("runTable"));
    setAccessibleName(tr("Runs"));
    m_sorted.setSourceModel(&model);
    m_sorted.setSortRole(RunModel::SortRole);
    setModel(&m_sorted);
    setItemDelegate(new RunDelegate(model, *this));
    setSortingEnabled(true);
    horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_sorted.sort(-1);
    setSelectionBehavior(SelectRows);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(DoubleClicked | EditKeyPressed);
    setShowGrid(false);
    setAlternatingRowColors(true);
    setFrameShape(NoFrame);
    setWordWrap(false);
    setHorizontalScrollMode(ScrollPerPixel);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    QHeaderView *header = horizontalHeader();
    header->setSectionsMovable(true);
    orderColumns();
    hideColumn(RunModel::Problem);
    header->setHighlightSections(false);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    header->setMinimumSectionSize(40);
    connect(header, &QWidget::customContextMenuRequested, this,
            [this, header](const QPoint &at) { chooseColumns(header->mapToGlobal(at)); });
    const auto byHand = [this, header] {
        if (m_byHand || m_spreading)
            return;
        m_byHand = true;
        header->setStretchLastSection(true);
    };
    connect(header, &QHeaderView::sectionResized, this, byHand);
    connect(header, &QHeaderView::sectionMoved, this, byHand);
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex &current) {
        viewport()->update(); // whose problem is shown may have changed
        emit currentRunChanged(current.data(RunModel::IdRole).toInt());
    });
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunTable::selectedRunsChanged);
    connect(&model, &RunModel::problemsChanged, this, &RunTable::showProblems);
    const auto giveNamesRoom = [this] {
        if (!m_byHand)
            fitColumns();
    };
    connect(&model, &RunModel::edited, this, giveNamesRoom);
    connect(&model, &QAbstractItemModel::rowsInserted, this, giveNamesRoom);
    connect(&model, &QAbstractItemModel::dataChanged, this, [this](const QModelIndex &first, const QModelIndex &last) {
        if (!m_byHand && !fits(first.row(), last.row()))
            fitColumns();
    });
    // Where the selected ones went, the one that is current now is selected: it is what the keys act on.
    connect(&m_sorted, &QAbstractItemModel::rowsRemoved, this, [this] {
        if (!selectionModel()->hasSelection() && currentIndex().isValid())
            selectionModel()->select(currentIndex(), QItemSelectionModel::Select | QItemSelectionModel::Rows);
    });
    setTheme(m_theme);
}

void RunTable::setTheme(const Theme &theme)
{
    const double factor = theme.scale / m_theme.scale;
    m_theme = theme;
    static_cast<RunDelegate *>(itemDelegate())->theme = theme;
    verticalHeader()->setDefaultSectionSize(QFontMetrics(theme.font(TextRole::Body)).height() + theme.space(1.25));
    verticalHeader()->setMinimumSectionSize(10);
    if (m_byHand && factor != 1) { // the user's columns, in type of another size
        m_spreading = true;
        for (int column = 0; column < RunModel::ColumnCount; ++column)
            if (!isColumnHidden(column))
                setColumnWidth(column, qRound(columnWidth(column) * factor));
        m_spreading = false;
    } else if (!m_fitted || factor != 1) {
        fitColumns();
    }
    viewport()->update();
}

RunId RunTable::currentRun() const
{
    return currentIndex().isValid() ? currentIndex().data(RunModel::IdRole).toInt() : 0;
}

void RunTable::setCurrentRun(RunId id)
{
    if (id == currentRun())
        return;
    const int row = m_model.rowOf(id);
    if (row < 0)
        return;
    const QModelIndex index = m_sorted.mapFromSource(m_model.index(row, RunModel::Name));
    selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    scrollTo(index);
}

QList<RunId> RunTable::selectedRuns() const
{
    QModelIndexList rows = selectionModel()->selectedRows(RunModel::Name);
    std::ranges::sort(rows, {}, [](const QModelIndex &index) { return index.row(); });
    QList<RunId> ids;
    for (const QModelIndex &index : rows)
        ids.append(index.data(RunModel::IdRole).toInt());
    return ids;
}

int RunTable::heightOf(int rows) const
{
    return horizontalHeader()->sizeHint().height() + rows * verticalHeader()->defaultSectionSize() + 2 * frameWidth();
}

void RunTable::contextMenuEvent(QContextMenuEvent *event)
{
    QMenu menu(this);
    for (QAction *action : std::as_const(m_menu)) {
        if (action)
            menu.addAction(action);
        else
            menu.addSeparator();
    }
    menu.exec(event->globalPos());
}

void RunTable::keyPressEvent(QKeyEvent *event)
{
    // Space is Run/Pause everywhere, Escape the window's; the tick of a run is H.
    if (event->key() == Qt::Key_Space || event->key() == Qt::Key_Escape || event->text() == QLatin1String(".")
        || event->text() == QLatin1String(",")) {
        event->ignore();
        return;
    }
    QTableView::keyPressEvent(event);
}

QItemSelectionModel::SelectionFlags RunTable::selectionCommand(const QModelIndex &index, const QEvent *event) const
{
    // A click below the rows leaves what the keys act on as it is, and to be seen.
    return index.isValid() ? QTableView::selectionCommand(index, event) : QItemSelectionModel::NoUpdate;
}

} // namespace appa::ui
