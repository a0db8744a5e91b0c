#include "sweep/SweepForm.h"

#include "sweep/SweepControls.h"
#include "sweep/SweepGridForm.h"
#include "sweep/SweepLabels.h"
#include "sweep/SweepMethodModel.h"
#include "sweep/SweepMethodsForm.h"
#include "theme/Format.h"

#include <QBoxLayout>
#include <QEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QToolButton>

#include <algorithm>

namespace appa::ui {

namespace {

constexpr int formMargin = 12;

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

} // namespace

SweepForm::SweepForm(QWidget *parent)
    : QWidget(parent), m_methods(new SweepMethodsForm(this)), m_grid(new SweepGridForm(this)),
      m_open(new QToolButton(this)), m_other(new QLabel(this)), m_load(new QToolButton(this)),
      m_says(new QStackedWidget(this)), m_estimate(mutedText(this)), m_error(new QLabel(this)),
      m_controls(new SweepControls(this))
{
    m_open->setText(tr("Open study…"));
    m_open->setToolButtonStyle(Qt::ToolButtonTextOnly);
    m_open->setToolTip(
        tr("Show a study from its folder, made here or on the command line; an incomplete one can be continued"));
    m_grid->addBesideJobs(m_open);
    m_other->setWordWrap(true);
    m_load->setText(tr("Load its problem"));
    m_load->setToolTip(tr("The study can go on then, and its runs can be opened as full runs"));

    // The buttons stay where they are, whatever is said around them.
    m_error->setWordWrap(true);
    for (QLabel *label : {m_estimate, m_error}) {
        reserveTwoLines(label);
        m_says->addWidget(label);
    }
    m_says->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);

    auto *content = new QWidget(this);
    auto *plan = new QVBoxLayout(content);
    plan->setSpacing(8);
    plan->addWidget(m_methods, 1);
    plan->addWidget(m_grid);
    plan->addWidget(m_other);
    plan->addWidget(m_load, 0, Qt::AlignLeft);
    auto *area = new PlanArea(content, this);
    // What starts the study and tells how far it is stays in sight, however low the page is.
    auto *footer = new QWidget(this); // made last: Tab comes to it last
    auto *below = new QVBoxLayout(footer);
    below->setContentsMargins(formMargin, 4, formMargin, formMargin);
    below->setSpacing(8);
    below->addWidget(m_says);
    below->addWidget(m_controls);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(area, 1);
    layout->addWidget(footer);

    connect(&m_methods->model(), &SweepMethodModel::edited, this, &SweepForm::edited);
    connect(m_grid, &SweepGridForm::edited, this, &SweepForm::edited);
    connect(m_open, &QToolButton::clicked, this, &SweepForm::openRequested);
    connect(m_load, &QToolButton::clicked, this, &SweepForm::problemRequested);
    showOtherProblem({}, false);
}

SweepMethodModel &SweepForm::methods() const
{
    return m_methods->model();
}

void SweepForm::setTheme(const Theme &theme)
{
    m_methods->setTheme(theme);
    m_grid->setTheme(theme);
    m_controls->setTheme(theme);
    setMuted(m_estimate, theme);
    QPalette error = m_error->palette();
    error.setColor(QPalette::WindowText, theme.danger);
    m_error->setPalette(error);
}

void SweepForm::setProblem(const ProblemPtr &problem)
{
    methods().setProblem(problem);
}

void SweepForm::setPlan(const SweepPlan &plan)
{
    methods().setMethods(plan.methods);
    m_grid->setPlan(plan);
}

Result<SweepPlan> SweepForm::plan() const
{
    auto chosen = methods().chosen();
    if (!chosen)
        return chosen.error();
    if (chosen.value().empty())
        return Error{Error::Kind::Usage, tr("Tick at least one method.").toStdString()};
    SweepPlan plan;
    plan.methods = std::move(chosen).value();
    if (const auto error = m_grid->fill(plan))
        return *error;
    return plan;
}

int SweepForm::jobs() const
{
    return m_grid->jobs();
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
    m_controls->setCanStart(can);
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

void SweepForm::showProgress(const SweepProgress &progress, bool canContinue, bool hasStudy)
{
    m_controls->showStudy(progress, canContinue, hasStudy);
    m_open->setEnabled(!m_controls->isActive()); // it would end the study under way
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

} // namespace appa::ui
