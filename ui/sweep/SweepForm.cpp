#include "sweep/SweepForm.h"

#include "form/DeleteRemoves.h"
#include "form/ParamText.h"
#include "form/WheelInFocus.h"
#include "sweep/SweepMethodModel.h"
#include "theme/Format.h"
#include "theme/Icons.h"

#include <QEvent>
#include <QGridLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

namespace appa::ui {

namespace {

constexpr int formMargin = 12;
/// What was pressed for the button that had the focus before.
constexpr int lateMs = 500;

/// What a person types, in plain ASCII: a true minus and thin spaces are what the program itself shows.
std::string plain(const QLineEdit *edit)
{
    QString text = edit->text();
    text.replace(QChar(0x2212), u'-').remove(QChar(0x202f)).remove(u' ');
    return text.toStdString();
}

QLabel *labelFor(QWidget *field, const QString &text, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setBuddy(field);
    field->setAccessibleName(text);
    return label;
}

/// Scrolls downwards only. Its bar stands in the margin of what is in it: with it or without, that is equally wide.
class PlanArea final : public QScrollArea
{
public:
    PlanArea(QWidget *content, QWidget *parent) : QScrollArea(parent)
    {
        setWidget(content);
        setWidgetResizable(true);
        setFrameShape(QFrame::NoFrame);
        setFocusPolicy(Qt::NoFocus); // it follows the focus of what is in it
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        connect(verticalScrollBar(), &QScrollBar::rangeChanged, this, &PlanArea::leaveMargin);
        leaveMargin();
    }

