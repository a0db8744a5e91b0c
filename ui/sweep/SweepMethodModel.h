#pragma once

#include "run/SweepPlan.h"

#include <QAbstractTableModel>
#include <QStyledItemDelegate>

#include <vector>

namespace appa::ui {

/// The methods a study may be made of, from the registry: tick them, choose the inner solver, type other settings.
class SweepMethodModel final : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Method, Inner, Settings, ColumnCount };
    enum Role { ChoicesRole = Qt::UserRole }; ///< Inner: the ids to choose from

    struct Row
    {
        std::string method;
        std::string inner;
        QString settings; ///< "key=value key=value"
        bool checked = false;
        QString whyNot; ///< on the current problem
    };

    explicit SweepMethodModel(QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    bool setData(const QModelIndex &index, const QVariant &value, int role = Qt::EditRole) override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

    void setProblem(const ProblemPtr &problem); ///< those that cannot run on it are greyed, with the reason
    /// Ticks exactly these; variants that are not in the list yet are added.
    void setMethods(const std::vector<SweepVariant> &methods);
    /// The ticked ones that can run, or what is wrong with one of them.
    Result<std::vector<SweepVariant>> chosen() const;
    int duplicate(int row); ///< another variant of the same method; its row
    void remove(int row);   ///< only variants beyond the first
    bool canRemove(int row) const;

signals:
    void edited();

private:
    static Result<SweepVariant> variantOf(const Row &row);
    void updateWhyNot(Row &row) const;

    std::vector<Row> m_rows;
    ProblemPtr m_problem;
};

/// A combo box for the inner solver.
class InnerDelegate final : public QStyledItemDelegate
{
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QWidget *createEditor(QWidget *parent, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    void setEditorData(QWidget *editor, const QModelIndex &index) const override;
    void setModelData(QWidget *editor, QAbstractItemModel *model, const QModelIndex &index) const override;
};

} // namespace appa::ui
