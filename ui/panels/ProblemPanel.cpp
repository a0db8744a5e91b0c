#include "panels/ProblemPanel.h"

#include "form/FormBox.h"
#include "form/FormLabel.h"
#include "form/ParamField.h"
#include "panels/GeneratorForm.h"
#include "panels/Section.h"
#include "panels/TransformEditor.h"
#include "problem/ProblemLoader.h"
#include "theme/Format.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace appa::ui {

namespace {

constexpr int settleMs = 350;
enum ItemRole { SourceRole = Qt::UserRole, KindRole };
enum ItemKind { KnownItem, FileItem, OpenItem, DownloadItem };

ParamSpec ridgeSpec()
{
    return {.key = "ridge",
            .label = "Ridge γ",
            .help = "Adds (γ/2)|x|² to F itself. It makes F strongly convex; a separable logistic problem needs one to "
                    "have an optimum.",
            .type = ParamSpec::Type::Real,
            .defaultValue = 0.0,
            .min = 0,
            .max = 1e6,
            .scale = ParamSpec::Scale::Log,
            .choices = {}};
}

QString storageText(const Features &features)
{
    const bool single =
        std::holds_alternative<DenseMatrix<float>>(features) || std::holds_alternative<SparseMatrix<float>>(features);
    if (!isSparse(features))
        return single ? ProblemPanel::tr("dense, float32") : ProblemPanel::tr("dense, float64");
    const double cells = static_cast<double>(rowsOf(features)) * static_cast<double>(colsOf(features));
    const double density = cells > 0 ? static_cast<double>(nonZerosOf(features)) / cells : 0;
    return ProblemPanel::tr("sparse, %1, %2 % filled")
        .arg(single ? QStringLiteral("float32") : QStringLiteral("float64"), formatNumber(100 * density, 2));
}

} // namespace

ProblemPanel::ProblemPanel(QWidget *parent)
    : QWidget(parent), m_data(new FormBox(this)), m_loss(new FormBox(this)), m_generator(new GeneratorForm(this)),
      m_transforms(new TransformEditor(this)), m_ridge(new ParamField(ridgeSpec(), ParamField::Style::Plain, this)),
      m_summary(mutedLabel({}, this)), m_uneven(new QLabel(this)), m_standardize(new QPushButton(this)),
      m_provenance(mutedLabel({}, this)), m_more(new QToolButton(this)), m_details(new QWidget(this)),
      m_busy(new QWidget(this)), m_bar(new QProgressBar(m_busy)), m_doing(mutedLabel({}, m_busy))
{
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(8);
    grid->setColumnStretch(1, 1);
    const auto row = [&](int r, const QString &text, QComboBox *box) {
        auto *label = new FormLabel(text, this);
        label->setBuddy(box);
        box->setAccessibleName(text);
        grid->addWidget(label, r, 0);
        grid->addWidget(box, r, 1);
    };
    row(0, tr("Data"), m_data);
    row(1, tr("Loss"), m_loss);
    m_data->setObjectName(QStringLiteral("dataBox"));
    m_loss->setObjectName(QStringLiteral("lossBox"));

    auto *busyRow = new QGridLayout(m_busy);
    busyRow->setContentsMargins(0, 0, 0, 0);
    auto *cancel = new QToolButton(m_busy);
    cancel->setText(tr("Cancel"));
    cancel->setToolTip(tr("Stop loading and keep the problem there is"));
    m_bar->setTextVisible(false);
    m_bar->setMaximumHeight(8);
    m_bar->setRange(0, 1000);
    busyRow->addWidget(m_doing, 0, 0);
    busyRow->addWidget(cancel, 0, 1, 2, 1);
    busyRow->addWidget(m_bar, 1, 0);
    m_busy->hide();

    m_uneven->setObjectName(QStringLiteral("fieldError"));
    m_uneven->setProperty("level", QStringLiteral("note"));
    m_uneven->setWordWrap(true);
    m_standardize->setText(tr("Standardize"));
    m_standardize->setToolTip(tr("Gives every column mean 0 and variance 1, before all other transforms"));
    m_uneven->hide();
    m_standardize->hide();

    m_more->setText(tr("Transforms"));
    m_more->setCheckable(true);
    m_more->setArrowType(Qt::RightArrow);
    m_more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_more->setObjectName(QStringLiteral("fold"));
    m_more->setToolTip(tr("Every step from the file to the numbers the methods see"));
    m_provenance->setTextFormat(Qt::RichText);
    m_provenance->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *details = new QVBoxLayout(m_details);
    details->setContentsMargins(0, 0, 0, 0);
    details->addWidget(m_transforms);
    details->addWidget(m_provenance);
    m_details->hide();

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addLayout(grid);
    layout->addWidget(m_generator);
    layout->addWidget(m_ridge);
    layout->addWidget(m_summary);
    layout->addWidget(m_uneven);
    layout->addWidget(m_standardize, 0, Qt::AlignLeft);
    layout->addWidget(m_busy);
    layout->addWidget(m_more);
    layout->addWidget(m_details);

    m_pause.setSingleShot(true);
    m_pause.setInterval(settleMs);
    connect(&m_pause, &QTimer::timeout, this, &ProblemPanel::emitSpec);
    connect(m_data, &QComboBox::activated, this, &ProblemPanel::pickData);
    connect(m_loss, &QComboBox::activated, this, [this] {
        m_spec.loss = m_loss->currentData().toString().toStdString();
        changed();
    });
    connect(m_ridge, &ParamField::edited, this, [this](const QString &, const ParamValue &value) {
        m_spec.ridge = std::get<double>(value);
        changed();
    });
    connect(m_generator, &GeneratorForm::edited, this, [this](const QString &source) {
        m_spec.recipe.source = source.toStdString();
        changed();
    });
    connect(m_transforms, &TransformEditor::edited, this, [this] {
        m_spec.recipe.transforms = m_transforms->transforms();
        changed();
    });
    connect(m_standardize, &QPushButton::clicked, this, [this] {
        std::vector<Transform> &transforms = m_spec.recipe.transforms;
        transforms.insert(transforms.begin(), {.kind = Transform::Kind::StandardizeColumns});
        m_transforms->setTransforms(transforms);
        m_standardize->setEnabled(false); // until it is done, or has failed
        emitSpec();
    });
    connect(cancel, &QToolButton::clicked, this, &ProblemPanel::cancelRequested);
    connect(m_more, &QToolButton::toggled, this, [this](bool open) {
        m_more->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        m_details->setVisible(open);
    });
    fillLosses(nullptr);
}

