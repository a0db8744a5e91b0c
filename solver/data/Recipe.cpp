#include "data/Recipe.h"

#include "base/Text.h"
#include "data/Bytes.h"
#include "data/Finish.h"
#include "data/Generators.h"
#include "data/Labels.h"
#include "data/Memory.h"
#include "data/Missing.h"
#include "data/Rows.h"
#include "data/Sources.h"
#include "data/Transforms.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <set>

namespace appa {

namespace {

/// At least this part of the entries non-zero: dense rows take less memory than (column, value) pairs.
constexpr double denseFrom = 0.5;

/// How long the steps take, about, so that a progress bar moves evenly: in passes over the rows.
constexpr double readingWork = 5, splittingWork = 1;
double workOf(const Transform &t)
{
    return t.kind == Transform::Kind::FourierFeatures ? 1 + 0.05 * static_cast<double>(t.count > 0 ? t.count : 1000)
                                                      : 1;
}

/// Counts columns from 0, in both parts alike, and gives both the union of the columns.
std::optional<Error> alignColumns(LoadedSource &source)
{
    RawTable &train = source.train;
    RawTable *test = source.test ? &*source.test : nullptr;
    Index base = 0;
    if (source.format == Format::Libsvm) {
        base = train.hasIndexZero || (test && test->hasIndexZero) ? 0 : 1;
        train.steps.push_back(
            {"columns", base == 0 ? "0-based indices: an index 0 occurs" : "1-based indices: no index 0 occurs"});
    }
    const auto last = [&](const RawTable &t) { return std::max<Index>(1, colsOf(t.features) - base); };
    const Index cols = test ? std::max(last(train), last(*test)) : last(train);
    const RawTable &widest = test && last(*test) == cols ? *test : train;
    if (auto error = refuseMemory(64.0 * static_cast<double>(cols),
                                  "the " + std::to_string(cols) + " columns of " + widest.origin
                                      + ", counted by its largest index,"))
        return Error{error->kind,
                     error->message + " If that index is a mistake, correct it; else renumber the columns."};
    if (test && last(train) != last(*test))
        train.steps.push_back({"columns of both files",
                               "training " + std::to_string(last(train)) + ", test " + std::to_string(last(*test))
                                   + ": the union, " + std::to_string(cols)});
    for (RawTable *table : {&train, test}) {
        if (!table)
            continue;
        if (isSparse(table->features)) {
            shiftColumns(table->features, base, cols);
        } else {
            if (auto error = refuseMemory(
                    8.0 * static_cast<double>(cols) * static_cast<double>(rowsOf(table->features)), "the rows"))
                return error;
            widen(table->features, cols);
        }
    }
    return std::nullopt;
}

/// Sparse storage that would be larger than dense becomes dense.
void densifyIfFull(LoadedSource &source)
{
    Features &features = source.train.features;
    if (!isSparse(features))
        return;
    const double cells = static_cast<double>(rowsOf(features)) * static_cast<double>(colsOf(features));
    const double density = static_cast<double>(nonZerosOf(features)) / cells;
    if (density < denseFrom)
        return;
    features = densified(features);
    if (source.test)
        source.test->features = densified(source.test->features);
    source.train.steps.push_back(
        {"stored dense", numberText(std::round(1000 * density) / 10) + " % of the entries are non-zero"});
}

std::optional<Error> holdOut(Dataset &data, const DataRecipe &recipe, const ProgressRange &range)
{
    const Index n = data.train.rows();
    const auto count = static_cast<Index>(std::llround(recipe.holdout * static_cast<double>(n)));
    if (count < 1 || count >= n)
        return Error{Error::Kind::Usage,
                     "A hold-out of " + numberText(recipe.holdout) + " of " + std::to_string(n)
                         + " rows leaves one part empty. Choose a fraction in between, or more rows."};
    if (auto error = refuseMemory(static_cast<double>(bytesOf(data.train.features)), "splitting the rows"))
        return error;
    const auto test = randomRows(n, count, recipe.seed);
    std::vector<Index> train;
    for (Index i = 0, k = 0; i < n; ++i) {
        if (k < count && test[static_cast<std::size_t>(k)] == i)
            ++k;
        else
            train.push_back(i);
    }
    const Index unused = data.test.rows();
    Samples a, b;
    if (!selectRows(data.train, train, a, range) || !selectRows(data.train, test, b, range))
        return cancelledError();
    data.train = std::move(a);
    data.test = std::move(b);
    data.provenance.push_back(
        {"random hold-out",
         std::to_string(count) + " of " + std::to_string(n) + " rows are the test set, seed "
             + std::to_string(recipe.seed)
             + (unused > 0 ? "; the " + std::to_string(unused) + " ready-made test rows are not used" : "")});
    return std::nullopt;
}

Result<Dataset> fromSource(const DataRecipe &recipe, const Progress &progress)
{
    auto loaded = loadSource(recipe, {progress, 0, 1, "Reading"});
    if (!loaded)
        return loaded.error();
    LoadedSource &source = loaded.value();
    if (auto error = alignColumns(source))
        return *error;
    densifyIfFull(source);
    const LabelChoice choice{.positive = recipe.positive.empty() ? source.defaultPositive : recipe.positive,
                             .regression = recipe.regression};
    auto labelled = applyLabels(source.train, source.test ? &*source.test : nullptr, choice);
    if (!labelled)
        return labelled;
    Dataset &data = labelled.value();
    data.name = source.name;
    data.train.features = std::move(source.train.features);
    data.columnNames = source.train.columns.featureNames();
    if (std::ssize(data.columnNames) != data.train.cols()) // a test file without a header had more
        data.columnNames.clear();
    data.test.features = source.test ? std::move(source.test->features) : noRows(data.train.features);
    auto steps = std::move(source.train.steps);
    if (source.test)
        steps.insert(steps.begin() + 1, source.test->steps.begin(), source.test->steps.end());
    data.provenance.insert(data.provenance.begin(), steps.begin(), steps.end());
    return labelled;
}

/// What is about files and labels says nothing to a generator.
std::optional<Error> refuseFileOptions(const DataRecipe &recipe)
{
    const bool classes = recipe.positive.size() == 1 && recipe.positive[0] == "classes"; // what softmax asks for
    const char *what = !recipe.testFile.empty() ? "a test file"
        : !recipe.label.empty()                 ? "a label column"
        : recipe.columns != ColumnChoice()      ? "columns"
        : !recipe.positive.empty() && !classes  ? "positive classes"
                                                : nullptr;
    if (!what)
        return std::nullopt;
    return Error{Error::Kind::Usage,
                 recipe.source + ": a generator makes its own rows and targets, so " + what
                     + " can't be chosen for it. Leave that out."};
}

/// Every method needs |a_i|^2. In double precision there are rows that have none: too long, or all of them so short
/// that they would be taken for zeros.
std::optional<Error> refuseSquares(const Dataset &data)
{
    constexpr double least = 1e-200, most = 1e200;
    const auto error = [](const std::string &rows, const char *size) {
        return Error{Error::Kind::Data,
                     rows + " numbers too " + size
                         + " to be squared. Expected numbers between 1e-100 and 1e100: scale the rows or the columns, "
                           "or give them in other units."};
    };
    for (const auto &[samples, part] : {std::pair(&data.train, "training"), std::pair(&data.test, "test")})
        for (std::size_t i = 0; i < samples->squaredNorms.size(); ++i)
            if (!(samples->squaredNorms[i] < most))
                return error("In the " + std::string(part) + " set, row " + std::to_string(i + 1) + " has", "large");
    const bool isShort = std::ranges::all_of(data.train.squaredNorms, [](double q) { return q < least; });
    const bool isZero = std::visit(
        [](const auto &A) {
            for (Index i = 0; i < A.rows(); ++i) {
                if constexpr (std::decay_t<decltype(A)>::isSparse) {
                    if (!A.row(i).empty()) // zeros are not stored
                        return false;
                } else if (std::any_of(A.row(i), A.row(i) + A.cols(), [](auto v) { return v != 0; })) {
                    return false;
                }
            }
            return true;
        },
        data.train.features);
    if (isShort && !isZero)
        return error("All training rows have", "small");
    return std::nullopt;
}

Result<DatasetPtr> load(const DataRecipe &recipe, const Progress &progress)
{
    if (!(recipe.holdout >= 0 && recipe.holdout < 1))
        return Error{Error::Kind::Usage, "The hold-out is a fraction of the rows, at least 0 and below 1."};
    if (recipe.holdout > 0 && !recipe.testFile.empty())
        return Error{Error::Kind::Usage, "Both a test file and a hold-out are given. Choose one of them."};
    if (recipe.source.empty())
        return Error{Error::Kind::Usage, "No data set is named. Give a name of the catalogue, a generator, or a file."};
    if (isGenerator(recipe.source))
        if (auto error = refuseFileOptions(recipe))
            return *error;
    double work = readingWork + splittingWork;
    for (const Transform &t : recipe.transforms)
        work += workOf(t);
    const auto at = [&](double done) { return 0.9 * done / work; }; // the rest is for the row norms and the hash
    const Progress making{
        .report = progress.report
            ? [&](double fraction, std::string_view what) { progress(fraction * at(readingWork), what); }
            : std::function<void(double, std::string_view)>(),
        .stop = progress.stop};
    auto made =
        isGenerator(recipe.source) ? generate(recipe.source, recipe.precision, making) : fromSource(recipe, making);
    if (!made)
        return made.error();
    Dataset &data = made.value();
    if (recipe.regression && data.kind != TargetKind::Real)
        return Error{Error::Kind::Usage,
                     recipe.source
                         + ": this generator makes classes, so regression can't be chosen for it. Leave that "
                           "out, or take ill-conditioned."};
    if (recipe.holdout > 0)
        if (auto error =
                holdOut(data, recipe, {progress, at(readingWork), at(readingWork + splittingWork), "Splitting"}))
            return *error;
    if (recipe.columns.missing == ColumnChoice::Missing::Mean)
        if (auto error = fillMissing(data))
            return *error;
    double done = readingWork + splittingWork;
    for (const Transform &t : recipe.transforms) {
        const std::string what = describe(t);
        if (auto error = applyTransform(data, t, {progress, at(done), at(done + workOf(t)), what}))
            return *error;
        done += workOf(t);
    }
    noteLoneClasses(data);
    const auto finished = finish(std::move(data), progress);
    if (!finished)
        return cancelledError();
    if (auto error = refuseSquares(*finished))
        return *error;
    return finished;
}

} // namespace

std::string ColumnChoice::nameOf(const std::vector<std::string> &names, std::size_t k)
{
    const std::string number = std::to_string(k + 1);
    if (k >= names.size() || trimmed(names[k]).empty() || trimmed(names[k]) != names[k])
        return number;
    const auto isSame = [&](const std::string &other) { return lowered(other) == lowered(names[k]); };
    return std::count_if(names.begin(), names.end(), isSame) == 1 ? names[k] : number;
}

Result<DatasetPtr> loadDataset(const DataRecipe &recipe, const Progress &progress)
{
    try {
        return load(recipe, progress);
    } catch (const std::bad_alloc &) {
        return Error{Error::Kind::Data, "Not enough memory for this data set. Take fewer rows or fewer features."};
    }
}

} // namespace appa
