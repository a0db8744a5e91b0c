// appa-lab sweep --merge: the parts of a study that were made apart become one.

#include "Cli.h"
#include "SweepOutput.h"
#include "SweepResume.h"
#include "SweepRun.h"
#include "run/SweepFolder.h"

#include <filesystem>

namespace appa::cli {

int mergeParts(SweepArguments arguments)
{
    if (!arguments.problemWords.empty() && !arguments.curves && !arguments.floors) {
        const std::string &word = arguments.problemWords.front();
        return fail(usage(word.substr(0, word.find('='))
                          + " has no effect with --merge, as the parts say their problem: leave it out. (Only --curves "
                            "and --floors have to read the data again.)"));
    }
    // What is there already stays: it is one part more.
    std::error_code failed; // if that cannot be told, reading it says why
    if (arguments.resume && (std::filesystem::exists(arguments.out + "/plan.json", failed) || failed))
        arguments.merge.insert(arguments.merge.begin(), arguments.out);
    auto merged = mergeStudies(arguments.merge);
    if (!merged)
        return fail(merged.error());
    SweepStudy &study = merged.value();
    SweepTable table(study);
    // What can go wrong does before anything is written.
    if (arguments.curves || arguments.floors) {
        ProgressLine line(wantsLine(arguments));
        if (const auto error = takeProblem(study.context, arguments.merge.front(), arguments))
            return fail(*error);
        const auto problem = loadProblem(arguments);
        if (!problem)
            return fail(problem.error());
        if (!study.context.sameProblem(contextOf(*problem.value())))
            return fail(
                {Error::Kind::Usage, "The parts are about another problem than the options: " + study.context.problem});
        if (!addFloors(table, *problem.value(), arguments, progressOn(line)))
            return Interrupted;
    }
    auto folder = SweepFolder::open(arguments.out, study.plan, study.context,
                                    arguments.resume ? SweepFolder::Mode::Resume : SweepFolder::Mode::New);
    if (!folder)
        return fail(folder.error());
    if (const auto error = folder.value()->finish(study.results))
        return fail(*error);
    if (const int code = writeFiles(table, arguments, commandOf(study.plan, study.context.problem)))
        return code;
    if (table.size() < table.plan().size())
        return fail({Error::Kind::Data,
                     std::to_string(table.plan().size() - table.size()) + " of " + std::to_string(table.plan().size())
                         + " runs are missing from the parts."});
    return verdictOn(table);
}

} // namespace appa::cli
