#include "runs/RunModel.h"

#include "problem/ProblemLoader.h"
#include "runs/RunStages.h"
#include "theme/Format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace appa::ui {

namespace {

constexpr std::chrono::milliseconds countersEvery{100};

double lambdaOf(const RunRecord &run)
{
    return run.effective.contains("lambda") && !run.effective.isAuto("lambda") ? run.effective.real("lambda") : unknown;
}

} // namespace

RunModel::RunModel(QObject *parent) : QAbstractTableModel(parent) { }

int RunModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString RunModel::text(const RunRecord &run, int column) const
{
    const TracePoint *last = run.lastPoint();
    switch (column) {
    case Name:
        return run.name;
    case Method:
        return methodLabel(run.method);
    case Inner:
        return run.inner.empty() ? QString() : innerLabel(run.inner);
    case Lambda:
        return formatPower(lambdaOf(run));
    case Stage:
        return formatCount(run.stage);
    case Passes:
        return formatFixed(passesOf(run, run.cost), 1);
    case Loss:
        return last ? formatNumber(last->loss, 4) : formatNumber(unknown);
    case Excess: {
        if (!last)
            return formatNumber(unknown);
        const double excess = excessOf(run, last->loss);
        if (!std::isnan(excess) && excess <= run.problem->optimum->floor && !isBelowOptimum(run, last->loss))
            return QStringLiteral("≤ %1").arg(formatNumber(run.problem->optimum->floor, 2));
        return formatNumber(excess, 3);
    }
    case TestError:
        return last ? formatNumber(last->testError) : formatNumber(unknown);
    case Gap:
        return formatNumber(gapOf(run), 3);
    case Time:
        return run.hasStarted() ? formatSeconds(run.seconds) : formatNumber(unknown);
    case Status: {
        const QString status = statusText(run);
        const bool says = run.status == RunStatus::Diverged || run.status == RunStatus::Failed;
        return says && !run.message.isEmpty() ? QStringLiteral("%1: %2").arg(status, run.message) : status;
    }
    case Problem:
        return m_problems.value(run.problem.get());
    }
    return {};
}

QVariant RunModel::sortKey(const RunRecord &run, int column) const
{
    const TracePoint *last = run.lastPoint();
    // Unknown values sort last in either direction's natural reading: as if they were infinitely bad.
    const auto known = [](double v) { return std::isnan(v) ? std::numeric_limits<double>::infinity() : v; };
    switch (column) {
    case Lambda:
        return known(lambdaOf(run));
    case Stage:
        return static_cast<qlonglong>(run.stage);
    case Passes:
        return passesOf(run, run.cost);
    case Loss:
        return known(last ? last->loss : unknown);
    case Excess:
        return known(last ? excessOf(run, last->loss) : unknown);
    case TestError:
        return known(last ? last->testError : unknown);
    case Gap:
        return known(gapOf(run));
    case Time:
        return run.seconds;
    case Status:
        return static_cast<int>(run.status);
    default:
        return text(run, column);
    }
}

QString RunModel::toolTip(const RunRecord &run, int column) const
{
    if (column == Status && !run.message.isEmpty())
        return QStringLiteral("%1: %2").arg(statusText(run), run.message);
    if (column == Method || column == Name) {
        QString text = QStringLiteral("<b>%1</b><br>%2").arg(run.name.toHtmlEscaped(), methodLabel(run.method));
        if (!run.inner.empty())
            text += tr(", inner solver %1").arg(innerLabel(run.inner));
        if (run.problem)
            text += QStringLiteral("<br>") + run.problem->title.toHtmlEscaped();
        text += tr("<br>seed %1").arg(run.spec.seed);
        if (run.forkedFrom > 0)
            text += tr("<br>forked at stage %1").arg(run.forkedAt);
        return text;
    }
    if (column == Gap)
        return gapMeaning(run);
    if (column == Problem && run.problem)
        return run.problem->title;
    if (const TracePoint *last = run.lastPoint(); column == Excess && last && isBelowOptimum(run, last->loss))
        return belowOptimumMeaning(run, last->loss);
    if (column == Excess && run.problem && !run.problem->optimumNote.isEmpty())
        return run.problem->optimumNote;
    return {};
}

QVariant RunModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const RunRecord &run = *m_runs[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return text(run, column);
    case Qt::EditRole:
        return column == Name ? QVariant(run.name) : QVariant(text(run, column));
    case Qt::CheckStateRole:
        return column == Name ? QVariant(run.visible ? Qt::Checked : Qt::Unchecked) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter)
                                   | (column >= Lambda && column <= Time ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ToolTipRole: {
        const QString tip = toolTip(run, column);
        return tip.isEmpty() ? QVariant() : QVariant(tip);
    }
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2").arg(headerData(column, Qt::Horizontal).toString(), text(run, column));
    case SortRole:
        return sortKey(run, column);
    case IdRole:
        return run.id;
    case ColourRole:
        return run.colour;
    case StatusRole:
        return static_cast<int>(run.status);
    default:
        return {};
    }
}

