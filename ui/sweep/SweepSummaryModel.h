#pragma once

#include "run/SweepSummary.h"
#include "theme/Theme.h"

#include <QAbstractTableModel>

#include <vector>

namespace appa::ui {

/// A method's line each: best lambda, the value there, how wide the good range is, where it diverges.
class SweepSummaryModel final : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Method, BestLambda, Value, Quartiles, TestError, Range, Decades, Divergence, ColumnCount };

    explicit SweepSummaryModel(QObject *parent = nullptr);

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    void setTheme(const Theme &theme);
    void update(const SweepTable &table, SweepMeasure measure, Index stage);
    const std::vector<SweepRow> &rows() const { return m_rows; }
    void clear();

private:
    QString text(const SweepRow &row, int column) const;

    Theme m_theme;
    std::vector<QString> m_labels;
    std::vector<QString> m_lambdas;
    std::vector<SweepRow> m_rows;
    SweepMeasure m_measure = SweepMeasure::Excess;
};

} // namespace appa::ui
