#include "StatusLine.h"

#include "theme/Format.h"

#include <QEvent>
#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include <unistd.h>

#include <algorithm>
#include <thread>

namespace appa {

using namespace ui;

namespace {

double residentBytes()
{
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    const QList<QByteArray> fields = file.readAll().split(' ');
    return fields.size() > 1 ? fields[1].toDouble() * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
}

} // namespace

StatusLine::StatusLine(RunController &controller, QWidget *parent)
    : QWidget(parent), m_controller(controller), m_run(new QLabel(this)), m_work(new QLabel(this)),
      m_bar(new QProgressBar(this)), m_cancel(new QToolButton(this)), m_machine(new QLabel(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(12, 0, 12, 0);
    row->setSpacing(10);
    row->addWidget(m_run, 1);
    row->addWidget(m_work);
    row->addWidget(m_bar);
    row->addWidget(m_cancel);
    row->addWidget(m_machine);
    m_run->setMinimumWidth(60);
    m_run->installEventFilter(this);
    // As high with the work in the background as without: the charts must not move when it ends.
    setMinimumHeight(m_cancel->sizeHint().height());
    m_run->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_bar->setTextVisible(false);
    m_bar->setFixedWidth(96);
    m_cancel->setText(tr("Cancel"));
    m_cancel->setObjectName(QStringLiteral("statusCancel"));
    m_cancel->setToolTip(tr("Stop this work in the background"));
    m_run->setAccessibleName(tr("State of the current run"));
    m_machine->setAccessibleName(tr("Memory and cores"));
    m_machine->setToolTip(tr("Memory this program uses, and the cores it may use"));
    connect(m_cancel, &QToolButton::clicked, this, [this] {
        if (m_controller.isLoading())
            m_controller.cancelLoading();
        else
            m_controller.reference().cancel();
        refreshBackground();
    });
    const auto progress = [this](double fraction, const QString &what) {
        m_fraction = fraction;
        m_what = what;
        refreshBackground();
    };
    connect(&controller, &RunController::loadProgressed, this, progress);
    connect(&controller, &RunController::referenceProgressed, this, progress);
    connect(&controller, &RunController::loadingChanged, this, [this] {
        m_fraction = 0;
        m_what.clear();
        refreshBackground();
    });
    connect(&controller.reference(), &Reference::busyChanged, this, [this] {
        m_fraction = 0;
        m_what.clear();
        refreshBackground();
    });
    connect(&controller, &RunController::runUpdated, this, [this](int id) {
        measurePace(id);
        if (id == m_current)
            refresh();
    });
    m_machineTimer.setInterval(2000);
    connect(&m_machineTimer, &QTimer::timeout, this, &StatusLine::refreshMachine);
    m_machineTimer.start();
    refreshMachine();
    refreshBackground();
}

void StatusLine::setCurrentRun(RunId id)
{
    m_current = id;
    refresh();
}

QString StatusLine::text() const
{
    return m_text;
}

/// Of every run, shown or not: the time in which it did not work is not to be counted.
void StatusLine::measurePace(RunId id)
{
    const RunRecord *run = m_controller.model().find(id);
    if (!run || !run->isRunning()) {
        m_pace.remove(id);
        return;
    }
    Pace &pace = m_pace[id];
    if (!pace.clock.isValid() || run->stage < pace.stage) {
        pace.clock.start();
        pace.stage = run->stage;
    }
}

double StatusLine::secondsLeft(const RunRecord &run) const
{
    const auto pace = m_pace.find(run.id);
    if (pace == m_pace.end() || run.stop.stages <= 0)
        return unknown;
    const auto done = static_cast<double>(run.stage - pace->stage);
    const double elapsed = static_cast<double>(pace->clock.elapsed()) / 1000;
    if (done < 2 || elapsed < 0.5)
        return unknown;
    return static_cast<double>(run.stop.stages - run.stage) * elapsed / done;
}

void StatusLine::refresh()
{
    const RunRecord *run = m_controller.model().find(m_current);
    if (!run) {
        say(m_controller.problem()         ? tr("Ready")
                : m_controller.isLoading() ? tr("Loading …")
                                           : tr("Choose a data set"));
        return;
    }
    QString text = QStringLiteral("%1: %2").arg(run->name, statusText(*run));
    if (run->isRunning() && run->learning) {
        text += tr(", measuring what the method has to know of the data first");
    } else if (run->isRunning() && run->stop.stages > 0 && run->stage >= run->stop.stages) {
        // The work is done, and the run ends with the measurement of its last point.
        text += tr(", measuring after stage %1").arg(formatCount(run->stage));
    } else if (run->isRunning()) {
        text += run->stop.stages > 0
            ? tr(", stage %1 of %2").arg(formatCount(run->stage + 1), formatCount(run->stop.stages))
            : tr(", stage %1").arg(formatCount(run->stage + 1));
        if (const double left = secondsLeft(*run); left >= 0)
            text += tr(", %1 left").arg(formatSeconds(left));
    } else if (run->status == RunStatus::Paused && run->catchingUp && run->lastPoint()) {
        text += tr(", stage %1 of %2").arg(formatCount(run->stage), formatCount(run->lastPoint()->stage));
    } else if (run->status == RunStatus::Ready && !m_controller.isLoading()) {
        text += tr(". Press Space to run.");
    } else if (!run->message.isEmpty()) {
        text += QStringLiteral(": ") + run->message;
    }
    say(text);
}

/// As much of it as there is room for; all of it in the tool tip.
void StatusLine::say(const QString &text)
{
    m_text = text;
    m_run->setText(m_run->fontMetrics().elidedText(text, Qt::ElideRight, m_run->width()));
    m_run->setToolTip(text);
}

bool StatusLine::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_run && event->type() == QEvent::Resize)
        say(m_text);
    return QWidget::eventFilter(watched, event);
}

void StatusLine::refreshBackground()
{
    const bool loading = m_controller.isLoading();
    const bool busy = loading || m_controller.reference().busy();
    m_work->setVisible(busy);
    m_bar->setVisible(busy);
    m_cancel->setVisible(busy);
    if (busy) {
        m_work->setText(!m_what.isEmpty()                             ? m_what
                            : loading                                 ? tr("Making the problem")
                            : m_controller.reference().findsOptimum() ? tr("Computing F_opt")
                                                                      : tr("Measuring L, R, μ"));
        m_bar->setRange(0, m_fraction > 0 ? 1000 : 0);
        m_bar->setValue(static_cast<int>(1000 * std::clamp(m_fraction, 0.0, 1.0)));
    }
    refresh();
}

void StatusLine::refreshMachine()
{
    const QString text = tr("%1   %2 cores").arg(formatBytes(residentBytes())).arg(std::thread::hardware_concurrency());
    if (text != m_machine->text())
        m_machine->setText(text);
}

} // namespace appa
