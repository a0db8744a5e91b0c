#include "run/SessionJson.h"

#include "base/Text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace appa {

namespace {

constexpr std::array<const char *, 11> pointColumns = {
    "stage", "ticks", "steps", "accesses", "fullAccesses", "seconds", "loss", "testError", "gap", "lambda", "stageEnd"};

Json numberJson(double value)
{
    if (std::isfinite(value))
        return value;
    return std::isnan(value) ? Json() : Json(value > 0 ? "inf" : "-inf");
}

double numberFrom(const Json &json)
{
    if (json.is_null())
        return unknown;
    if (json.is_string()) {
        const double infinity = std::numeric_limits<double>::infinity();
        return json.get<std::string>() == "-inf" ? -infinity : infinity;
    }
    return json.get<double>();
}

Json valueJson(const ParamValue &value)
{
    return std::visit([](const auto &v) { return Json(v); }, value);
}

ParamValue valueFrom(const Json &json)
{
    if (json.is_boolean())
        return json.get<bool>();
    if (json.is_string())
        return json.get<std::string>();
    return json.get<double>();
}

/// Paths, columns and classes are bytes, JSON is UTF-8: what is not is escaped, {"escaped": "/data/caf%E9.svm"}.
Json textJson(const std::string &text)
{
    return isUtf8(text) ? Json(text) : Json{{"escaped", percentEscaped(text)}};
}

std::string textFrom(const Json &json)
{
    return json.is_object() ? percentUnescaped(json.at("escaped").get<std::string>()) : json.get<std::string>();
}

Json textsJson(const std::vector<std::string> &texts)
{
    Json list = Json::array();
    for (const std::string &text : texts)
        list.push_back(textJson(text));
    return list;
}

std::vector<std::string> textsFrom(const Json &json)
{
    std::vector<std::string> texts;
    for (const Json &text : json)
        texts.push_back(textFrom(text));
    return texts;
}

/// A word of a fixed list, or an error that names it.
template <class Names> std::size_t indexOf(const Names &names, const Json &json)
{
    const auto word = json.get<std::string>();
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (names[k] == word)
            return k;
    }
    throw Json::other_error::create(601, "unknown word \"" + word + "\"", &json);
}

constexpr std::array<std::string_view, 7> transformNames = {"mean-norm", "rows",       "columns",    "affine",
                                                            "rff",       "first-rows", "random-rows"};
constexpr std::array<std::string_view, 2> precisionNames = {"single", "double"};
constexpr std::array<std::string_view, 2> eventNames = {"params", "method"};

Json costJson(const Cost &cost)
{
    return {cost.ticks, cost.steps, cost.accesses, cost.fullAccesses};
}

Cost costFrom(const Json &json)
{
    return {json.at(0).get<Index>(), json.at(1).get<Index>(), json.at(2).get<Index>(), json.at(3).get<Index>()};
}

Json toJson(const TracePoint &p)
{
    return {p.stage,
            p.cost.ticks,
            p.cost.steps,
            p.cost.accesses,
            p.cost.fullAccesses,
            numberJson(p.seconds),
            numberJson(p.loss),
            numberJson(p.testError),
            numberJson(p.gap),
            numberJson(p.lambda),
            p.stageEnd};
}

TracePoint pointFrom(const Json &json)
{
    TracePoint p;
    p.stage = json.at(0).get<Index>();
    p.cost = {json.at(1).get<Index>(), json.at(2).get<Index>(), json.at(3).get<Index>(), json.at(4).get<Index>()};
    p.seconds = numberFrom(json.at(5));
    p.loss = numberFrom(json.at(6));
    p.testError = numberFrom(json.at(7));
    p.gap = numberFrom(json.at(8));
    p.lambda = numberFrom(json.at(9));
    p.stageEnd = json.at(10).get<bool>();
    return p;
}

