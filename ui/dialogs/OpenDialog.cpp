#include "dialogs/OpenDialog.h"

#include "data/Preview.h"
#include "theme/Format.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace appa::ui {

namespace {

struct Examined
{
    DatasetInfo info;
    TargetKind kind = TargetKind::Binary;
};

} // namespace

OpenDialog::OpenDialog(const QString &path, const Theme &theme, QWidget *parent)
    : QDialog(parent), m_path(path), m_test(new QLineEdit(this)), m_format(new QComboBox(this)),
      m_label(new QLineEdit(this)), m_positive(new QLineEdit(this)),
      m_regression(new QCheckBox(tr("Targets are real numbers (regression)"), this)),
      m_holdout(new QDoubleSpinBox(this)), m_head(new QTableWidget(this)), m_guess(new QLabel(this)),
      m_summary(new QLabel(this)), m_error(new QLabel(this)), m_bar(new QProgressBar(this)), m_open(nullptr),
      m_theme(theme)
{
    setWindowTitle(tr("Open %1").arg(QFileInfo(path).fileName()));
    setModal(false);
    setAttribute(Qt::WA_DeleteOnClose);
    const std::pair<QString, const char *> formats[] = {
        {tr("Recognize by content"), "auto"}, {tr("LIBSVM / svmlight"), "libsvm"}, {tr("CSV / TSV"), "csv"},
        {tr("IDX (MNIST)"), "idx"},           {tr("CIFAR-10 binary"), "cifar"},    {tr("KDD Cup 2004"), "kdd"}};
    for (const auto &[title, id] : formats)
        m_format->addItem(title, QLatin1String(id));
    m_label->setPlaceholderText(tr("the format's own, or a column's name or number"));
    m_positive->setPlaceholderText(tr("classes that become +1, such as 1,2,4,5,7"));
    m_test->setPlaceholderText(tr("none"));
    m_holdout->setRange(0, 90);
    m_holdout->setDecimals(1);
    m_holdout->setSingleStep(5);
    m_holdout->setSuffix(tr(" % of the rows"));
    m_holdout->setSpecialValueText(tr("none"));
    m_holdout->setToolTip(tr("The part of the rows kept aside as test set, drawn at random with a fixed seed"));
    auto *testRow = new QHBoxLayout;
    auto *browse = new QToolButton(this);
    browse->setText(tr("Browse …"));
    testRow->addWidget(m_test, 1);
    testRow->addWidget(browse);
    auto *form = new QFormLayout;
    form->setVerticalSpacing(8);
    form->setHorizontalSpacing(12);
    form->setLabelAlignment(Qt::AlignLeft);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    auto *name = new QLabel(path, this);
    name->setTextInteractionFlags(Qt::TextSelectableByMouse);
    name->setWordWrap(true);
    form->addRow(tr("Format"), m_format);
    form->addRow(tr("Label column"), m_label);
    form->addRow(tr("Positive classes"), m_positive);
    form->addRow(QString(), m_regression);
    form->addRow(tr("Test file"), testRow);
    form->addRow(tr("Hold out"), m_holdout);

    m_head->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_head->setSelectionMode(QAbstractItemView::NoSelection);
    m_head->verticalHeader()->hide();
    m_head->setShowGrid(false);
    m_head->setAlternatingRowColors(true);
    m_head->setAccessibleName(tr("The first rows of the file"));
    m_guess->setObjectName(QStringLiteral("muted"));
    m_guess->setWordWrap(true);
    m_head->setMinimumHeight(theme.space(14));
    m_error->setWordWrap(true);
    m_error->setTextFormat(Qt::PlainText);
    m_error->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_error->setAccessibleName(tr("What is wrong with the file"));
    QPalette danger = m_error->palette();
    danger.setColor(QPalette::WindowText, theme.danger);
    m_error->setPalette(danger);
    m_error->hide();
    m_summary->setWordWrap(true);
    m_summary->setTextFormat(Qt::RichText);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_summary->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_summary->setAccessibleName(tr("What was found in the file"));
    m_summary->setMinimumHeight(theme.space(20));
    m_bar->setTextVisible(false);
    m_bar->setRange(0, 1000);
    QSizePolicy keep = m_bar->sizePolicy();
    keep.setRetainSizeWhenHidden(true);
    m_bar->setSizePolicy(keep);

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_open = buttons->addButton(tr("Open"), QDialogButtonBox::AcceptRole);
    m_open->setProperty("primary", true);
    m_open->setDefault(true);
    m_open->setEnabled(false);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(12);
    layout->addWidget(name);
    layout->addWidget(m_error);
    layout->addLayout(form);
    layout->addWidget(m_guess);
    layout->addWidget(m_head, 1);
    layout->addWidget(m_bar);
    layout->addWidget(m_summary);
    layout->addWidget(buttons);
    resize(theme.space(84), theme.space(84));

    m_pause.setSingleShot(true);
    m_pause.setInterval(300);
    connect(&m_pause, &QTimer::timeout, this, [this] {
        preview();
        examine();
    });
    const auto later = [this] {
        m_open->setEnabled(false);
        m_pause.start();
    };
    connect(m_format, &QComboBox::activated, this, later);
    for (QLineEdit *field : {m_test, m_label, m_positive})
        connect(field, &QLineEdit::textEdited, this, later);
    connect(m_regression, &QCheckBox::toggled, this, later);
    connect(m_holdout, &QDoubleSpinBox::valueChanged, this, later);
    connect(browse, &QToolButton::clicked, this, [this, later] {
        auto *dialog = new QFileDialog(this, tr("Test file"), QFileInfo(m_path).absolutePath());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &QFileDialog::fileSelected, this, [this, later](const QString &file) {
            m_test->setText(file);
            later();
        });
        dialog->open();
    });
    connect(&m_work, &Background::progressed, this,
            [this](double fraction, const QString &) { m_bar->setValue(static_cast<int>(1000 * fraction)); });
    connect(&m_work, &Background::busyChanged, m_bar, &QWidget::setVisible);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        emit chosen(recipe());
        close();
    });
    preview();
    examine();
}

