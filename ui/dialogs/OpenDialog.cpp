#include "dialogs/OpenDialog.h"

#include "base/Text.h"
#include "dialogs/FileQuestion.h"
#include "form/DecimalBox.h"
#include "problem/ProblemLoader.h"
#include "theme/Format.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace appa::ui {

namespace {

struct Examined
{
    DatasetInfo info;
    TargetKind kind = TargetKind::Binary;
};

/// Asks for all the room of what is in it, also when that has become more; its own class asks for what it had at first.
class FieldsArea final : public QScrollArea
{
public:
    using QScrollArea::QScrollArea;
    QSize sizeHint() const override { return widget()->sizeHint(); }
};

} // namespace

OpenDialog::OpenDialog(const QString &path, const Theme &theme, QWidget *parent)
    : QDialog(parent), m_path(path), m_given(defaultRecipe(path.toStdString())), m_test(new QLineEdit(this)),
      m_format(new QComboBox(this)), m_label(new QLineEdit(this)), m_drop(new QLineEdit(this)),
      m_words(new QComboBox(this)), m_missing(new QComboBox(this)),
      m_standardize(new QCheckBox(tr("Standardize the columns (mean 0, deviation 1)"), this)),
      m_positive(new QLineEdit(this)), m_regression(new QCheckBox(tr("Targets are real numbers (regression)"), this)),
      m_holdout(new DecimalBox(this)), m_double(new QCheckBox(tr("Store in double precision"), this)),
      m_head(new QTableWidget(this)), m_guess(new QLabel(this)), m_fields(new FieldsArea(this)),
      m_form(new QFormLayout), m_summary(new QLabel(this)), m_found(new QScrollArea(this)), m_error(new QLabel(this)),
      m_remedies(new QWidget(this)), m_bar(new QProgressBar(this)), m_open(nullptr), m_theme(theme)
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
    m_drop->setPlaceholderText(tr("none; or names, numbers and ranges such as id,5-9"));
    m_drop->setToolTip(
        tr("Columns that are neither label nor feature. A click on a column's title below does the same."));
    m_words->addItems({tr("are an error"), tr("become columns of zeros and ones")});
    m_words->setToolTip(
        tr("Columns that hold words instead of numbers, such as a city: one column per word, a single one "
           "for two words"));
    m_missing->addItems({tr("are an error"), tr("leave their rows out"), tr("get the mean of their column")});
    m_missing->setToolTip(tr("Empty fields, NA, ? and the like. The mean is that of the training rows."));
    m_positive->setPlaceholderText(tr("classes that become +1, such as 1,2,4,5,7"));
    m_test->setPlaceholderText(tr("none"));
    m_holdout->setRange(0, 90);
    m_holdout->setDecimals(1);
    m_holdout->setSingleStep(5);
    m_holdout->setSuffix(tr(" % of the rows"));
    m_holdout->setSpecialValueText(tr("none"));
    m_holdout->setToolTip(tr("The part of the rows kept aside as test set, drawn at random with a fixed seed"));
    m_double->setToolTip(tr("Twice the memory of single precision; for columns of very large numbers"));
    auto *testRow = new QHBoxLayout;
    auto *browse = new QToolButton(this);
    browse->setText(tr("Browse …"));
    testRow->addWidget(m_test, 1);
    testRow->addWidget(browse);
    // Nothing may push the buttons off a small screen: the fields scroll there.
    auto *fields = new QWidget(this);
    fields->setLayout(m_form);
    fields->setAutoFillBackground(false);
    m_fields->setObjectName(QStringLiteral("fields"));
    m_fields->setWidget(fields);
    m_fields->setWidgetResizable(true);
    m_fields->setFrameShape(QFrame::NoFrame);
    m_fields->setFocusPolicy(Qt::NoFocus);
    m_fields->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_fields->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    m_fields->setMinimumHeight(theme.space(11));
    m_fields->viewport()->setAutoFillBackground(false);
    QFormLayout *form = m_form;
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(8);
    form->setHorizontalSpacing(12);
    form->setLabelAlignment(Qt::AlignLeft);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    auto *name = new QLabel(path, this);
    name->setTextInteractionFlags(Qt::TextSelectableByMouse);
    name->setWordWrap(true);
    form->addRow(tr("Format"), m_format);
    form->addRow(tr("Label column"), m_label);
    form->addRow(tr("Leave out"), m_drop);
    form->addRow(tr("Words"), m_words);
    form->addRow(tr("Missing values"), m_missing);
    form->addRow(QString(), m_standardize);
    form->addRow(tr("Positive classes"), m_positive);
    form->addRow(QString(), m_regression);
    form->addRow(tr("Test file"), testRow);
    form->addRow(tr("Hold out"), m_holdout);
    form->addRow(QString(), m_double);

    m_head->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_head->setSelectionMode(QAbstractItemView::NoSelection);
    m_head->verticalHeader()->hide();
    m_head->setShowGrid(false);
    m_head->horizontalHeader()->setSectionsClickable(true);
    m_head->horizontalHeader()->setHighlightSections(false);
    m_head->setAlternatingRowColors(true);
    m_head->setAccessibleName(tr("The first rows of the file"));
    m_guess->setObjectName(QStringLiteral("muted"));
    m_guess->setWordWrap(true);
    m_head->setMinimumHeight(theme.space(11));
    m_error->setWordWrap(true);
    m_error->setTextFormat(Qt::PlainText);
    m_error->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_error->setAccessibleName(tr("What is wrong with the file"));
    QPalette danger = m_error->palette();
    danger.setColor(QPalette::WindowText, theme.danger);
    m_error->setPalette(danger);
    m_error->hide();
    auto *ways = new QHBoxLayout(m_remedies);
    ways->setContentsMargins(0, 0, 0, 0);
    m_remedies->setAccessibleName(tr("What can be done about it"));
    m_remedies->hide();
    m_summary->setWordWrap(true);
    m_summary->setTextFormat(Qt::RichText);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_summary->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_summary->setAccessibleName(tr("What was found in the file"));
    // As long as it may be, it makes the dialog no higher than a small screen.
    m_found->setWidget(m_summary);
    m_found->setWidgetResizable(true);
    m_found->setFrameShape(QFrame::NoFrame);
    m_found->viewport()->setAutoFillBackground(false);
    m_summary->setAutoFillBackground(false);
    m_found->setMinimumHeight(theme.space(5));
    m_bar->setTextVisible(false);
    m_bar->setMaximumHeight(theme.space(1));
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
    layout->addWidget(m_fields, 100); // as far as they need it, before the rest
    layout->addWidget(m_guess);
    layout->addWidget(m_head, 1);
    layout->addWidget(m_bar);
    // What is wrong stands where else is said what was found: above the fields it would move them under the mouse.
    layout->addWidget(m_found, 1);
    layout->addWidget(m_error);
    layout->addWidget(m_remedies);
    layout->addWidget(buttons);
    const int room = screen()->availableGeometry().height() - theme.space(6); // less its frame
    resize(theme.space(84), std::min<int>(theme.space(96), room));

    m_pause.setSingleShot(true);
    m_pause.setInterval(300);
    connect(&m_pause, &QTimer::timeout, this, [this] {
        preview();
        examine();
    });
    const auto later = [this] {
        m_work.cancel(); // what it would find is not of these settings
        m_open->setEnabled(false);
        m_remedies->setEnabled(false);
        m_pause.start();
    };
    connect(m_format, &QComboBox::activated, this, later);
    for (QLineEdit *field : {m_test, m_label, m_drop, m_positive})
        connect(field, &QLineEdit::textChanged, this, later);
    for (QComboBox *field : {m_words, m_missing})
        connect(field, &QComboBox::currentIndexChanged, this, later);
    connect(m_head->horizontalHeader(), &QHeaderView::sectionClicked, this, &OpenDialog::toggleColumn);
    for (QCheckBox *field : {m_regression, m_standardize, m_double})
        connect(field, &QCheckBox::toggled, this, later);
    connect(m_holdout, &QDoubleSpinBox::valueChanged, this, later);
    connect(browse, &QToolButton::clicked, this, [this] {
        ask(this,
            {.title = tr("Test file"), .folder = QFileInfo(m_path).absolutePath(), .mode = QFileDialog::ExistingFile},
            [this](const QString &file) { m_test->setText(file); });
    });
    connect(&m_work, &Background::progressed, this,
            [this](double fraction, const QString &) { m_bar->setValue(static_cast<int>(1000 * fraction)); });
    connect(&m_work, &Background::busyChanged, m_bar, &QWidget::setVisible);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        emit chosen(recipe());
        close();
    });
    for (QLineEdit *field : {m_test, m_label, m_drop, m_positive})
        field->setTextMargins(4, 0, 4, 0);
    m_format->setFocus();
    setTable(false);
    preview();
    examine();
}