Json toJson(const RunEvent &e)
{
    return {{"kind", eventNames[static_cast<std::size_t>(e.kind)]},
            {"at", costJson(e.at)},
            {"stage", e.stage},
            {"mid_stage", e.midStage},
            {"seconds", numberJson(e.seconds)},
            {"key", e.key},
            {"from", valueJson(e.from)},
            {"to", valueJson(e.to)},
            {"inner", e.inner},
            {"label", e.label}};
}

RunEvent eventFrom(const Json &json)
{
    RunEvent e;
    e.kind = static_cast<RunEvent::Kind>(indexOf(eventNames, json.at("kind")));
    e.at = costFrom(json.at("at"));
    e.stage = json.at("stage").get<Index>();
    e.midStage = json.value("mid_stage", false); // older sessions do not say it
    e.seconds = numberFrom(json.at("seconds"));
    e.key = json.at("key").get<std::string>();
    e.from = valueFrom(json.at("from"));
    e.to = valueFrom(json.at("to"));
    e.inner = json.at("inner").get<std::string>();
    e.label = json.at("label").get<std::string>();
    return e;
}

Json toJson(const SavedRun &run)
{
    Json params = Json::object();
    for (const auto &[key, value] : run.spec.params.values())
        params[key] = valueJson(value);
    Json points = Json::array();
    for (const TracePoint &p : run.trace.points)
        points.push_back(toJson(p));
    Json events = Json::array();
    for (const RunEvent &e : run.trace.events)
        events.push_back(toJson(e));
    const RunStatus status = run.status == RunStatus::Running ? RunStatus::Paused : run.status;
    return {
        {"name", run.name},
        {"spec", {{"method", run.spec.method}, {"inner", run.spec.inner}, {"params", params}, {"seed", run.spec.seed}}},
        {"stop",
         {{"stages", run.stop.stages},
          {"passes", run.stop.passes},
          {"seconds", run.stop.seconds},
          {"excessBelow", run.stop.excessBelow},
          {"gapBelow", run.stop.gapBelow}}},
        {"measuresPerPass", run.measuresPerPass},
        {"status", nameOf(status)},
        {"message", run.message},
        {"method", run.method},
        {"inner", run.inner},
        {"columns", pointColumns},
        {"points", points},
        {"events", events}};
}

SavedRun runFrom(const Json &json)
{
    SavedRun run;
    run.name = json.at("name").get<std::string>();
    const Json &spec = json.at("spec");
    run.spec.method = spec.at("method").get<std::string>();
    run.spec.inner = spec.at("inner").get<std::string>();
    run.spec.seed = spec.at("seed").get<std::uint64_t>();
    for (const auto &[key, value] : spec.at("params").items())
        run.spec.params.set(key, valueFrom(value));
    const Json &stop = json.at("stop");
    run.stop = {.stages = stop.at("stages").get<Index>(),
                .passes = stop.at("passes").get<double>(),
                .seconds = stop.at("seconds").get<double>(),
                .excessBelow = stop.at("excessBelow").get<double>(),
                .gapBelow = stop.at("gapBelow").get<double>()};
    run.measuresPerPass = json.at("measuresPerPass").get<int>();
    run.status = static_cast<RunStatus>(indexOf(runStatusNames, json.at("status")));
    run.message = json.at("message").get<std::string>();
    run.method = json.at("method").get<std::string>();
    run.inner = json.at("inner").get<std::string>();
    for (const Json &p : json.at("points"))
        run.trace.points.push_back(pointFrom(p));
    for (const Json &e : json.at("events"))
        run.trace.events.push_back(eventFrom(e));
    return run;
}

} // namespace

