// The columns of the runs' table: which are there, how wide, in which order; the user's choice goes first.
#include "runs/RunTable.h"

#include <QHeaderView>
#include <QMenu>

#include <algorithm>
#include <array>
#include <utility>

namespace appa::ui {

void RunTable::orderColumns()
{
    m_spreading = true;
    QHeaderView *header = horizontalHeader();
    for (int column = 0; column < RunModel::ColumnCount; ++column)
        header->moveSection(header->visualIndex(column), column);
    header->moveSection(RunModel::Status, 1); // what a run is doing is never scrolled away
    header->moveSection(header->visualIndex(RunModel::Problem), 2);
    m_spreading = false;
}

int RunTable::widthOf(const QModelIndex &cell, const QFontMetrics &metrics) const
{
    const RunRecord *run =
        cell.column() == RunModel::Status ? m_model.find(cell.data(RunModel::IdRole).toInt()) : nullptr;
    const int text = metrics.horizontalAdvance(run ? statusText(*run) : cell.data().toString());
    return text + 2 * m_theme.space(1) + (cell.column() == RunModel::Name ? m_theme.space(6.5) : 0)
        + (run ? m_theme.space(2) : 0);
}

bool RunTable::fits(int firstRow, int lastRow) const
{
    const QFontMetrics metrics(m_theme.font(TextRole::Body));
    for (int row = firstRow; row <= lastRow; ++row)
        for (int column = RunModel::Method; column <= RunModel::Status; ++column)
            if (!isColumnHidden(column) && widthOf(m_model.index(row, column), metrics) > columnWidth(column))
                return false;
    return true;
}

void RunTable::fitColumns()
{
    m_fitted = true;
    const QFontMetrics metrics(m_theme.font(TextRole::Body));
    const auto wide = [&](const char16_t *text) {
        return metrics.horizontalAdvance(QString::fromUtf16(text)) + 2 * m_theme.space(1);
    };
    const auto widest = [&](int column) {
        int width =
            metrics.horizontalAdvance(m_model.headerData(column, Qt::Horizontal).toString()) + 2 * m_theme.space(1);
        for (int row = 0; row < m_model.rowCount(); ++row)
            width = std::max(width, widthOf(m_model.index(row, column), metrics));
        return width;
    };
    struct Column
    {
        int least; ///< holds what is there now, and what is there as a rule: it need not move with every number
        int width; ///< where there is room
        int share; ///< of the room that is left over
    };
    const int sample = m_theme.space(6.5);
    const int dot = m_theme.space(2);
    std::array<Column, RunModel::ColumnCount> columns{};
    columns[RunModel::Name] = {wide(u"run 12") + sample, wide(u"run 12  ") + sample, 4};
    columns[RunModel::Problem] = {wide(u"Problem"), wide(u"Problem"), 4};
    columns[RunModel::Method] = {wide(u"Method"), wide(u"Accelerated gradient"), 1};
    columns[RunModel::Inner] = {wide(u"SDCA"), wide(u"AP-SDCA"), 1};
    columns[RunModel::Lambda] = {wide(u"10⁻⁸"), wide(u"1.23×10⁻¹⁰"), 1};
    columns[RunModel::Stage] = {wide(u"Stage"), wide(u"Stage  "), 1};
    columns[RunModel::Passes] = {wide(u"Passes"), wide(u"Passes  "), 1};
    columns[RunModel::Loss] = {wide(u"0.08888"), wide(u"0.012345"), 1};
    columns[RunModel::Excess] = {wide(u"8.88×10⁻¹⁰"), wide(u"1.234×10⁻¹⁰"), 1};
    columns[RunModel::TestError] = {wide(u"Test error"), wide(u"Test error"), 1};
    columns[RunModel::Gap] = {wide(u"8.88×10⁻¹⁰"), wide(u"1.234×10⁻¹⁰"), 1};
    columns[RunModel::Time] = {wide(u"88.8 ms"), wide(u"12 min 00 s"), 1};
    columns[RunModel::Status] = {wide(u"Diverged") + dot, wide(u"Diverged: ") + dot, 4};
    for (int i = 0; i < RunModel::ColumnCount; ++i) {
        Column &column = columns[static_cast<std::size_t>(i)];
        // Names may be long: they are cut in their middle where there is no room.
        const int now = widest(i);
        const int most = i == RunModel::Name ? wide(u"SGD, then Accelerated APPA") + sample
            : i == RunModel::Problem         ? wide(u"ill-conditioned, logistic loss")
                                             : now;
        const int enough = i == RunModel::Name ? wide(u"Accelerated APPA") + sample
            : i == RunModel::Problem           ? wide(u"logistic loss, no ridge")
                                               : now;
        column.least = std::max(column.least, std::min(now, enough));
        column.width = std::max({column.width, column.least, std::min(now, most)});
    }

    // What does not fit gives way, the least telling first: nothing that counts may end up behind a scroll bar. Figures
    // of several problems say little without the problem.
    static constexpr std::array givesWay{RunModel::Time,   RunModel::Loss,    RunModel::Inner,     RunModel::Gap,
                                         RunModel::Passes, RunModel::Problem, RunModel::TestError, RunModel::Method,
                                         RunModel::Stage,  RunModel::Lambda};
    std::array<bool, RunModel::ColumnCount> shown;
    shown.fill(true);
    shown[RunModel::Problem] = m_model.hasSeveralProblems();
    int least = 0;
    for (std::size_t i = 0; i < columns.size(); ++i)
        least += shown[i] ? columns[i].least : 0;
    for (const RunModel::Column column : givesWay) {
        if (least <= viewport()->width())
            break;
        if (!std::exchange(shown[column], false))
            continue;
        least -= columns[column].least;
    }
    int shares = 0;
    int wished = 0; // beyond the least
    for (std::size_t i = 0; i < columns.size(); ++i)
        if (shown[i]) {
            shares += columns[i].share;
            wished += columns[i].width - columns[i].least;
        }
    const int allShares = shares;
    const int left = std::max(0, viewport()->width() - least);
    const int more = std::min(left, wished);
    m_spreading = true;
    horizontalHeader()->setStretchLastSection(false);
    int rest = viewport()->width(); // the last one has what the divisions leave over
    for (int visual = 0; visual < RunModel::ColumnCount; ++visual) {
        const int logical = horizontalHeader()->logicalIndex(visual);
        const auto i = static_cast<std::size_t>(logical);
        const Column &column = columns[i];
        setColumnHidden(logical, !shown[i]);
        if (!shown[i])
            continue;
        shares -= column.share;
        const int width = column.least + (wished > 0 ? more * (column.width - column.least) / wished : 0)
            + (left - more) * column.share / allShares;
        setColumnWidth(logical, shares == 0 ? std::max(width, rest) : width);
        rest -= width;
    }
    m_spreading = false;
}

void RunTable::showProblems()
{
    if (!m_byHand) {
        fitColumns();
        return;
    }
    m_spreading = true;
    setColumnHidden(RunModel::Problem, !m_model.hasSeveralProblems());
    m_spreading = false;
}

void RunTable::resizeEvent(QResizeEvent *event)
{
    m_spreading = true; // the last column takes what is left
    QTableView::resizeEvent(event);
    m_spreading = false;
    if (!m_byHand)
        fitColumns();
}

QByteArray RunTable::layoutState() const
{
    return m_byHand ? horizontalHeader()->saveState() : QByteArray();
}

void RunTable::restoreLayout(const QByteArray &state)
{
    if (!state.isEmpty() && horizontalHeader()->restoreState(state)) {
        horizontalHeader()->setStretchLastSection(true);
        m_fitted = m_byHand = true;
        showProblems();
    }
}

void RunTable::chooseColumns(const QPoint &at)
{
    QMenu menu(this);
    for (int column = 1; column < RunModel::ColumnCount; ++column) {
        if (column == RunModel::Problem) // there when there are several
            continue;
        QAction *action = menu.addAction(m_model.headerData(column, Qt::Horizontal).toString());
        action->setCheckable(true);
        action->setChecked(!isColumnHidden(column));
        connect(action, &QAction::toggled, this, [this, column](bool on) {
            setColumnHidden(column, !on); // a width that changes by hand
        });
    }
    menu.addSeparator();
    connect(menu.addAction(tr("In order of creation")), &QAction::triggered, this, [this] {
        horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
        m_sorted.sort(-1);
    });
    connect(menu.addAction(tr("Reset the columns")), &QAction::triggered, this, [this] {
        m_byHand = false;
        orderColumns();
        fitColumns();
    });
    menu.exec(at);
}

} // namespace appa::ui