void OpenDialog::showEvent(QShowEvent *event)
{
    QDialog::showEvent(event);
    m_placing.setSingleShot(true);
    m_placing.start(1000); // then where it is moved is the user's affair
    keepTitleOnScreen();
}

void OpenDialog::moveEvent(QMoveEvent *event)
{
    QDialog::moveEvent(event);
    if (m_placing.isActive())
        keepTitleOnScreen();
}

/// Nearly as high as the screen, in the middle of a window that is itself still being placed (a file named on the
/// command line), and without a frame yet: its title could come to lie above the screen, where nothing can move it.
void OpenDialog::keepTitleOnScreen()
{
    const int top = screen()->availableGeometry().top();
    if (frameGeometry().top() < top)
        move(pos().x(), top);
}

DataRecipe OpenDialog::recipe() const
{
    const auto words = [](const QLineEdit *field) { return listItems(field->text().toStdString()); };
    DataRecipe recipe = m_given;
    recipe.source = m_path.toStdString();
    recipe.testFile = m_test->text().trimmed().toStdString();
    recipe.format = m_format->currentData().toString().toStdString();
    recipe.label = m_label->text().trimmed().toStdString();
    if (m_isTable && m_standardize->isChecked())
        recipe.transforms.insert(recipe.transforms.begin(), {.kind = Transform::Kind::StandardizeColumns});
    if (m_isTable)
        recipe.columns = {.only = m_given.columns.only,
                          .dropped = words(m_drop),
                          .words = static_cast<ColumnChoice::Words>(m_words->currentIndex()),
                          .missing = static_cast<ColumnChoice::Missing>(m_missing->currentIndex())};
    recipe.positive = words(m_positive);
    recipe.regression = m_regression->isChecked();
    recipe.holdout = m_holdout->value() / 100;
    recipe.precision = m_double->isChecked() ? Precision::Double : Precision::Single;
    return recipe;
}

