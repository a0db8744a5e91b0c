#include "sweep/SweepControls.h"

#include "sweep/SweepLabels.h"
#include "theme/Format.h"
#include "theme/Icons.h"

#include <QEvent>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include <cmath>
#include <utility>

namespace appa::ui {

namespace {

/// What was pressed for the button that had the focus before.
constexpr int lateMs = 500;

bool isPress(const QEvent &event)
{
    if (event.type() != QEvent::KeyPress)
        return false;
    const int key = static_cast<const QKeyEvent &>(event).key();
    return key == Qt::Key_Space || key == Qt::Key_Return || key == Qt::Key_Enter;
}

} // namespace

SweepControls::SweepControls(QWidget *parent)
    : QWidget(parent), m_theme(Theme::light()), m_start(new QPushButton(tr("Start"), this)),
      m_pause(new QPushButton(tr("Pause"), this)), m_cancel(new QPushButton(tr("Cancel"), this)),
      m_continue(new QPushButton(tr("Continue"), this)), m_bar(new QProgressBar(this)), m_progress(mutedText(this))
{
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setMaximumHeight(8);
    QSizePolicy keep = m_bar->sizePolicy();
    keep.setRetainSizeWhenHidden(true);
    m_bar->setSizePolicy(keep);
    m_bar->setAccessibleName(tr("Progress of the study"));
    m_start->setToolTip(tr("Run the whole plan"));
    m_start->setDefault(true);
    m_pause->setToolTip(tr("Hold all runs; they go on where they are"));
    m_cancel->setToolTip(tr("Give up the runs under way; those finished are kept"));
    m_continue->setToolTip(tr("Make the runs that are missing"));
    reserveTwoLines(m_progress);

    // Each has a place of its own: a study may end while one aims at Cancel.
    auto *layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->setColumnStretch(0, 1);
    layout->setColumnStretch(1, 1);
    layout->addWidget(m_start, 0, 0);
    layout->addWidget(m_continue, 0, 1);
    layout->addWidget(m_pause, 1, 0);
    layout->addWidget(m_cancel, 1, 1);
    layout->addWidget(m_bar, 2, 0, 1, 2);
    layout->addWidget(m_progress, 3, 0, 1, 2);

    for (QPushButton *button : {m_start, m_continue})
        button->installEventFilter(this);
    connect(m_start, &QPushButton::clicked, this, &SweepControls::startRequested);
    connect(m_pause, &QPushButton::clicked, this, &SweepControls::pauseToggled);
    connect(m_cancel, &QPushButton::clicked, this, &SweepControls::cancelRequested);
    connect(m_continue, &QPushButton::clicked, this, &SweepControls::continueRequested);
    showStudy({}, false, false);
}

bool SweepControls::eventFilter(QObject *watched, QEvent *event)
{
    if (isPress(*event) && m_sinceMoved.isValid() && !m_sinceMoved.hasExpired(lateMs))
        return true;
    return QWidget::eventFilter(watched, event);
}

void SweepControls::setTheme(const Theme &theme)
{
    m_theme = theme;
    setMuted(m_progress, theme);
    setIcons();
}

void SweepControls::setIcons()
{
    const std::pair<QPushButton *, const char *> all[] = {
        {m_start, "run"}, {m_pause, "pause"}, {m_cancel, "stop"}, {m_continue, "restart"}};
    for (const auto &[button, name] : all)
        button->setIcon(icon(QString::fromLatin1(name), m_theme, button == m_primary ? m_theme.accentText : QColor()));
}

void SweepControls::setCanStart(bool can)
{
    m_canStart = can;
    m_start->setEnabled(can && !m_active);
}

void SweepControls::showStudy(const SweepProgress &progress, bool canContinue, bool hasStudy)
{
    updateButtons(progress.state == SweepState::Running || progress.state == SweepState::Paused, canContinue);
    m_pause->setText(progress.state == SweepState::Paused ? tr("Resume") : tr("Pause"));
    m_bar->setVisible(hasStudy);
    m_bar->setValue(static_cast<int>(std::lround(1000 * progress.fraction)));
    if (hasStudy)
        showText(progress);
    else
        m_progress->clear();
}

void SweepControls::showText(const SweepProgress &p)
{
    QStringList parts = {
        tr("%1 of %2 runs")
            .arg(formatCount(static_cast<std::int64_t>(p.done)), formatCount(static_cast<std::int64_t>(p.runs)))};
    if (p.diverged > 0)
        parts << tr("%1 diverged").arg(p.diverged);
    if (p.failed > 0)
        parts << tr("%1 failed").arg(p.failed);
    switch (p.state) {
    case SweepState::Running:
        parts << (std::isnan(p.eta) ? tr("estimating the rest") : tr("%1 to go").arg(formatSeconds(std::ceil(p.eta))));
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
    m_progress->setText(parts.join(QStringLiteral(", ")));
}

void SweepControls::updateButtons(bool active, bool canContinue)
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
    // One accent: of a study that can go on, starting all over is the less likely wish.
    QPushButton *primary = canContinue ? m_continue : m_start;
    if (std::exchange(m_primary, primary) == primary)
        return;
    for (QPushButton *button : {m_start, m_continue}) {
        button->setProperty("primary", button == primary);
        button->update();
    }
    setIcons();
}

QString SweepControls::progressText() const
{
    return m_progress->text();
}

} // namespace appa::ui
