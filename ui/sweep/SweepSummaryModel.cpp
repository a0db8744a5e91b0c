#include "sweep/SweepSummaryModel.h"

#include "theme/Format.h"

#include <QPainter>
#include <QPixmap>

#include <cmath>

namespace appa::ui {

namespace {

const QString dash = QStringLiteral("–");

QPixmap swatch(const QColor &colour)
{
    QPixmap pixmap(24, 24);
    pixmap.setDevicePixelRatio(2);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(colour);
    painter.setPen(Qt::NoPen);
    painter.drawEllipse(QRectF(1.5, 1.5, 9, 9));
    return pixmap;
}

QString number(double value)
{
    return std::isnan(value) ? dash : std::isinf(value) ? QStringLiteral("∞") : formatNumber(value, 3);
}

} // namespace

SweepSummaryModel::SweepSummaryModel(QObject *parent) : QAbstractTableModel(parent) { }

int SweepSummaryModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int SweepSummaryModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QVariant SweepSummaryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(section == Method ? Qt::AlignLeft | Qt::AlignVCenter
                                                     : Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::DisplayRole) {
        switch (section) {
        case Method:
            return tr("Method");
        case BestLambda:
            return tr("Best λ");
        case Value:
            switch (m_measure) {
            case SweepMeasure::Excess:
                return tr("Excess");
            case SweepMeasure::TestError: // the column of that name has its spread over the test rows
                return tr("Median error");
            case SweepMeasure::PassesToTarget:
                return tr("Passes");
            case SweepMeasure::Objective:
                return tr("Objective");
            }
            break;
        case Quartiles:
            return tr("Quartiles");
        case TestError:
            return tr("Test error");
        case Range:
            return tr("λ within 2×");
        case Decades:
            return tr("Decades");
        case Divergence:
            return tr("Above F(0)");
        }
    }
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case BestLambda:
            return tr("The λ of the grid whose median over the seeds is lowest.");
        case TestError:
            return tr("At the best λ, with its standard error on this many test rows.");
        case Range:
            return tr("The λ around the best whose median is at most twice the best.");
        case Decades:
            return tr(
                "Width of that range in decades: how forgiving the method is. ≥: the range reaches the grid's end.");
        case Divergence:
            return tr("Where the median run ends above its start, or diverges.");
        default:
            break;
        }
    }
    return {};
}

QString SweepSummaryModel::text(const SweepRow &row, int column) const
{
    if (column == Method)
        return m_labels[row.method];
    if (column == Divergence) {
        if (row.runs == 0)
            return dash;
        QStringList parts;
        if (row.divergesUpTo)
            parts << QStringLiteral("λ ≤ ") + formatPower(*row.divergesUpTo);
        if (row.divergesFrom)
            parts << QStringLiteral("λ ≥ ") + formatPower(*row.divergesFrom);
        return parts.isEmpty() ? tr("never") : parts.join(QStringLiteral(", "));
    }
    if (!row.best)
        return dash;
    switch (column) {
    case BestLambda:
        return m_lambdas[*row.best];
    case Value:
        return number(row.value.median);
    case Quartiles:
        return row.value.runs < 2 ? dash : number(row.value.q1) + QStringLiteral(" – ") + number(row.value.q3);
    case TestError:
        return std::isnan(row.testStandardError)
            ? number(row.testError)
            : QStringLiteral("%1 ± %2").arg(formatFixed(row.testError, 4), formatFixed(row.testStandardError, 4));
    case Range:
        return (row.openBelow ? QStringLiteral("≤ ") : QString()) + formatPower(row.low, 2) + QStringLiteral(" – ")
            + (row.openAbove ? QStringLiteral("≥ ") : QString()) + formatPower(row.high, 2);
    case Decades:
        return (row.openBelow || row.openAbove ? QStringLiteral("≥ ") : QString()) + formatFixed(row.decades, 1);
    default:
        return {};
    }
}

QVariant SweepSummaryModel::data(const QModelIndex &index, int role) const
{
    const SweepRow &row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::DecorationRole:
        if (index.column() == Method)
            return swatch(m_theme.series(static_cast<int>(row.method)));
        break;
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(index.column() == Method ? Qt::AlignLeft | Qt::AlignVCenter
                                                            : Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (index.column() == Divergence && (row.divergesFrom || row.divergesUpTo))
            return m_theme.danger;
        break;
    case Qt::ToolTipRole:
        if (index.column() == Divergence && row.earliestDivergence > 0)
            return tr("The earliest run to diverge did so in stage %1.").arg(row.earliestDivergence);
        return text(row, index.column());
    default:
        break;
    }
    return {};
}

void SweepSummaryModel::setTheme(const Theme &theme)
{
    m_theme = theme;
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

void SweepSummaryModel::update(const SweepTable &table, SweepMeasure measure, Index stage)
{
    std::vector<SweepRow> rows = table.rows(measure, stage);
    std::vector<QString> labels, lambdas;
    for (const SweepVariant &variant : table.plan().methods)
        labels.push_back(QString::fromStdString(variant.label()));
    for (const double lambda : table.plan().lambdas)
        lambdas.push_back(formatPower(lambda));
    const bool reset = rows.size() != m_rows.size() || labels != m_labels;
    if (reset)
        beginResetModel();
    const bool header = measure != m_measure;
    m_rows = std::move(rows);
    m_labels = std::move(labels);
    m_lambdas = std::move(lambdas);
    m_measure = measure;
    if (reset)
        endResetModel();
    else if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    if (header)
        emit headerDataChanged(Qt::Horizontal, Value, Value);
}

void SweepSummaryModel::clear()
{
    beginResetModel();
    m_rows.clear();
    m_labels.clear();
    endResetModel();
}

} // namespace appa::ui