void ProblemPanel::changed()
{
    m_pause.start();
}

void ProblemPanel::emitSpec()
{
    m_pause.stop();
    m_base = m_spec;
    emit specEdited(m_spec);
}

void ProblemPanel::setSources(std::vector<DataSource> sources, const QStringList &recentFiles)
{
    m_sources = std::move(sources);
    const QSignalBlocker block(m_data);
    m_data->clear();
    for (const DataSource &source : m_sources) {
        m_data->addItem(source.available ? source.name : tr("%1 (download …)").arg(source.name), source.name);
        const int at = m_data->count() - 1;
        m_data->setItemData(at, source.available ? KnownItem : DownloadItem, KindRole);
        m_data->setItemData(at, source.title, Qt::ToolTipRole);
    }
    if (!recentFiles.isEmpty()) {
        m_data->insertSeparator(m_data->count());
        for (const QString &path : recentFiles) {
            m_data->addItem(QFileInfo(path).fileName(), path);
            m_data->setItemData(m_data->count() - 1, FileItem, KindRole);
            m_data->setItemData(m_data->count() - 1, path, Qt::ToolTipRole);
        }
    }
    m_data->insertSeparator(m_data->count());
    m_data->addItem(tr("Open a file …"));
    m_data->setItemData(m_data->count() - 1, OpenItem, KindRole);
    showSpec(m_spec);
}

void ProblemPanel::pickData(int index)
{
    const int kind = m_data->itemData(index, KindRole).toInt();
    const QString name = m_data->itemData(index, SourceRole).toString();
    const ProblemSpec before = m_spec;
    if (kind == OpenItem) {
        showSpec(before); // the box says what is in effect, not what is being asked for
        emit openRequested();
    } else if (kind == DownloadItem) {
        showSpec(before);
        emit downloadRequested(name);
    } else if (kind == FileItem) {
        // How a file is to be read, only its user knows: label, columns, words.
        showSpec(before);
        if (name.toStdString() != before.recipe.source)
            emit fileRequested(name);
    } else {
        for (const DataSource &source : m_sources)
            if (source.name == name)
                m_spec.recipe = source.recipe;
        showSpec(m_spec);
        changed();
    }
}

void ProblemPanel::setSpec(const ProblemSpec &spec)
{
    m_base = spec;
    showSpec(spec);
}

