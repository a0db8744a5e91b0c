#include "RunReport.h"

#include "CommandText.h"
#include "OptimumJson.h"
#include "Terminal.h"

#include "base/JsonText.h"
#include "base/Text.h"
#include "run/Labels.h"
#include "run/Session.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace appa::cli {

namespace {

using Json = nlohmann::ordered_json;

[[gnu::format(printf, 2, 3)]] void append(std::string &text, const char *format, ...)
{
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    const auto size = static_cast<std::size_t>(std::max(0, std::vsnprintf(nullptr, 0, format, values)));
    const std::size_t before = text.size();
    text.resize(before + size);
    std::vsnprintf(text.data() + before, size + 1, format, again);
    va_end(again);
    va_end(values);
}

/// What the last measured point took: a run that failed may be further.
Cost costOf(const Run &run)
{
    return run.trace().points.empty() ? run.cost() : run.trace().points.back().cost;
}

double secondsOf(const Run &run)
{
    return run.trace().points.empty() ? run.seconds() : run.trace().points.back().seconds;
}

double passesOf(const Run &run)
{
    return static_cast<double>(costOf(run).accesses) / static_cast<double>(run.problem().n());
}

std::string methodText(const Run &run)
{
    const MethodInfo *info = findMethod(run.method());
    const InnerInfo *inner = findInner(run.inner());
    return (info ? info->label : run.method()) + (inner ? " (" + inner->label + ")" : "");
}

/// Why it ended, and what its method noticed.
std::string endingOf(const Run &run)
{
    std::string text = run.message();
    if (text.empty() && run.status() == RunStatus::Paused)
        text = "Interrupted after stage " + std::to_string(run.stage()) + ".";
    else if (text.empty() && run.trace().points.empty())
        text = "Interrupted before anything was measured.";
    // A run that finishes has said it, unless it is known only since then.
    if (const std::string noticed = run.warning(); !noticed.empty() && text.find(noticed) == std::string::npos)
        text += (text.empty() ? "" : " ") + noticed;
    return text;
}

/// "test error", or for real targets what it is a mean of.
const char *testErrorName(const Problem &problem)
{
    return problem.data().kind == TargetKind::Real ? "mean squared error" : "misclassified";
}

/// What the gap is the gap of; it bounds no excess over F_opt.
const char *gapOf(const Run &run)
{
    const MethodInfo *info = findMethod(run.method());
    return info && info->lambda == LambdaMeaning::RidgeWeight ? "of F + (lambda/2)|x|^2, not of F"
                                                              : "of the last stage's subproblem, not of F";
}

Json problemJson(const Problem &p, const ui::ProblemSpec &spec)
{
    Json json;
    json["options"] = problemText(spec).toStdString();
    json["data"] = p.data().name;
    json["hash"] = hexText(p.data().hash);
    json["n"] = p.n();
    json["d"] = p.d();
    json["test_rows"] = p.data().test.rows();
    json["loss"] = infoOf(p.loss()).id;
    json["ridge"] = p.ridge();
    json["precision"] = spec.recipe.precision == Precision::Double ? "double" : "single";
    return json;
}

double lambdaOf(const Run &run)
{
    const ParamSet now = run.effective();
    return now.contains("lambda") && !now.isAuto("lambda") ? now.real("lambda") : unknown;
}

} // namespace

std::string progressText(const TracePoint &point, Index stages, std::optional<double> fOpt)
{
    std::string text = "stage " + std::to_string(point.stage);
    if (stages > 0)
        text += "/" + std::to_string(stages);
    append(text, "  F %.7g", point.loss);
    if (fOpt)
        append(text, "  excess %.2e", point.loss - *fOpt);
    if (!std::isnan(point.testError))
        append(text, "  test %.4g", point.testError);
    if (!std::isnan(point.lambda))
        text += "  λ " + shortNumber(point.lambda);
    return text;
}

