#include "RunFiles.h"

#include "base/AtomicFile.h"
#include "base/Text.h"
#include "run/TraceCsv.h"

#include <cstdio>
#include <filesystem>

namespace appa::cli {

std::optional<Error> RunFiles::check() const
{
    std::error_code ignored;
    if (std::filesystem::is_regular_file(m_options.session, ignored))
        if (const auto present = readSession(m_options.session); !present)
            return Error{Error::Kind::Io, "Nothing was saved: " + present.error().message + " Choose another name."};
    for (const std::string &path : {m_options.session, m_options.trace, m_options.weights})
        if (!path.empty() && path != "-")
            if (auto error = whyNotWritable(path))
                return error;
    return std::nullopt;
}

std::optional<Error> RunFiles::begin(const Run &run)
{
    std::error_code ignored;
    const bool isThere = std::filesystem::exists(m_options.session, ignored);
    return isThere ? std::nullopt : save(run, nullptr, Replace::Sessions);
}

std::optional<Error> RunFiles::save(const Run &run, const BackgroundOptimum *optimum, Replace replace)
{
    std::error_code ignored;
    if (m_options.session.empty()
        || (run.trace().points.empty() && std::filesystem::exists(m_options.session, ignored)))
        return std::nullopt;
    if (const auto fOpt = optimum ? optimum->value() : std::nullopt) {
        session.fOpt = fOpt;
        session.fOptFloor = optimum->result()->floor;
    }
    session.runs[index] = savedRun(run, m_options.name);
    return writeSession(m_options.session, session, replace);
}

std::vector<Error> RunFiles::write(const Run &run, const BackgroundOptimum *optimum)
{
    std::vector<Error> errors;
    std::string toStandardOutput;
    const bool measured = !run.trace().points.empty();
    const auto keep = [&errors](const std::optional<Error> &error) {
        if (error)
            errors.push_back(*error);
    };
    const auto put = [&](const std::string &path, const std::string &text) {
        std::error_code ignored;
        if (path == "-")
            toStandardOutput = text;
        else if (measured || !std::filesystem::is_regular_file(path, ignored)) // an older result stays, else
            keep(writeAtomically(path, text));
    };
    keep(save(run, optimum, Replace::Anything));
    if (!m_options.trace.empty())
        put(m_options.trace,
            traceCsv(run.trace(), run.spec(), run.problem().n(), optimum ? optimum->value() : std::nullopt));
    if (!m_options.weights.empty()) {
        Vector x;
        run.point(x);
        std::string text;
        for (const double value : x)
            text += exactNumber(value) + "\n";
        put(m_options.weights, text);
    }
    std::fputs(toStandardOutput.c_str(), stdout);
    return errors;
}

} // namespace appa::cli
