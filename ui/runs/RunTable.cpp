#include "runs/RunTable.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QPointer>
#include <QStyledItemDelegate>

#include <algorithm>
#include <array>
#include <utility>

namespace appa::ui {

namespace {

/// Tick, a sample of the line as the chart draws it, then the name: all cells share one padding.
class RunDelegate final : public QStyledItemDelegate
{
public:
    RunDelegate(const RunModel &model, RunTable &table)
        : QStyledItemDelegate(&table), m_model(model), m_table(table) { }
    Theme theme = Theme::light();

    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const int text = option.fontMetrics.horizontalAdvance(index.data().toString());
        return {text + 2 * pad() + (index.column() == RunModel::Name ? nameOffset() : 0) + 2,
                option.fontMetrics.height() + theme.space(1.25)};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
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

    bool editorEvent(QEvent *event, QAbstractItemModel *model, const QStyleOptionViewItem &option,
                     const QModelIndex &index) override
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

    void updateEditorGeometry(QWidget *editor, const QStyleOptionViewItem &option, const QModelIndex &) const override
    {
        editor->setGeometry(option.rect.adjusted(pad() + nameOffset() - 4, 1, 0, -1));
    }

    /// Once: while somebody types, the run's news are not for its editor.
    void setEditorData(QWidget *editor, const QModelIndex &index) const override
    {
        if (std::exchange(m_filled, editor) != editor)
            QStyledItemDelegate::setEditorData(editor, index);
    }

    /// What a cell says in so much room. Half a number would be another number: it is there as a whole or not at all,
    /// and a status without its reason rather than cut. Names differ at their ends; a problem begins with its data's
    /// name.
    static QString shown(const QModelIndex &index, const RunRecord *run, const QFontMetrics &metrics, int room)
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

private:
    bool isOfTheProblemShown(const RunRecord &run) const
    {
        const RunRecord *current = m_model.find(m_table.currentRun());
        return !current || current->problem == run.problem;
    }
    int pad() const { return theme.space(1); }
    int nameOffset() const { return theme.space(6.25); }
    QRect checkRect(const QRect &cell) const
    {
        const int side = theme.space(2);
        return {cell.left() + pad(), cell.center().y() - side / 2 + 1, side, side};
    }

    const RunModel &m_model;
    const RunTable &m_table;
    mutable QPointer<QWidget> m_filled; ///< the editor that has its text
};

} // namespace

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