QVariant RunModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    static constexpr std::array titles{QT_TR_NOOP("Run"),       QT_TR_NOOP("Method"), QT_TR_NOOP("Inner"),
                                       QT_TR_NOOP("λ"),         QT_TR_NOOP("Stage"),  QT_TR_NOOP("Passes"),
                                       QT_TR_NOOP("Loss"),      QT_TR_NOOP("Excess"), QT_TR_NOOP("Test error"),
                                       QT_TR_NOOP("Stage gap"), QT_TR_NOOP("Time"),   QT_TR_NOOP("Status"),
                                       QT_TR_NOOP("Problem")};
    static constexpr std::array tips{
        QT_TR_NOOP("Tick to show the run in the charts; double-click the name to rename it"),
        QT_TR_NOOP("The method in effect now"),
        QT_TR_NOOP("The solver that works inside a stage"),
        QT_TR_NOOP("λ in effect now: proximal weight, ridge weight or step size, as the method means it"),
        QT_TR_NOOP("Completed stages"),
        QT_TR_NOOP("Accesses to single terms of F, divided by n, full gradients included"),
        QT_TR_NOOP("F(x) on the training rows"),
        QT_TR_NOOP("F(x) − F_opt of the run's own problem"),
        QT_TR_NOOP("Fraction of the test rows misclassified, or the mean squared error"),
        QT_TR_NOOP("The duality gap of the regularized problem of the present stage; it is not that of F"),
        QT_TR_NOOP("The solver's own work, measuring not included"),
        QT_TR_NOOP("What the run is doing, or why it ended"),
        QT_TR_NOOP("In what the runs' problems differ; the charts show those of one problem")};
    const auto at = static_cast<std::size_t>(section);
    if (role == Qt::DisplayRole)
        return tr(titles[at]);
    if (role == Qt::ToolTipRole)
        return tr(tips[at]);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter)
                                   | (section >= Lambda && section <= Time ? Qt::AlignRight : Qt::AlignLeft));
    return {};
}

bool RunModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || index.column() != Name)
        return false;
    RunRecord &run = *m_runs[static_cast<std::size_t>(index.row())];
    if (role == Qt::CheckStateRole) {
        setVisible(run.id, value.toInt() == Qt::Checked);
        return true;
    }
    const QString name = value.toString().simplified();
    if (role != Qt::EditRole || name.isEmpty())
        return false;
    if (name == run.name)
        return true;
    const QString before = std::exchange(run.name, name);
    changed(index.row());
    emit edited(run.id, before);
    return true;
}

Qt::ItemFlags RunModel::flags(const QModelIndex &index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    if (index.column() == Name)
        flags |= Qt::ItemIsEditable | Qt::ItemIsUserCheckable;
    return flags;
}

const RunRecord *RunModel::find(RunId id) const
{
    const int row = rowOf(id);
    return row < 0 ? nullptr : m_runs[static_cast<std::size_t>(row)].get();
}

int RunModel::rowOf(RunId id) const
{
    const auto at = std::ranges::find(m_runs, id, [](const auto &run) { return run->id; });
    return at == m_runs.end() ? -1 : static_cast<int>(at - m_runs.begin());
}

int RunModel::freeColour(const std::string &method, const ProblemStatePtr &problem) const
{
    constexpr int palette = 8; // Theme::seriesCount()
    // A line is told by its colour and by its family's dash: first those whose pair is free, of them the rarest.
    std::array<std::pair<int, int>, palette> uses{};
    for (const auto &run : m_runs) {
        if (run->problem != problem) // in no chart together with it
            continue;
        auto &[withThisDash, inAll] = uses[static_cast<std::size_t>(run->colour % palette)];
        withThisDash += familyOf(run->method) == familyOf(method) ? 1 : 0;
        ++inAll;
    }
    return static_cast<int>(std::ranges::min_element(uses) - uses.begin());
}

void RunModel::insert(int row, RunRecord run)
{
    row = std::clamp(row, 0, rowCount());
    m_nextId = std::max(m_nextId, run.id + 1);
    addUnreported(run, 0);
    beginInsertRows({}, row, row);
    m_runs.insert(m_runs.begin() + row, std::make_unique<RunRecord>(std::move(run)));
    endInsertRows();
    refreshProblems();
}

RunRecord RunModel::take(RunId id)
{
    const int row = rowOf(id);
    if (row < 0)
        return {};
    beginRemoveRows({}, row, row);
    RunRecord run = std::move(*m_runs[static_cast<std::size_t>(row)]);
    m_runs.erase(m_runs.begin() + row);
    endRemoveRows();
    refreshProblems();
    return run;
}

