#include "RunFiles.h"

#include "base/AtomicFile.h"
#include "run/TraceCsv.h"

#include <cstdio>
#include <filesystem>

namespace appa::cli {

std::optional<Error> RunFiles::check() const
{
    if (auto error = whyNotReplaced(m_options.session))
        return error;
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

/// Of two programs that save to one file the last would win: what the other one has written stays, and this run is kept
/// under the first free name beside it.
void RunFiles::giveWay()
{
    namespace fs = std::filesystem;
    const auto there = markOf(m_path);
    if (!there || there == m_known)
        return;
    const fs::path path(m_options.session);
    std::error_code ignored;
    int number = 2;
    do
        m_path =
            (path.parent_path() / path.stem()).string() + "-" + std::to_string(number++) + path.extension().string();
    while (fs::exists(m_path, ignored));
    m_known.reset();
    m_say("Another program has written " + m_options.session + " meanwhile: that stays, and this run is saved in "
          + m_path + ".");
}

std::optional<Error> RunFiles::save(const Run &run, const BackgroundOptimum *optimum, Replace replace)
{
    std::error_code ignored;
    if (m_path.empty() || (run.trace().points.empty() && std::filesystem::exists(m_path, ignored)))
        return std::nullopt;
    if (const auto fOpt = optimum ? optimum->value() : std::nullopt) {
        session.fOpt = fOpt;
        session.fOptFloor = optimum->result()->floor;
    }
    session.runs[index] = savedRun(run, m_options.name);
    const std::string text = sessionText(session); // may take long: what is there is looked at after it
    giveWay();
    auto error = replace == Replace::Sessions ? whyNotReplaced(m_path) : std::nullopt;
    if (!error)
        error = writeAtomically(m_path, text);
    if (!error)
        m_known = markOf(m_path);
    return error;
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
        put(m_options.weights, weightsText(x));
    }
    std::fputs(toStandardOutput.c_str(), stdout);
    return errors;
}

} // namespace appa::cli
