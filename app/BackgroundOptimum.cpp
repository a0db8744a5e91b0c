#include "BackgroundOptimum.h"

#include "Terminal.h"

#include "base/Failure.h"
#include "base/Priority.h"

namespace appa::cli {

BackgroundOptimum::BackgroundOptimum(ProblemPtr problem)
    : m_problem(std::move(problem)), m_thread([this](const std::stop_token &stop) {
          lowerPriority(Priority::Behind);
          Progress progress;
          progress.stop = stop;
          progress.report = [this](double fraction, std::string_view) { m_fraction = fraction; };
          std::optional<Optimum> found;
          std::string why = failureOf("compute the reference optimum",
                                      [&] { found = cachedOptimum(*m_problem, optimumCache(), progress); });
          const std::lock_guard lock(m_mutex);
          m_result = std::move(found);
          m_failure = std::move(why);
          m_done = true;
      })
{
}

BackgroundOptimum::~BackgroundOptimum() = default;

std::optional<Optimum> BackgroundOptimum::result() const
{
    const std::lock_guard lock(m_mutex);
    return m_result;
}

std::string BackgroundOptimum::failure() const
{
    const std::lock_guard lock(m_mutex);
    return m_failure;
}

std::optional<double> BackgroundOptimum::value() const
{
    const std::lock_guard lock(m_mutex);
    return m_result && m_result->known ? std::optional(m_result->value) : std::nullopt;
}

std::optional<Optimum> BackgroundOptimum::wait(bool showProgress, const std::string &instead)
{
    ProgressLine line(showProgress && ProgressLine::onTerminal());
    SlowNotice notice(showProgress,
                      std::string(optimumNotice) + " (--no-optimum: do without; Ctrl-C: " + instead + ").");
    while (!m_done && !interrupted()) {
        notice.tick();
        line.show("computing the reference optimum (Ctrl-C: " + instead + ")", m_fraction.load());
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return result();
}

} // namespace appa::cli
