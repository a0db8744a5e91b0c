#pragma once

#include "runs/RunRecord.h"

#include <QAbstractTableModel>
#include <QHash>

#include <memory>
#include <vector>

namespace appa::ui {

/// All runs, one row each. The views (table, charts, tabs) read it; only the RunController writes into it,
/// except for what the user edits in place: the name and whether the run is shown.
class RunModel final : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column {
        Name,
        Method,
        Inner,
        Lambda,
        Stage,
        Passes,
        Loss,
        Excess,
        TestError,
        Gap,
        Time,
        Status,
        Problem, ///< what distinguishes it from the others' problems; empty while all have the same
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole, IdRole, ColourRole, StatusRole };

    explicit RunModel(QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role = Qt::EditRole) override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

    const std::vector<std::unique_ptr<RunRecord>> &runs() const { return m_runs; }
    const RunRecord *find(RunId id) const;
    int rowOf(RunId id) const; ///< -1 if it is not there
    /// The palette index that tells a run of this method apart best; the lowest of them.
    int freeColour(const std::string &method, const ProblemStatePtr &problem) const;
    RunId nextId() { return m_nextId++; }
    bool hasSeveralProblems() const { return m_problems.size() > 1; }

    void insert(int row, RunRecord run);
    RunRecord take(RunId id);
    /// Merges an update of the Runner in. Where only counters moved, the views are told ten times a second: nobody
    /// reads faster, and what is told is painted. True if they were told.
    bool apply(const RunUpdate &update);
    /// Changes a run through `edit` and tells the views.
    template <class Edit> void edit(RunId id, Edit edit)
    {
        if (const int row = rowOf(id); row >= 0) {
            edit(*m_runs[static_cast<std::size_t>(row)]);
            changed(row);
        }
    }
    void setVisible(RunId id, bool visible);
    void solo(RunId id);                              ///< only this one; all when it is the only one already
    void problemChanged(const ProblemState *problem); ///< its optimum came: the excess column

signals:
    /// Points or events: the first `keepPoints` and `keepEvents` are as they were.
    void traceChanged(int id, std::size_t keepPoints, std::size_t keepEvents);
    void visibilityChanged();
    void edited(int id, const QString &before); ///< renamed
    void problemsChanged();                     ///< there are more of them, or fewer

private:
    void changed(int row);
    void refreshProblems();
    QString text(const RunRecord &run, int column) const;
    QVariant sortKey(const RunRecord &run, int column) const;
    QString toolTip(const RunRecord &run, int column) const;

    std::vector<std::unique_ptr<RunRecord>> m_runs;
    QHash<const ProblemState *, QString> m_problems; ///< as the column shows them
    RunId m_nextId = 1;
};

} // namespace appa::ui