Json toJson(const DataRecipe &recipe)
{
    Json transforms = Json::array();
    for (const Transform &t : recipe.transforms)
        transforms.push_back({{"kind", transformNames[static_cast<std::size_t>(t.kind)]},
                              {"count", t.count},
                              {"bandwidth", t.bandwidth},
                              {"seed", t.seed}});
    return {{"source", textJson(recipe.source)},
            {"testFile", textJson(recipe.testFile)},
            {"format", recipe.format},
            {"label", textJson(recipe.label)},
            {"columns", textsJson(recipe.columns.only)},
            {"dropped", textsJson(recipe.columns.dropped)},
            {"words", recipe.columns.wordsName()},
            {"missing", recipe.columns.missingName()},
            {"positive", textsJson(recipe.positive)},
            {"regression", recipe.regression},
            {"holdout", recipe.holdout},
            {"transforms", transforms},
            {"precision", precisionNames[static_cast<std::size_t>(recipe.precision)]},
            {"seed", recipe.seed}};
}

DataRecipe recipeFrom(const Json &json)
{
    DataRecipe recipe;
    recipe.source = textFrom(json.at("source"));
    recipe.testFile = textFrom(json.at("testFile"));
    recipe.format = json.at("format").get<std::string>();
    recipe.label = textFrom(json.at("label"));
    // Sessions written before columns could be chosen say nothing of them.
    if (json.contains("columns")) {
        recipe.columns.only = textsFrom(json.at("columns"));
        recipe.columns.dropped = textsFrom(json.at("dropped"));
        recipe.columns.words = static_cast<ColumnChoice::Words>(indexOf(ColumnChoice::wordsNames, json.at("words")));
        recipe.columns.missing =
            static_cast<ColumnChoice::Missing>(indexOf(ColumnChoice::missingNames, json.at("missing")));
    }
    recipe.positive = textsFrom(json.at("positive"));
    recipe.regression = json.at("regression").get<bool>();
    recipe.holdout = json.at("holdout").get<double>();
    for (const Json &t : json.at("transforms"))
        recipe.transforms.push_back({.kind = static_cast<Transform::Kind>(indexOf(transformNames, t.at("kind"))),
                                     .count = t.at("count").get<Index>(),
                                     .bandwidth = t.at("bandwidth").get<double>(),
                                     .seed = t.at("seed").get<std::uint64_t>()});
    recipe.precision = static_cast<Precision>(indexOf(precisionNames, json.at("precision")));
    recipe.seed = json.at("seed").get<std::uint64_t>();
    return recipe;
}

Json toJson(const Session &session)
{
    Json provenance = Json::array();
    for (const ProvenanceStep &step : session.provenance)
        provenance.push_back({step.what, step.detail});
    Json runs = Json::array();
    for (const SavedRun &run : session.runs)
        runs.push_back(toJson(run));
    return {{"data", toJson(session.data)},
            {"dataName", session.dataName},
            {"dataHash", hexText(session.dataHash)},
            {"rows", session.rows},
            {"columns", session.columns},
            {"provenance", provenance},
            {"loss", session.loss},
            {"ridge", session.ridge},
            {"fOpt", session.fOpt ? numberJson(*session.fOpt) : Json()},
            {"fOptFloor", session.fOptFloor},
            {"runs", runs},
            {"view", session.view}};
}

Session sessionFrom(const Json &json)
{
    Session session;
    session.data = recipeFrom(json.at("data"));
    session.dataName = json.at("dataName").get<std::string>();
    const auto hash = json.at("dataHash").get<std::string>();
    std::from_chars(hash.data(), hash.data() + hash.size(), session.dataHash, 16);
    session.rows = json.at("rows").get<Index>();
    session.columns = json.at("columns").get<Index>();
    for (const Json &step : json.at("provenance"))
        session.provenance.push_back({step.at(0).get<std::string>(), step.at(1).get<std::string>()});
    session.loss = json.at("loss").get<std::string>();
    session.ridge = json.at("ridge").get<double>();
    if (!json.at("fOpt").is_null())
        session.fOpt = numberFrom(json.at("fOpt"));
    session.fOptFloor = json.at("fOptFloor").get<double>();
    for (const Json &run : json.at("runs"))
        session.runs.push_back(runFrom(run));
    session.view = json.at("view").get<std::string>();
    return session;
}

} // namespace appa
