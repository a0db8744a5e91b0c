#pragma once

#include "base/Failure.h"
#include "base/Priority.h"
#include "base/Progress.h"
#include "base/Result.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace appa::ui {

/// One kind of work off the window's thread: at most one piece counts at a time; starting another cancels the one
/// before. Progress is polled, never queued, so that no amount of it can fill the event loop.
class Background final : public QObject
{
    Q_OBJECT
public:
    explicit Background(QObject *parent = nullptr, Priority priority = Priority::Beside);
    ~Background() override; ///< cancels and waits: work asks `cancelled()` at least every 50 ms

    /// `work` runs on a thread of its own; what it returns is handed to `done` on this thread, unless it was cancelled.
    /// If it throws, `done` gets the error or, where the value cannot be one, an empty optional.
    template <class Work, class Done> void start(Work work, Done done)
    {
        using Value = std::invoke_result_t<Work, const Progress &>;
        launch([work = std::move(work),
                done = std::move(done)](const Progress &progress) mutable -> std::function<void()> {
            std::shared_ptr<Value> value;
            const std::string why = failureOf("do this", [&] { value = std::make_shared<Value>(work(progress)); });
            if (!value)
                value = std::make_shared<Value>(failed<Value>(why));
            return [value, done = std::move(done)]() mutable { done(std::move(*value)); };
        });
    }
    void cancel();
    void finish(); ///< waits for the end of the work under way, and hands over what it returns
    bool busy() const { return m_busy; }

signals:
    void progressed(double fraction, const QString &what);
    void busyChanged(bool busy);

private:
    /// What `done` is told when the work threw: `done` has to be told in any case.
    template <class Value> static Value failed(const std::string &why)
    {
        static_assert(std::is_constructible_v<Value, Error> || std::is_constructible_v<Value, std::nullopt_t>,
                      "work may throw: its value has to be able to say so, as a Result or an optional");
        if constexpr (std::is_constructible_v<Value, Error>)
            return Value(Error{Error::Kind::Data, why});
        else
            return Value(std::nullopt);
    }

    struct Mailbox;
    struct Job
    {
        std::shared_ptr<Mailbox> mailbox;
        std::jthread thread;
    };

    void launch(std::function<std::function<void()>(const Progress &)> work);
    void poll();
    void setBusy(bool busy);

    std::vector<Job> m_jobs; ///< the last one counts; the ones before were cancelled and are on their way out
    QTimer m_timer;
    Priority m_priority;
    bool m_busy = false;
};

} // namespace appa::ui