    QSize minimumSizeHint() const override
    {
        const int content = widget()->minimumSizeHint().width() - widget()->layout()->contentsMargins().right();
        return {content + std::max(formMargin, verticalScrollBar()->sizeHint().width()),
                3 * fontMetrics().lineSpacing()};
    }
    QSize sizeHint() const override { return widget()->sizeHint().expandedTo(minimumSizeHint()); }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (watched == widget() && event->type() == QEvent::LayoutRequest)
            updateGeometry();
        return QScrollArea::eventFilter(watched, event);
    }

private:
    void leaveMargin()
    {
        const int bar = verticalScrollBar()->maximum() > 0 ? verticalScrollBar()->sizeHint().width() : 0;
        widget()->layout()->setContentsMargins(formMargin, formMargin, std::max(0, formMargin - bar), 8);
    }
};

bool isPress(const QEvent &event)
{
    if (event.type() != QEvent::KeyPress)
        return false;
    const int key = static_cast<const QKeyEvent &>(event).key();
    return key == Qt::Key_Space || key == Qt::Key_Return || key == Qt::Key_Enter;
}

QLabel *mutedText(QWidget *parent)
{
    auto *label = new QLabel(parent);
    label->setWordWrap(true);
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

} // namespace

SweepForm::SweepForm(QWidget *parent)
    : QWidget(parent), m_methods(new SweepMethodModel(this)), m_methodView(new QTableView(this)),
      m_settings(new QLineEdit(this)), m_add(new QToolButton(this)), m_remove(new QToolButton(this)),
      m_from(new QLineEdit(QStringLiteral("1e-8"), this)), m_to(new QLineEdit(QStringLiteral("1e8"), this)),
      m_count(new QSpinBox(this)), m_gridNote(mutedText(this)), m_seeds(new QLineEdit(QStringLiteral("1..3"), this)),
      m_stages(new QSpinBox(this)), m_jobs(new QSpinBox(this)), m_estimate(mutedText(this)), m_error(new QLabel(this)),
      m_start(new QPushButton(tr("Start"), this)), m_pause(new QPushButton(tr("Pause"), this)),
      m_cancel(new QPushButton(tr("Cancel"), this)), m_continue(new QPushButton(tr("Continue"), this)),
      m_open(new QToolButton(this)), m_bar(new QProgressBar(this)), m_progress(mutedText(this)),
      m_other(new QLabel(this)), m_load(new QToolButton(this))
{
    m_methodView->setModel(m_methods);
    m_methodView->setItemDelegateForColumn(SweepMethodModel::Inner, new InnerDelegate(m_methodView));
    m_methodView->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked
                                  | QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
    m_methodView->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_methodView->setSelectionMode(QAbstractItemView::SingleSelection);
    m_methodView->setShowGrid(false);
    m_methodView->setTabKeyNavigation(false);
    m_methodView->verticalHeader()->hide();
    m_methodView->horizontalHeader()->setHighlightSections(false);
    m_methodView->horizontalHeader()->setSectionResizeMode(SweepMethodModel::Method, QHeaderView::Stretch);
    m_methodView->horizontalHeader()->setSectionResizeMode(SweepMethodModel::Inner, QHeaderView::Fixed);
    m_methodView->viewport()->installEventFilter(this);
    m_methodView->hideColumn(SweepMethodModel::Settings); // edited below, shown beside the method's name
    m_methodView->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_methodView->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_methodView->setMinimumHeight(120);
    m_methodView->setAccessibleName(tr("Methods of the study"));
    m_methodView->setObjectName(QStringLiteral("sweepMethods"));
    DeleteRemoves::install(m_methodView, m_remove);
    m_add->setToolTip(tr("The same method once more, with other settings"));
    m_add->setText(tr("Add variant"));
    m_add->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_remove->setToolTip(tr("Remove this variant (Delete)"));
    m_remove->setText(tr("Remove"));
    m_remove->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_from->setToolTip(tr("The smallest λ of the grid, or all of them as a list: 1e-3, 0.1, 20"));
    m_to->setToolTip(tr("The largest λ of the grid"));
    m_count->setRange(1, 10001);
    m_count->setValue(17);
    m_count->setToolTip(tr("How many values of λ, evenly spaced in the logarithm"));
    m_seeds->setToolTip(tr("Every run is made once per seed: 1..5, or a list 1,2,7"));
    m_stages->setRange(1, 100000);
    m_stages->setValue(20);
    m_stages->setToolTip(tr("Stages of each run"));
    m_jobs->setRange(1, 1024);
    m_jobs->setValue(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
    m_jobs->setToolTip(tr("How many runs go on at a time; one core each"));
    m_error->setWordWrap(true);
    m_other->setWordWrap(true);
    m_load->setText(tr("Load its problem"));
    m_load->setToolTip(tr("The study can go on then, and its runs can be opened as full runs"));
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setMaximumHeight(8);
    QSizePolicy keep = m_bar->sizePolicy();
    keep.setRetainSizeWhenHidden(true);
    m_bar->setSizePolicy(keep);
    m_bar->setAccessibleName(tr("Progress of the study"));
    m_open->setText(tr("Open study…"));
    m_open->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_open->setToolTip(
        tr("Show a study from its folder, made here or on the command line; an incomplete one can be continued"));
    m_start->setToolTip(tr("Run the whole plan"));
    m_start->setDefault(true);
    m_start->setProperty("primary", true);
    m_continue->setProperty("primary", true);
    m_pause->setToolTip(tr("Hold all runs; they go on where they are"));
    m_cancel->setToolTip(tr("Give up the runs under way; those finished are kept"));
    m_continue->setToolTip(tr("Make the runs that are missing"));

    for (QSpinBox *box : {m_count, m_stages, m_jobs}) {
        box->setMinimumWidth(56); // their own idea is made for the largest number they take
        WheelInFocus::install(box);
    }
    for (QLineEdit *field : {m_from, m_to, m_seeds})
        field->setMinimumWidth(48);

    auto *variants = new QHBoxLayout;
    variants->addWidget(m_add);
    variants->addWidget(m_remove);
    variants->addStretch();

    auto *settings = new QHBoxLayout;
    settings->setSpacing(8);
    settings->addWidget(labelFor(m_settings, tr("Settings"), this));
    settings->addWidget(m_settings, 1);
    m_settings->setPlaceholderText(tr("none; such as passes=2"));

    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(8);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(3, 1);
    grid->addWidget(labelFor(m_from, tr("λ from"), this), 0, 0);
    grid->addWidget(m_from, 0, 1);
    grid->addWidget(labelFor(m_to, tr("to"), this), 0, 2);
    grid->addWidget(m_to, 0, 3);
    grid->addWidget(labelFor(m_count, tr("Values"), this), 1, 0);
    grid->addWidget(m_count, 1, 1);
    grid->addWidget(m_gridNote, 1, 2, 1, 2);
    grid->addWidget(labelFor(m_seeds, tr("Seeds"), this), 2, 0);
    grid->addWidget(m_seeds, 2, 1);
    grid->addWidget(labelFor(m_stages, tr("Stages"), this), 2, 2);
    grid->addWidget(m_stages, 2, 3);
    grid->addWidget(labelFor(m_jobs, tr("Parallel"), this), 3, 0);
    grid->addWidget(m_jobs, 3, 1);
    grid->addWidget(m_open, 3, 2, 1, 2, Qt::AlignRight);

    // Each has a place of its own: a study may end while one aims at Cancel.
    auto *buttons = new QGridLayout;
    buttons->setSpacing(8);
    buttons->setColumnStretch(0, 1);
    buttons->setColumnStretch(1, 1);
    buttons->addWidget(m_start, 0, 0);
    buttons->addWidget(m_continue, 0, 1);
    buttons->addWidget(m_pause, 1, 0);
    buttons->addWidget(m_cancel, 1, 1);
    for (QPushButton *button : {m_start, m_continue, m_pause, m_cancel})
        button->installEventFilter(this);

    // The buttons stay where they are, whatever is said around them.
    m_says = new QStackedWidget(this);
    for (QLabel *label : {m_estimate, m_error, m_progress}) {
        label->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        label->setMinimumHeight(2 * label->fontMetrics().lineSpacing());
    }
    m_says->addWidget(m_estimate);
    m_says->addWidget(m_error);
    m_says->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);

    auto *content = new QWidget(this);
    auto *plan = new QVBoxLayout(content);
    plan->setSpacing(8);
    plan->addWidget(m_methodView, 1);
    plan->addLayout(settings);
    plan->addLayout(variants);
    plan->addLayout(grid);
    plan->addWidget(m_other);
    plan->addWidget(m_load, 0, Qt::AlignLeft);
    // What starts the study and tells how far it is stays in sight, however low the page is.
    auto *footer = new QVBoxLayout;
    footer->setContentsMargins(formMargin, 0, formMargin, formMargin);
    footer->setSpacing(8);
    footer->addWidget(m_says);
    footer->addLayout(buttons);
    footer->addWidget(m_bar);
    footer->addWidget(m_progress);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(new PlanArea(content, this), 1);
    layout->addLayout(footer);

    const auto changed = [this] {
        updateGrid();
        emit edited();
    };
    for (QLineEdit *edit : {m_from, m_to, m_seeds})
        connect(edit, &QLineEdit::textChanged, this, changed);
    for (QSpinBox *box : {m_count, m_stages, m_jobs})
        connect(box, &QSpinBox::valueChanged, this, changed);
    connect(m_methods, &SweepMethodModel::edited, this, changed);
    connect(m_add, &QToolButton::clicked, this, [this] {
        if (const QModelIndex current = m_methodView->currentIndex(); current.isValid()) {
            m_methodView->setCurrentIndex(
                m_methods->index(m_methods->duplicate(current.row()), SweepMethodModel::Method));
            m_settings->setFocus(Qt::OtherFocusReason);
        }
    });
    connect(m_settings, &QLineEdit::textEdited, this, [this](const QString &text) {
        const int row = m_methodView->currentIndex().row();
        if (row >= 0)
            m_methods->setData(m_methods->index(row, SweepMethodModel::Settings), text);
    });
    connect(m_remove, &QToolButton::clicked, this, [this] { m_methods->remove(m_methodView->currentIndex().row()); });
    connect(m_methodView->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &SweepForm::updateVariantButtons);
    connect(m_methods, &QAbstractItemModel::rowsRemoved, this, &SweepForm::updateVariantButtons);
    connect(m_methods, &QAbstractItemModel::rowsInserted, this, &SweepForm::updateVariantButtons);
    connect(m_methods, &QAbstractItemModel::modelReset, this, &SweepForm::updateVariantButtons);
    connect(m_start, &QPushButton::clicked, this, &SweepForm::startRequested);
    connect(m_pause, &QPushButton::clicked, this, &SweepForm::pauseToggled);
    connect(m_cancel, &QPushButton::clicked, this, &SweepForm::cancelRequested);
    connect(m_continue, &QPushButton::clicked, this, &SweepForm::continueRequested);
    connect(m_open, &QToolButton::clicked, this, &SweepForm::openRequested);
    connect(m_load, &QToolButton::clicked, this, &SweepForm::problemRequested);
    m_methodView->setCurrentIndex(m_methods->index(0, SweepMethodModel::Method));
    updateGrid();
    updateVariantButtons();
    showProgress({}, false, false);
    showOtherProblem({}, false);
}

bool SweepForm::eventFilter(QObject *watched, QEvent *event)
{
    // The methods' names first; of a long inner solver the beginning tells it.
    if (watched == m_methodView->viewport() && event->type() == QEvent::Resize)
        m_methodView->horizontalHeader()->resizeSection(SweepMethodModel::Inner,
                                                        m_methodView->viewport()->width() * 2 / 5);
    if ((watched == m_start || watched == m_continue) && isPress(*event) && m_sinceMoved.isValid()
        && !m_sinceMoved.hasExpired(lateMs))
        return true;
    return QWidget::eventFilter(watched, event);
}

void SweepForm::setTheme(const Theme &theme)
{
    m_add->setIcon(icon(QStringLiteral("plus"), theme));
    m_remove->setIcon(icon(QStringLiteral("trash"), theme));
    m_start->setIcon(icon(QStringLiteral("run"), theme, theme.accentText));
    m_pause->setIcon(icon(QStringLiteral("pause"), theme));
    m_cancel->setIcon(icon(QStringLiteral("stop"), theme));
    m_continue->setIcon(icon(QStringLiteral("restart"), theme, theme.accentText));
    QPalette error = m_error->palette();
    error.setColor(QPalette::WindowText, theme.danger);
    m_error->setPalette(error);
    QPalette muted = m_estimate->palette();
    muted.setColor(QPalette::PlaceholderText, theme.textMuted);
    for (QLabel *label : {m_gridNote, m_estimate, m_progress})
        label->setPalette(muted);
}

void SweepForm::setProblem(const ProblemPtr &problem)
{
    m_methods->setProblem(problem);
}

void SweepForm::setPlan(const SweepPlan &plan)
{
    m_methods->setMethods(plan.methods);
    m_from->setText(paramText(plan.lambdas.front()));
    m_to->setText(paramText(plan.lambdas.back()));
    m_count->setValue(static_cast<int>(plan.lambdas.size()));
    // Its ends and their number tell only an even grid.
    if (!isLogGrid(plan.lambdas) || plan.lambdas.size() > static_cast<std::size_t>(m_count->maximum())) {
        QStringList all;
        for (const double lambda : plan.lambdas)
            all << paramText(lambda);
        m_from->setText(all.join(QStringLiteral(", ")));
    }
    QStringList seeds;
    const bool isRange = plan.seeds.back() - plan.seeds.front() + 1 == plan.seeds.size() && plan.seeds.size() > 1;
    if (isRange) {
        seeds << QStringLiteral("%1..%2").arg(plan.seeds.front()).arg(plan.seeds.back());
    } else {
        for (const std::uint64_t seed : plan.seeds)
            seeds << QString::number(seed);
    }
    m_seeds->setText(seeds.join(u','));
    m_stages->setValue(static_cast<int>(plan.stages));
}

Result<SweepPlan> SweepForm::plan() const
{
    SweepPlan plan;
    auto methods = m_methods->chosen();
    if (!methods)
        return methods.error();
    if (methods.value().empty())
        return Error{Error::Kind::Usage, tr("Tick at least one method.").toStdString()};
    plan.methods = std::move(methods).value();
    const std::string from = plain(m_from), to = plain(m_to);
    auto lambdas =
        parseLambdas(from == to || hasList() ? from : from + ":" + to + ":" + std::to_string(m_count->value()));
    if (!lambdas)
        return lambdas.error();
    plan.lambdas = std::move(lambdas).value();
    auto seeds = parseSeeds(plain(m_seeds));
    if (!seeds)
        return seeds.error();
    plan.seeds = std::move(seeds).value();
    plan.stages = m_stages->value();
    return plan;
}

int SweepForm::jobs() const
{
    return m_jobs->value();
}

bool SweepForm::hasList() const
{
    return m_from->text().contains(u',');
}

void SweepForm::updateGrid()
{
    for (QWidget *other : std::initializer_list<QWidget *>{m_to, m_count})
        other->setEnabled(!hasList());
    if (hasList()) {
        const auto lambdas = parseLambdas(plain(m_from));
        m_gridNote->setText(lambdas ? tr("%1 values").arg(lambdas.value().size()) : QString());
        return;
    }
    const QString from = QString::fromStdString(plain(m_from)), to = QString::fromStdString(plain(m_to));
    const double decades = std::abs(std::log10(to.toDouble() / from.toDouble()));
    const int steps = m_count->value() - 1;
    if (!std::isfinite(decades) || decades == 0 || steps < 1)
        m_gridNote->clear();
    else
        m_gridNote->setText(tr("%1 per decade").arg(QString::number(steps / decades, 'g', 3)));
}

void SweepForm::updateVariantButtons()
{
    const int row = m_methodView->currentIndex().row();
    const QModelIndex settings = m_methods->index(row, SweepMethodModel::Settings);
    m_settings->setEnabled(row >= 0);
    m_settings->setToolTip(settings.data(Qt::ToolTipRole).toString());
    if (const QString text = settings.data(Qt::EditRole).toString(); text != m_settings->text().simplified())
        m_settings->setText(text);
    m_add->setEnabled(row >= 0);
    m_remove->setEnabled(m_methods->canRemove(row));
}

void SweepForm::showEstimate(const std::optional<SweepEstimate> &e)
{
    m_estimate->setText(!e ? tr("Estimating…")
                           : tr("%1 runs, about %2, %3 of memory")
                                 .arg(formatCount(static_cast<std::int64_t>(e->runs)), formatSeconds(e->seconds),
                                      formatBytes(static_cast<double>(e->bytes))));
    if (e)
        m_estimate->setToolTip(tr("%1 for the one copy of the data, %2 for each run under way; %3 of work on one core.")
                                   .arg(formatBytes(static_cast<double>(e->sharedBytes)),
                                        formatBytes(static_cast<double>(e->bytesPerJob)),
                                        formatSeconds(e->secondsOfWork)));
}

void SweepForm::withdrawEstimate()
{
    m_estimate->clear();
    m_estimate->setToolTip({});
}

void SweepForm::showError(const QString &sentence)
{
    m_error->setText(sentence);
    m_says->setCurrentWidget(sentence.isEmpty() ? m_estimate : m_error);
    setCanStart(sentence.isEmpty());
    if (!sentence.isEmpty())
        withdrawEstimate();
}

void SweepForm::setCanStart(bool can)
{
    m_canStart = can;
    m_start->setEnabled(can && !m_active);
}

void SweepForm::showOtherProblem(const QString &title, bool canLoad)
{
    m_other->setText(title.isEmpty()
                         ? QString()
                         : tr("This study is about another problem. To continue it or to open its runs, load that."));
    m_other->setToolTip(title);
    m_other->setVisible(!title.isEmpty());
    m_load->setVisible(!title.isEmpty() && canLoad);
}

void SweepForm::showProgress(const SweepProgress &p, bool canContinue, bool hasStudy)
{
    updateButtons(p.state == SweepState::Running || p.state == SweepState::Paused, canContinue);
    m_pause->setText(p.state == SweepState::Paused ? tr("Resume") : tr("Pause"));
    m_open->setEnabled(!m_active); // it would end the study under way
    m_bar->setVisible(hasStudy);
    m_bar->setValue(static_cast<int>(std::lround(1000 * p.fraction)));
    QStringList parts;
    if (hasStudy) {
        parts << tr("%1 of %2 runs")
                     .arg(formatCount(static_cast<std::int64_t>(p.done)),
                          formatCount(static_cast<std::int64_t>(p.runs)));
        if (p.diverged > 0)
            parts << tr("%1 diverged").arg(p.diverged);
        if (p.failed > 0)
            parts << tr("%1 failed").arg(p.failed);
        switch (p.state) {
        case SweepState::Running:
            parts << (std::isnan(p.eta) ? tr("estimating the rest")
                                        : tr("%1 to go").arg(formatSeconds(std::ceil(p.eta))));
            break;
        case SweepState::Paused:
            parts << tr("paused");
            break;
        case SweepState::Finished:
            if (p.seconds > 0)
                parts << tr("done in %1").arg(formatSeconds(p.seconds));
            break;
        case SweepState::Failed:
            parts << tr("stopped");
            break;
        default:
            break;
        }
    }
    m_progress->setText(parts.join(QStringLiteral(", ")));
}

void SweepForm::updateButtons(bool active, bool canContinue)
{
    const bool changes = std::exchange(m_active, active) != active;
    const bool focused = m_start->hasFocus() || m_continue->hasFocus() || m_pause->hasFocus() || m_cancel->hasFocus();
    const std::pair<QPushButton *, bool> all[] = {
        {m_start, m_canStart && !active}, {m_continue, canContinue}, {m_pause, active}, {m_cancel, active}};
    for (const auto &[button, can] : all)
        if (can)
            button->setEnabled(true);
    // A button that is disabled would hand its focus to whatever comes next: Space must not reach anything else.
    if (changes && focused) {
        (active ? m_pause : canContinue ? m_continue : m_start)->setFocus(Qt::OtherFocusReason);
        if (!active)
            m_sinceMoved.start();
    }
    for (const auto &[button, can] : all)
        if (!can)
            button->setEnabled(false);
}

QString SweepForm::estimateText() const
{
    return m_estimate->text();
}

QString SweepForm::errorText() const
{
    return m_error->text();
}

QString SweepForm::otherProblemText() const
{
    return m_other->text();
}

QString SweepForm::progressText() const
{
    return m_progress->text();
}

} // namespace appa::ui
