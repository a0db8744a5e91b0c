#pragma once

#include "run/Run.h"
#include "run/Runner.h"

#include <deque>
#include <optional>
#include <string>
#include <variant>

namespace appa {

/// What a run can be told.
namespace command {

struct Resume
{
};
struct Pause
{
};
struct StepStage
{
};
struct StepBack
{
    Index stage;
};
struct Fork
{
    RunId to;
    std::optional<Index> stage;
};
struct Change
{
    std::string key;
    ParamValue value;
};
struct Switch
{
    std::string method, inner;
};
struct SetStop
{
    StopRules rules;
};
struct SetOptimum
{
    double value = 0;
};
struct SetRate
{
    double stagesPerSecond = 0;
};
struct Remove
{
};

} // namespace command

using Command =
    std::variant<command::Resume, command::Pause, command::StepStage, command::StepBack, command::Fork, command::Change,
                 command::Switch, command::SetStop, command::SetOptimum, command::SetRate, command::Remove>;

/// The commands that wait for a run, in order.
class Inbox
{
public:
    bool empty() const { return m_commands.empty(); }
    /// Whether `next` has one.
    bool ready(bool rebuilding) const
    {
        return !m_commands.empty() && !(rebuilding && needsTheIterate(m_commands.front()));
    }
    /// Dragging a slider cannot queue up: only the newest value of a key counts, unless something else came in between.
    void put(Command command)
    {
        if (auto *change = std::get_if<command::Change>(&command)) {
            for (auto queued = m_commands.rbegin(); queued != m_commands.rend(); ++queued) {
                auto *earlier = std::get_if<command::Change>(&*queued);
                if (!earlier)
                    break;
                if (earlier->key == change->key) {
                    earlier->value = std::move(change->value);
                    return;
                }
            }
        }
        // What only its own future needed is moot. Forks, and what comes before them, are not.
        if (std::holds_alternative<command::Remove>(command))
            while (!m_commands.empty() && !std::holds_alternative<command::Fork>(m_commands.back()))
                m_commands.pop_back();
        m_commands.push_back(std::move(command));
    }
    /// The next one. Those that look at the iterate have to wait while the run is being rebuilt from a checkpoint.
    std::optional<Command> next(bool rebuilding)
    {
        if (!ready(rebuilding))
            return std::nullopt;
        std::optional<Command> command = std::move(m_commands.front());
        m_commands.pop_front();
        return command;
    }
    /// The forks that have not been made.
    std::vector<RunId> unborn() const
    {
        std::vector<RunId> ids;
        for (const Command &command : m_commands)
            if (const auto *fork = std::get_if<command::Fork>(&command))
                ids.push_back(fork->to);
        return ids;
    }

private:
    static bool needsTheIterate(const Command &command)
    {
        return std::holds_alternative<command::Change>(command) || std::holds_alternative<command::Switch>(command)
            || std::holds_alternative<command::StepStage>(command);
    }

    std::deque<Command> m_commands;
};

} // namespace appa
