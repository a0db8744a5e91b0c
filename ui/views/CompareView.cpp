#include "views/CompareView.h"

#include "RunController.h"
#include "form/ParamText.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSignalBlocker>
#include <QTableWidget>

#include <map>

namespace appa::ui {

namespace {

using Rows = std::vector<std::pair<QString, QString>>;

Rows rowsOf(const RunRecord &run, const RunModel &model)
{
    Rows rows;
    const auto add = [&](const QString &label, const QString &value) { rows.emplace_back(label, value); };
    add(CompareView::tr("Problem"), run.problem ? run.problem->title : QString());
    add(CompareView::tr("Variant"), methodLabel(run.method));
    add(CompareView::tr("Inner solver"), run.inner.empty() ? QStringLiteral("–") : innerLabel(run.inner));
    add(CompareView::tr("Seed"), QString::number(run.spec.seed));
    add(CompareView::tr("Forked from"),
        run.forkedFrom > 0
            ? CompareView::tr("%1, stage %2")
                  .arg(model.find(run.forkedFrom) ? model.find(run.forkedFrom)->name : QStringLiteral("–"))
                  .arg(run.forkedAt)
            : QStringLiteral("–"));
    if (const MethodInfo *info = findMethod(run.method)) {
        const ParamSet wanted = RunController::wanted(run);
        for (const ParamSpec &spec : paramsOf(*info, run.inner)) {
            const auto effective = run.effective.values().find(spec.key);
            QString value =
                shortText(spec, effective == run.effective.values().end() ? spec.defaultValue : effective->second);
            if (wanted.isAuto(spec.key) && value != QLatin1String("auto"))
                value = QStringLiteral("auto (%1)").arg(value);
            add(QString::fromStdString(spec.label), value);
        }
    }
    add(CompareView::tr("Changes made"), QString::number(run.trace.events.size()));
    for (const int column : {RunModel::Stage, RunModel::Passes, RunModel::Loss, RunModel::Excess, RunModel::TestError,
                             RunModel::Gap, RunModel::Time, RunModel::Status})
        add(model.headerData(column, Qt::Horizontal).toString(),
            model.index(model.rowOf(run.id), column).data().toString());
    return rows;
}

} // namespace

CompareView::CompareView(RunModel &model, QWidget *parent)
    : QDialog(parent), m_model(model), m_left(new QComboBox(this)), m_right(new QComboBox(this)),
      m_table(new QTableWidget(this))
{
    setWindowTitle(tr("Compare two runs"));
    setModal(false);
    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(12, 12, 12, 12);
    grid->addWidget(m_left, 0, 0);
    grid->addWidget(m_right, 0, 1);
    grid->addWidget(m_table, 1, 0, 1, 2);
    m_left->setAccessibleName(tr("First run"));
    m_right->setAccessibleName(tr("Second run"));
    m_table->setAccessibleName(tr("Parameters and results of both runs"));
    m_table->setColumnCount(3);
    m_table->verticalHeader()->hide();
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(m_left, &QComboBox::activated, this, &CompareView::fill);
    connect(m_right, &QComboBox::activated, this, &CompareView::fill);
    connect(&m_model, &QAbstractItemModel::dataChanged, this, [this] {
        if (isVisible())
            fill();
    });
    const auto renamed = [this] {
        refreshNames();
        fill();
    };
    connect(&m_model, &QAbstractItemModel::rowsInserted, this, renamed);
    connect(&m_model, &QAbstractItemModel::rowsRemoved, this, renamed);
    connect(&m_model, &RunModel::edited, this, renamed);
}

void CompareView::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_table->verticalHeader()->setDefaultSectionSize(theme.space(3.25));
    if (!isVisible())
        resize(theme.space(78), theme.space(88));
    fill();
}

void CompareView::refreshNames()
{
    for (QComboBox *box : {m_left, m_right}) {
        const QSignalBlocker block(box);
        const QVariant chosen = box->currentData();
        box->clear();
        for (const auto &run : m_model.runs())
            box->addItem(run->name, run->id);
        box->setCurrentIndex(std::max(0, box->findData(chosen)));
    }
}

void CompareView::compare(RunId left, RunId right)
{
    refreshNames();
    m_left->setCurrentIndex(m_left->findData(left));
    m_right->setCurrentIndex(m_right->findData(right));
    fill();
}

void CompareView::fill()
{
    const RunRecord *left = m_model.find(m_left->currentData().toInt());
    const RunRecord *right = m_model.find(m_right->currentData().toInt());
    if (!left || !right) {
        m_table->setRowCount(0);
        return;
    }
    const Rows a = rowsOf(*left, m_model);
    const Rows b = rowsOf(*right, m_model);
    // Labels of both, in the order of the first with the second's own after their neighbours.
    std::vector<QString> labels;
    for (const auto &[label, value] : a)
        labels.push_back(label);
    for (const auto &[label, value] : b)
        if (std::ranges::find(labels, label) == labels.end())
            labels.insert(std::ranges::find(labels, tr("Changes made")), label);
    const auto valueIn = [](const Rows &rows, const QString &label) {
        for (const auto &[key, value] : rows)
            if (key == label)
                return value;
        return QStringLiteral("–");
    };
    m_table->setHorizontalHeaderLabels({QString(), left->name, right->name});
    m_table->setRowCount(static_cast<int>(labels.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const QString label = labels[static_cast<std::size_t>(row)];
        const QStringList cells{label, valueIn(a, label), valueIn(b, label)};
        const bool differs = cells[1] != cells[2];
        for (int column = 0; column < 3; ++column) {
            QTableWidgetItem *item = m_table->item(row, column);
            if (!item)
                m_table->setItem(row, column, item = new QTableWidgetItem);
            item->setText(cells[column]);
            item->setForeground(column == 0 ? m_theme.textMuted : differs ? m_theme.text : m_theme.textMuted);
            QFont font = m_theme.font(differs && column > 0 ? TextRole::Strong : TextRole::Body);
            item->setFont(font);
        }
    }
}

} // namespace appa::ui