void ProblemPanel::showSpec(const ProblemSpec &spec)
{
    m_spec = spec;
    const QSignalBlocker blockData(m_data);
    const QSignalBlocker blockLoss(m_loss);
    const QString source = QString::fromStdString(spec.recipe.source);
    int at = m_data->findData(source);
    if (at < 0) // a made data set goes by its name, its keys are shown below
        at = m_data->findData(source.section(u':', 0, 0));
    if (at < 0 && m_data->count() > 0) {
        m_data->insertItem(0, QFileInfo(source).isFile() ? QFileInfo(source).fileName() : source, source);
        m_data->setItemData(0, QFileInfo(source).isFile() ? FileItem : KnownItem, KindRole);
        m_data->setItemData(0, source, Qt::ToolTipRole);
        at = 0;
    }
    m_data->setCurrentIndex(at);
    m_data->setToolTip(
        QFileInfo(source).isFile() ? source : tr("The data set: built in, downloaded, generated, or a file of yours"));
    m_loss->setCurrentIndex(m_loss->findData(QString::fromStdString(spec.loss)));
    m_generator->setSource(spec.recipe.source);
    m_transforms->setTransforms(spec.recipe.transforms);
    m_ridge->showValue(spec.ridge, spec.ridge);
}

void ProblemPanel::fillLosses(const Dataset *data)
{
    const QSignalBlocker block(m_loss);
    auto *model = new QStandardItemModel(m_loss);
    for (const LossInfo &info : losses()) {
        const auto text = [](std::string_view v) {
            return QString::fromUtf8(v.data(), static_cast<qsizetype>(v.size()));
        };
        auto *item = new QStandardItem(text(info.label));
        item->setData(text(info.id), SourceRole);
        QString tip = text(info.formula);
        if (data) {
            const auto loss = makeLoss(info.id, data->train.rows(), data->classes());
            const std::string why = loss.ok() ? Problem::whyNot(*data, loss.value(), 0) : loss.error().message;
            if (!why.empty())
                tip = QString::fromStdString(why);
            item->setEnabled(why.empty());
        }
        item->setToolTip(tip);
        model->appendRow(item);
    }
    m_loss->setModel(model);
    m_loss->setCurrentIndex(m_loss->findData(QString::fromStdString(m_spec.loss)));
}

void ProblemPanel::setProblem(const ProblemState *problem)
{
    if (!problem)
        return;
    if (problem->spec != m_base) {
        m_pause.stop(); // an edit that waits was made to what is no longer shown
        m_ridge->forgetEdit();
    }
    if (!m_pause.isActive())
        setSpec(problem->spec);
    fillLosses(problem->problem ? &problem->problem->data() : nullptr);
    showData(problem);
}

void ProblemPanel::showData(const ProblemState *problem)
{
    const auto standardizes = [](const Transform &t) { return t.kind == Transform::Kind::StandardizeColumns; };
    const QString uneven = problem->problem && std::ranges::none_of(problem->spec.recipe.transforms, standardizes)
        ? unevenColumnsText(problem->columnRatio)
        : QString();
    m_uneven->setText(tr("%1: most methods are much faster once they are standardized.").arg(uneven));
    m_uneven->setVisible(!uneven.isEmpty());
    m_standardize->setVisible(!uneven.isEmpty());
    m_standardize->setEnabled(true);
    if (!problem->problem) {
        m_summary->setText(tr("The data is not here; the curves are."));
        m_provenance->clear();
        return;
    }
    const Dataset &data = problem->problem->data();
    const double bytes =
        static_cast<double>(bytesOf(data.train.features)) + static_cast<double>(bytesOf(data.test.features));
    m_summary->setText(tr("n = %1, d = %2, %3 test rows\n%4, %5")
                           .arg(formatCount(data.train.rows()), formatCount(data.train.cols()),
                                formatCount(data.test.rows()), storageText(data.train.features), formatBytes(bytes)));
    const std::size_t count = problem->spec.recipe.transforms.size();
    m_more->setText(count == 0       ? tr("Transforms: none")
                        : count == 1 ? tr("Transforms: 1 step")
                                     : tr("Transforms: %1 steps").arg(count));
    QString steps = QStringLiteral("<p style='margin:4px 0'><b>%1</b></p>").arg(tr("What was done to the data"));
    int number = 0;
    for (const ProvenanceStep &step : data.provenance) {
        steps += QStringLiteral("<p style='margin:0 0 4px 0'>%1. %2")
                     .arg(++number)
                     .arg(QString::fromStdString(step.what).toHtmlEscaped());
        if (!step.detail.empty())
            steps += QStringLiteral("<br>&nbsp;&nbsp;&nbsp;<i>%1</i>")
                         .arg(QString::fromStdString(step.detail).toHtmlEscaped());
        steps += QStringLiteral("</p>");
    }
    m_provenance->setText(steps);
}

void ProblemPanel::setLoading(bool loading)
{
    m_bar->setRange(0, 0);
    m_doing->setText(loading ? tr("Making the problem …") : QString());
    m_busy->setVisible(loading);
}

void ProblemPanel::setProgress(double fraction, const QString &what)
{
    m_bar->setRange(0, fraction > 0 ? 1000 : 0);
    m_bar->setValue(static_cast<int>(1000 * fraction));
    m_doing->setText(what.isEmpty() ? tr("Making the problem …") : what);
}

} // namespace appa::ui