void RunModel::refreshProblems()
{
    std::vector<const ProblemState *> all; // in the order of their runs
    for (const auto &run : m_runs)
        if (run->problem && std::ranges::find(all, run->problem.get()) == all.end())
            all.push_back(run->problem.get());
    QList<QStringList> parts;
    for (const ProblemState *problem : all)
        parts.append(partsOf(problem->spec, problem->problem ? &problem->problem->data() : nullptr));
    QHash<const ProblemState *, QString> texts;
    QStringList given;
    for (std::size_t i = 0; i < all.size(); ++i) {
        QStringList differing;
        // In the order of a title, and no more than tells it from all others: the data's name, as a rule.
        const QStringList &own = parts[static_cast<qsizetype>(i)];
        bool differs = false;
        QList<QStringList> alike = parts; // so far; itself among them
        for (qsizetype part = 0; part < own.size() && alike.size() > 1; ++part)
            if (alike.removeIf([&](const QStringList &other) { return other[part] != own[part]; }) > 0) {
                differs = true;
                if (!own[part].isEmpty())
                    differing << own[part];
            }
        QString text = !differing.isEmpty() ? differing.join(QStringLiteral(", "))
            : differs                       ? tr("no transforms")
                                            : all[i]->title;
        if (given.contains(text)) // the same by name, as when a file has changed
            text = QStringLiteral("%1 (%2)").arg(text).arg(i + 1);
        given << text;
        texts.insert(all[i], all.size() > 1 ? text : QString());
    }
    if (texts == m_problems)
        return;
    m_problems = texts;
    if (!m_runs.empty())
        emit dataChanged(index(0, Problem), index(rowCount() - 1, Problem));
    emit problemsChanged();
}

bool RunModel::apply(const RunUpdate &update)
{
    const auto at = std::ranges::find(m_runs, update.id, [](const auto &run) { return run->engine; });
    if (at == m_runs.end())
        return false;
    const auto row = static_cast<int>(at - m_runs.begin());
    RunRecord &run = *m_runs[static_cast<std::size_t>(row)];
    const QString message = QString::fromStdString(update.message);
    bool news = !run.live || run.status != update.status || run.message != message || run.method != update.method
        || run.inner != update.inner || run.stage != update.stage || run.learning != update.learning
        || run.catchingUp != update.catchingUp || run.done != update.done || run.effective != update.effective
        || !update.path.empty();
    run.live = true;
    run.unborn = false;
    run.status = update.status;
    run.message = message;
    run.method = update.method;
    run.inner = update.inner;
    run.effective = update.effective;
    run.stage = update.stage;
    run.cost = update.cost;
    run.seconds = update.seconds;
    run.learning = update.learning;
    run.catchingUp = update.catchingUp;
    run.done = update.done;

    const std::size_t keepPoints = std::min(run.trace.points.size(), update.keepPoints);
    const std::size_t keepEvents = std::min(run.trace.events.size(), update.keepEvents);
    auto &points = run.trace.points;
    auto &events = run.trace.events;
    const bool fresh = points.size() > update.keepPoints || events.size() > update.keepEvents || !update.points.empty()
        || !update.events.empty();
    truncatePoints(run, update.keepPoints);
    points.insert(points.end(), update.points.begin(), update.points.end());
    // What a fork does after a step back into its past is its own. (A session's run sends all it has once more.)
    const std::vector<RunEvent> shared(
        events.begin() + static_cast<std::ptrdiff_t>(keepEvents),
        events.begin() + static_cast<std::ptrdiff_t>(std::max(keepEvents, std::min(run.sharedEvents, events.size()))));
    if (events.size() > update.keepEvents)
        events.resize(update.keepEvents);
    events.insert(events.end(), update.events.begin(), update.events.end());
    if (!shared.empty())
        run.sharedEvents = keepEvents + sharedChanges(shared, std::span(events).subspan(keepEvents));

    mergeStages(run, update);
    addUnreported(run, keepPoints);
    markStageEnds(run, keepPoints);
    const auto now = std::chrono::steady_clock::now();
    news = news || fresh || !update.reports.empty() || now - run.shown >= countersEvery;
    if (!news)
        return false;
    run.shown = now;
    changed(row);
    if (fresh)
        emit traceChanged(run.id, keepPoints, keepEvents);
    return true;
}

void RunModel::setVisible(RunId id, bool visible)
{
    edit(id, [&](RunRecord &run) { run.visible = visible; });
    emit visibilityChanged();
}

void RunModel::solo(RunId id)
{
    const RunRecord *chosen = find(id);
    if (!chosen)
        return;
    const auto besideIt = [&](const auto &run) { return run->problem == chosen->problem; };
    const bool alone =
        std::ranges::all_of(m_runs, [&](const auto &run) { return !besideIt(run) || run->visible == (run->id == id); });
    for (std::size_t row = 0; row < m_runs.size(); ++row) {
        if (!besideIt(m_runs[row]))
            continue;
        m_runs[row]->visible = alone || m_runs[row]->id == id;
        changed(static_cast<int>(row));
    }
    emit visibilityChanged();
}

void RunModel::problemChanged(const ProblemState *problem)
{
    for (std::size_t row = 0; row < m_runs.size(); ++row)
        if (m_runs[row]->problem.get() == problem)
            changed(static_cast<int>(row));
}

void RunModel::changed(int row)
{
    emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

} // namespace appa::ui