DataRecipe OpenDialog::recipe() const
{
    DataRecipe recipe = defaultRecipe(m_path.toStdString());
    recipe.source = m_path.toStdString();
    recipe.testFile = m_test->text().trimmed().toStdString();
    recipe.format = m_format->currentData().toString().toStdString();
    recipe.label = m_label->text().trimmed().toStdString();
    recipe.positive.clear();
    for (const QString &word : m_positive->text().split(u',', Qt::SkipEmptyParts))
        recipe.positive.push_back(word.trimmed().toStdString());
    recipe.regression = m_regression->isChecked();
    recipe.holdout = m_holdout->value() / 100;
    return recipe;
}

QString OpenDialog::summary() const
{
    return m_error->text().isEmpty() ? m_summary->text() : m_error->text();
}

void OpenDialog::preview()
{
    m_glance.start([recipe = recipe()](const Progress &) { return previewData(recipe); },
                   [this](const Result<DataPreview> &result) {
                       m_head->clear();
                       m_head->setRowCount(0);
                       m_head->setColumnCount(0);
                       m_guess->clear();
                       if (!result.ok()) // the load says why
                           return;
                       const DataPreview &p = result.value();
                       m_guess->setText(
                           tr("Format: %1 (%2)").arg(QString::fromStdString(p.format), QString::fromStdString(p.why)));
                       std::size_t columns = p.columns.size();
                       for (const auto &row : p.rows)
                           columns = std::max(columns, row.size());
                       m_head->setColumnCount(static_cast<int>(columns));
                       m_head->setRowCount(static_cast<int>(p.rows.size()));
                       QStringList names;
                       for (std::size_t c = 0; c < columns; ++c) {
                           const QString name =
                               c < p.columns.size() ? QString::fromStdString(p.columns[c]) : QString::number(c + 1);
                           names << (c < p.columns.size() && p.columns[c] == p.labelColumn ? tr("%1 (label)").arg(name)
                                                                                           : name);
                       }
                       m_head->setHorizontalHeaderLabels(names);
                       for (std::size_t r = 0; r < p.rows.size(); ++r)
                           for (std::size_t c = 0; c < p.rows[r].size(); ++c)
                               m_head->setItem(static_cast<int>(r), static_cast<int>(c),
                                               new QTableWidgetItem(QString::fromStdString(p.rows[r][c])));
                       m_head->resizeColumnsToContents();
                   });
}

void OpenDialog::examine()
{
    m_summary->setText(tr("Reading …"));
    m_bar->setValue(0);
    m_work.start(
        [recipe = recipe()](const Progress &progress) -> Result<Examined> {
            auto data = loadDataset(recipe, progress);
            if (!data.ok())
                return data.error();
            return Examined{describe(*data.value()), data.value()->kind};
        },
        [this](const Result<Examined> &result) {
            m_open->setEnabled(result.ok());
            m_error->setText(result.ok() ? QString() : QString::fromStdString(result.error().message));
            m_error->setVisible(!result.ok());
            m_summary->clear();
            if (result.ok())
                present(result.value().info, result.value().kind);
        });
}

void OpenDialog::present(const DatasetInfo &info, TargetKind kind)
{
    QString text =
        tr("<b>%1 rows, %2 features</b>, %3 test rows; %4, %5; %6.")
            .arg(formatCount(info.n), formatCount(info.d), formatCount(info.testRows),
                 QString::fromStdString(info.storage).toHtmlEscaped(), formatBytes(static_cast<double>(info.bytes)),
                 QString::fromStdString(info.targets).toHtmlEscaped());
    if (!info.labelCounts.empty()) {
        QStringList labels;
        for (const auto &[label, rows] : info.labelCounts)
            labels << QStringLiteral("%1: %2").arg(QString::fromStdString(label).toHtmlEscaped(), formatCount(rows));
        text += tr("<br>Labels: %1.").arg(labels.mid(0, 12).join(QStringLiteral(", ")));
    }
    if (kind == TargetKind::Classes)
        text += tr("<br>More than two classes: the loss is softmax then, unless you name the positive ones above.");
    text += QStringLiteral("<br>") + tr("What is done:");
    for (const ProvenanceStep &step : info.provenance) {
        text += QStringLiteral("<br>&nbsp;&nbsp;– ") + QString::fromStdString(step.what).toHtmlEscaped();
        if (!step.detail.empty())
            text += QStringLiteral(" <span style='color:%1'>(%2)</span>")
                        .arg(m_theme.textMuted.name(), QString::fromStdString(step.detail).toHtmlEscaped());
    }
    m_summary->setText(text);
}

} // namespace appa::ui
