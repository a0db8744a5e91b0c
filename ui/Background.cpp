#include "Background.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <mutex>
#include <string>

namespace appa::ui {

namespace {

/// Loading and reference solves leave the heap full of holes that the system could use.
void returnFreedMemory()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

} // namespace

struct Background::Mailbox
{
    std::mutex mutex;
    double fraction = 0;
    std::string what;
    bool news = false;
    bool finished = false;
    std::function<void()> deliver;
};

Background::Background(QObject *parent, Priority priority) : QObject(parent), m_priority(priority)
{
    m_timer.setInterval(20);
    connect(&m_timer, &QTimer::timeout, this, &Background::poll);
}

Background::~Background()
{
    for (Job &job : m_jobs)
        job.thread.request_stop();
}

void Background::launch(std::function<std::function<void()>(const Progress &)> work)
{
    if (!m_jobs.empty())
        m_jobs.back().thread.request_stop();
    auto mailbox = std::make_shared<Mailbox>();
    std::jthread thread([mailbox, priority = m_priority, work = std::move(work)](std::stop_token stop) mutable {
        lowerPriority(priority);
        const auto report = [&mailbox](double fraction, std::string_view what) {
            const std::lock_guard lock(mailbox->mutex);
            mailbox->fraction = fraction;
            mailbox->what = what;
            mailbox->news = true;
        };
        auto deliver = work(Progress{report, stop});
        work = nullptr; // what it captured may be large: gone before anyone hears of the end
        returnFreedMemory();
        const std::lock_guard lock(mailbox->mutex);
        mailbox->deliver = std::move(deliver);
        mailbox->finished = true;
    });
    m_jobs.push_back({std::move(mailbox), std::move(thread)});
    m_timer.start();
    setBusy(true);
}

void Background::cancel()
{
    if (!m_busy)
        return;
    m_jobs.back().thread.request_stop();
    setBusy(false);
}

void Background::finish()
{
    if (!m_busy)
        return;
    m_jobs.back().thread.join();
    poll();
}

void Background::poll()
{
    std::function<void()> deliver;
    double fraction = 0;
    QString what;
    bool news = false;
    for (std::size_t i = 0; i < m_jobs.size();) {
        Job &job = m_jobs[i];
        const bool counts = i + 1 == m_jobs.size() && m_busy && !job.thread.get_stop_token().stop_requested();
        bool finished = false;
        {
            const std::lock_guard lock(job.mailbox->mutex);
            finished = job.mailbox->finished;
            if (counts && finished)
                deliver = std::move(job.mailbox->deliver);
            if (counts && job.mailbox->news) {
                fraction = job.mailbox->fraction;
                what = QString::fromStdString(job.mailbox->what);
                news = true;
                job.mailbox->news = false;
            }
        }
        if (finished)
            m_jobs.erase(m_jobs.begin() + static_cast<std::ptrdiff_t>(i)); // it has ended: joining costs nothing
        else
            ++i;
    }
    if (m_jobs.empty())
        m_timer.stop();
    if (news && !deliver)
        emit progressed(fraction, what);
    if (deliver) {
        setBusy(false);
        deliver();
    }
}

void Background::setBusy(bool busy)
{
    if (m_busy == busy)
        return;
    m_busy = busy;
    emit busyChanged(busy);
}

} // namespace appa::ui