std::string summaryText(const Run &run, const std::optional<Optimum> &optimum, bool wanted)
{
    const Problem &p = run.problem();
    std::string text;
    append(text, "%s: n = %lld, d = %lld, %s loss, ridge %s\n", p.data().name.c_str(), static_cast<long long>(p.n()),
           static_cast<long long>(p.d()), std::string(infoOf(p.loss()).id).c_str(), shortNumber(p.ridge()).c_str());
    append(text, "%s, seed %llu: %s. %s\n", methodText(run).c_str(), static_cast<unsigned long long>(run.spec().seed),
           std::string(nameOf(run.status())).c_str(), endingOf(run).c_str());
    for (const RunEvent &event : run.trace().events)
        append(text, "  %s stage %lld: %s\n", event.midStage ? "in" : "after", static_cast<long long>(event.stage),
               event.label.c_str());
    if (run.trace().points.empty())
        return text;
    const TracePoint &last = run.trace().points.back();
    append(text, "train loss   %.17g\n", last.loss);
    if (optimum && optimum->known) {
        append(text, "excess loss  %.6g  (F_opt %.17g, certified to %.1g)\n", last.loss - optimum->value,
               optimum->value, optimum->certificate);
        if (optimum->restsOnRounding)
            append(text, "             %s\n", optimum->message.c_str());
    } else if (optimum)
        append(text, "excess loss  unknown: %s\n", optimum->message.c_str());
    else if (wanted)
        text += "excess loss  unknown: the reference optimum was not found in time\n";
    if (!std::isnan(last.testError))
        append(text, "test error   %.6g  (%s)\n", last.testError, testErrorName(p));
    if (!std::isnan(last.gap))
        append(text, "gap          %.6g  (%s)\n", last.gap, gapOf(run));
    append(text, "work         %lld stage%s, %.6g passes, %s\n", static_cast<long long>(last.stage),
           last.stage == 1 ? "" : "s", passesOf(run), durationText(secondsOf(run)).c_str());
    return text;
}

std::string summaryJson(const Run &run, const ui::ProblemSpec &problem, const std::optional<Optimum> &optimum)
{
    const Problem &p = run.problem();
    Json json;
    json["data"] = p.data().name;
    json["n"] = p.n();
    json["d"] = p.d();
    json["loss"] = infoOf(p.loss()).id;
    json["ridge"] = p.ridge();
    json["problem"] = problemJson(p, problem);
    json["method"] = run.method();
    json["inner"] = run.inner();
    json["lambda"] = jsonNumber(lambdaOf(run));
    json["seed"] = run.spec().seed;
    json["status"] = nameOf(run.status());
    json["message"] = endingOf(run);
    json["stages"] = run.stage();
    json["passes"] = passesOf(run);
    json["accesses"] = costOf(run).accesses;
    json["seconds"] = secondsOf(run);
    const bool measured = !run.trace().points.empty();
    const TracePoint last = measured ? run.trace().points.back() : TracePoint{};
    const bool known = optimum && optimum->known;
    json["train_loss"] = jsonNumber(last.loss);
    json["f_opt"] = known ? jsonNumber(optimum->value) : Json();
    json["optimum"] = optimum ? optimumJson(*optimum) : Json();
    json["excess_loss"] = known ? jsonNumber(last.loss - optimum->value) : Json();
    json["test_error"] = jsonNumber(last.testError);
    json["test_error_is"] = testErrorName(p);
    json["gap"] = jsonNumber(last.gap);
    Json params = Json::object();
    const ParamSet effective = run.effective();
    for (const auto &[key, value] : effective.values())
        params[key] = std::visit([](const auto &v) { return Json(v); }, value);
    json["params"] = std::move(params);
    Json events = Json::array();
    for (const RunEvent &event : run.trace().events) {
        Json entry;
        entry["stage"] = event.stage;
        entry["tick"] = event.at.ticks;
        entry["mid_stage"] = event.midStage;
        entry["key"] = event.key;
        entry["to"] = std::visit([](const auto &v) { return Json(v); }, event.to);
        entry["label"] = event.label;
        events.push_back(std::move(entry));
    }
    json["events"] = std::move(events);
    return jsonText(json);
}

} // namespace appa::cli