void OpenDialog::setRecipe(const DataRecipe &recipe)
{
    const auto list = [](const std::vector<std::string> &words) { return QString::fromStdString(listText(words)); };
    m_given = recipe;
    const auto removed = std::erase_if(
        m_given.transforms, [](const Transform &t) { return t.kind == Transform::Kind::StandardizeColumns; });
    m_test->setText(QString::fromStdString(recipe.testFile));
    m_format->setCurrentIndex(m_format->findData(QString::fromStdString(recipe.format)));
    m_label->setText(QString::fromStdString(recipe.label));
    m_drop->setText(list(recipe.columns.dropped));
    m_words->setCurrentIndex(static_cast<int>(recipe.columns.words));
    m_missing->setCurrentIndex(static_cast<int>(recipe.columns.missing));
    m_standardize->setChecked(removed > 0);
    m_positive->setText(list(recipe.positive));
    m_regression->setChecked(recipe.regression);
    m_holdout->setValue(100 * recipe.holdout);
    m_double->setChecked(recipe.precision == Precision::Double);
    preview();
    examine();
}

QString OpenDialog::summary() const
{
    return m_error->text().isEmpty() ? m_summary->text() : m_error->text();
}

void OpenDialog::preview()
{
    m_glance.start([recipe = recipe()](const Progress &) { return previewData(recipe); },
                   [this](const Result<DataPreview> &result) {
                       showHead(result.ok() ? result.value() : DataPreview()); // the load says what is wrong
                   });
}

void OpenDialog::setTable(bool isTable)
{
    m_isTable = isTable;
    for (QWidget *field : std::initializer_list<QWidget *>{m_label, m_drop, m_words, m_missing, m_standardize})
        m_form->setRowVisible(field, isTable);
    m_fields->updateGeometry();
}

void OpenDialog::showHead(const DataPreview &preview)
{
    m_seen = preview;
    m_head->clear();
    m_head->setRowCount(0);
    m_head->setColumnCount(0);
    m_guess->clear();
    setTable(preview.format == "csv");
    if (m_examined && !(*m_examined == recipe())) // that of a table, or no longer
        examine();
    else
        showAdvice(); // some of it is for tables only
    if (preview.format.empty())
        return;
    m_guess->setText(
        tr("Format: %1 (%2).").arg(QString::fromStdString(preview.format), QString::fromStdString(preview.why))
        + (m_isTable ? u' ' + tr("Click a column's title to leave it out, or to take it back.") : QString()));
    std::size_t columns = preview.columns.size();
    for (const auto &row : preview.rows)
        columns = std::max(columns, row.size());
    m_head->setColumnCount(static_cast<int>(columns));
    m_head->setRowCount(static_cast<int>(preview.rows.size()));
    for (std::size_t c = 0; c < columns; ++c) {
        const bool isNamed = c < preview.columns.size();
        const bool isLabel = isNamed && preview.columns[c] == preview.labelColumn;
        const bool isUnused = c < preview.used.size() && !preview.used[c] && !isLabel;
        const QString name = isNamed     ? QString::fromStdString(preview.columns[c])
            : preview.format != "libsvm" ? QString::number(c + 1)
            : c == 0                     ? tr("label")
                                         : QString(); // its entries say which column they are of
        auto *title = new QTableWidgetItem(isLabel ? tr("%1 (label)").arg(name) : name);
        QFont font = m_head->horizontalHeader()->font();
        font.setStrikeOut(isUnused);
        title->setFont(font);
        m_head->setHorizontalHeaderItem(static_cast<int>(c), title);
        for (std::size_t r = 0; r < preview.rows.size(); ++r) {
            if (c >= preview.rows[r].size())
                continue;
            auto *item = new QTableWidgetItem(QString::fromStdString(preview.rows[r][c]));
            if (isUnused)
                item->setForeground(m_theme.textMuted);
            m_head->setItem(static_cast<int>(r), static_cast<int>(c), item);
        }
    }
    m_head->resizeColumnsToContents();
}

void OpenDialog::toggleColumn(int column)
{
    DataPreview now = m_seen;
    const auto clicked = static_cast<std::size_t>(column);
    if (clicked >= now.used.size() || now.columns[clicked] == now.labelColumn)
        return;
    now.used[clicked] = !now.used[clicked];
    std::vector<std::string> words;
    for (std::size_t c = 0; c < now.used.size(); ++c) {
        if (!now.used[c] && now.columns[c] != now.labelColumn)
            words.push_back(ColumnChoice::nameOf(now.columns, c));
    }
    showHead(now);
    m_drop->setText(QString::fromStdString(listText(words)));
}

void OpenDialog::examine()
{
    m_advice = {};
    showAdvice();
    m_summary->setText(tr("Reading …"));
    m_bar->setValue(0);
    m_open->setEnabled(false);
    m_examined = recipe();
    m_work.start(
        [recipe = *m_examined](const Progress &progress) -> Result<Examined> {
            auto data = loadDataset(recipe, progress);
            if (!data.ok())
                return data.error();
            return Examined{describe(*data.value()), data.value()->kind};
        },
        [this](const Result<Examined> &result) {
            m_open->setEnabled(result.ok());
            m_summary->clear();
            if (result.ok())
                present(result.value().info, result.value().kind);
            else
                m_advice = result.error();
            showAdvice();
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
    if (const QString uneven = unevenColumnsText(info.columnRatio); m_isTable && !uneven.isEmpty())
        text += tr("<br><b>%1:</b> most methods are much faster once they are standardized.").arg(uneven);
    text += QStringLiteral("<br>") + tr("What is done:");
    for (const ProvenanceStep &step : info.provenance) {
        m_advice.remedies.insert(m_advice.remedies.end(), step.remedies.begin(), step.remedies.end());
        text += QStringLiteral("<br>&nbsp;&nbsp;– ") + QString::fromStdString(step.what).toHtmlEscaped();
        if (!step.detail.empty())
            text += QStringLiteral(" <span style='color:%1'>(%2)</span>")
                        .arg(m_theme.textMuted.name(), QString::fromStdString(step.detail).toHtmlEscaped());
    }
    m_summary->setText(text);
}

} // namespace appa::ui
