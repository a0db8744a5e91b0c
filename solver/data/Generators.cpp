#include "data/Generators.h"

#include "base/Suggest.h"
#include "base/Text.h"
#include "data/Bytes.h"
#include "data/Memory.h"
#include "data/Parallel.h"
#include "data/Random.h"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace appa {

namespace {

constexpr double maxRows = 1e9;
constexpr double maxCols = 2147483647;

constexpr GeneratorKey seedKey{"seed", 1, 0, 9007199254740992.0, true, "of all random numbers"};
constexpr GeneratorKey illKeys[] = {
    {"n", 2000, 1, maxRows, true, "training rows, at least d"},
    {"d", 50, 1, 20000, true, "columns"},
    {"condition", 1e4, 1, 1e15, false, "ratio of the largest to the smallest eigenvalue of A'A"},
    {"noise", 0.1, 0, 1e6, false, "standard deviation of the targets' noise"},
    {"test", 500, 0, maxRows, true, "test rows"},
    seedKey,
};
constexpr GeneratorKey consistentKeys[] = {
    {"n", 1000, 1, maxRows, true, "training rows, at least d"},
    {"d", 50, 1, 20000, true, "columns"},
    {"condition", 100, 1, 1e15, false, "ratio of the largest to the smallest eigenvalue of A'A"},
    {"test", 0, 0, maxRows, true, "test rows"},
    seedKey,
};
constexpr GeneratorKey gaussianKeys[] = {
    {"n", 400, 2, maxRows, true, "training rows, half of them in each class"},
    {"separation", 2, 0, 1e6, false, "distance of the two means, in standard deviations"},
    {"stretch", 3, 1, 1e6, false, "ratio of the clouds' longer to their shorter axis"},
    {"test", 400, 0, maxRows, true, "test rows"},
    seedKey,
};
constexpr GeneratorKey sparseKeys[] = {
    {"n", 20000, 1, maxRows, true, "training rows"},
    {"d", 5000, 1, maxCols, true, "columns"},
    {"nnz", 50, 1, 1e6, true, "non-zeros in a row"},
    {"exponent", 1.1, 0, 10, false, "column j is used in proportion to (j+1)^-exponent"},
    {"scale", 6, 0, 1e6, false, "size of the true margins: labels agree with their sign more often when it is large"},
    {"test", 5000, 0, maxRows, true, "test rows"},
    seedKey,
};

constexpr GeneratorInfo infos[] = {
    {"ill-conditioned", "least squares of a chosen size and condition number", illKeys},
    {"consistent", "a linear system that has a solution, for Kaczmarz", consistentKeys},
    {"gaussians-2d", "two classes in the plane, one Gaussian cloud each", gaussianKeys},
    {"sparse-logistic", "sparse rows over power-law columns, labels drawn from a logistic model", sparseKeys},
};

const GeneratorInfo *find(std::string_view source)
{
    const std::string_view name = source.substr(0, source.find(':'));
    for (const auto &info : infos)
        if (info.name == name)
            return &info;
    return nullptr;
}

using Values = std::map<std::string_view, double>;

Result<Values> readKeys(const GeneratorInfo &info, std::string_view source)
{
    Values values;
    for (const auto &k : info.keys)
        values[k.key] = k.defaultValue;
    const auto colon = source.find(':');
    std::string_view rest = colon == std::string_view::npos ? std::string_view{} : source.substr(colon + 1);
    const auto usage = [&](const std::string &problem, const std::string &hint = {}) {
        const std::string known = joined(
            info.keys, ", ", [](const auto &k) { return std::string(k.key) + "=" + numberText(k.defaultValue); });
        return Error{Error::Kind::Usage,
                     std::string(info.name) + ": " + problem + "." + hint + " The keys and their defaults are " + known
                         + "."};
    };
    while (!rest.empty()) {
        const auto comma = std::min(rest.find(','), rest.size());
        const std::string_view item = trimmed(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        const auto equals = item.find('=');
        if (equals == std::string_view::npos)
            return usage(inQuotes(item) + " is not of the form key=value");
        const std::string_view key = trimmed(item.substr(0, equals));
        const auto spec = std::find_if(info.keys.begin(), info.keys.end(), [&](const auto &k) { return k.key == key; });
        if (spec == info.keys.end()) {
            std::vector<std::string> keys;
            for (const auto &k : info.keys)
                keys.emplace_back(k.key);
            return usage("there is no key \"" + printable(key) + "\"", didYouMean(std::string(key), keys));
        }
        const auto value = readNumber(trimmed(item.substr(equals + 1)));
        if (!value || *value < spec->min || *value > spec->max || (spec->isInteger && *value != std::floor(*value)))
            return usage(inQuotes(item) + ": expected " + (spec->isInteger ? "a whole number" : "a number") + " from "
                         + numberText(spec->min) + " to " + numberText(spec->max) + " (" + std::string(spec->help)
                         + ")");
        values[spec->key] = *value;
    }
    return values;
}

/// A Gaussian matrix with its columns made orthonormal (Gram-Schmidt, twice for stability). False when cancelled.
bool orthonormal(Eigen::MatrixXd &Q, std::uint64_t seed, std::uint64_t stream, const ProgressRange &range)
{
    Random random(seed, stream);
    constexpr Index block = 32;
    for (Index j = 0; j < Q.cols(); ++j) {
        range.report(std::pow(static_cast<double>(j) / static_cast<double>(Q.cols()), 2));
        for (Index i = 0; i < Q.rows(); ++i)
            Q(i, j) = random.normal();
        for (int round = 0; round < 2; ++round) {
            for (Index k = 0; k < j; k += block) {
                if (range.cancelled())
                    return false;
                const auto basis = Q.middleCols(k, std::min(block, j - k));
                const Eigen::VectorXd c = basis.transpose() * Q.col(j);
                Q.col(j) -= basis * c;
            }
        }
        Q.col(j).normalize();
    }
    return true;
}

struct Linear
{
    Eigen::MatrixXd train;
    Eigen::MatrixXd test;
};

/// A = sqrt(n) Q S V' with A'A/n having eigenvalues from 1 down to 1/condition, evenly on a log scale.
/// Test rows are z S V' with z ~ N(0, I): the same second moments.
std::optional<Linear> linearRows(Index n, Index test, Index d, double condition, std::uint64_t seed,
                                 const Progress &progress)
{
    Linear out{.train = Eigen::MatrixXd(n, d), .test = Eigen::MatrixXd(test, d)};
    Eigen::MatrixXd V(d, d);
    if (!orthonormal(out.train, seed, 1, {progress, 0, 0.5, "Making orthogonal rows"})
        || !orthonormal(V, seed, 2, {progress, 0.5, 0.7, "Making orthogonal columns"}))
        return std::nullopt;
    for (Index j = 0; j < d; ++j)
        V.col(j) *= d == 1 ? 1 : std::pow(condition, -0.5 * static_cast<double>(j) / static_cast<double>(d - 1));
    Random random(seed, 3);
    for (Index i = 0; i < test; ++i)
        for (Index j = 0; j < d; ++j)
            out.test(i, j) = random.normal();
    out.train *= std::sqrt(static_cast<double>(n));
    const auto rotate = [&](Eigen::MatrixXd &M) {
        constexpr Index block = 64;
        Eigen::MatrixXd rows;
        for (Index i = 0; i < M.rows(); i += block) {
            if (progress.cancelled())
                return false;
            auto part = M.middleRows(i, std::min(block, M.rows() - i));
            rows.noalias() = part * V.transpose();
            part = rows;
        }
        return true;
    };
    if (!rotate(out.train) || !rotate(out.test))
        return std::nullopt;
    return out;
}

template <class T> DenseMatrix<T> stored(const Eigen::MatrixXd &M)
{
    DenseMatrix<T> A(M.rows(), M.cols());
    for (Index i = 0; i < M.rows(); ++i)
        for (Index j = 0; j < M.cols(); ++j)
            A.row(i)[j] = static_cast<T>(M(i, j));
    return A;
}

Index whole(const Values &v, std::string_view key)
{
    return static_cast<Index>(v.at(key));
}

/// Targets a.x + noise of the *stored* rows, so that a consistent system stays one in single precision.
template <class T>
void linearTargets(Samples &part, const DenseMatrix<T> &A, const Eigen::VectorXd &x, double noise, Random &random)
{
    for (Index i = 0; i < A.rows(); ++i) {
        double sum = 0;
        for (Index j = 0; j < A.cols(); ++j)
            sum += static_cast<double>(A.row(i)[j]) * x(j);
        part.targets.push_back(noise > 0 ? sum + noise * random.normal() : sum);
    }
}

template <class T> Result<Dataset> makeLinear(const Values &v, double noise, const Progress &progress)
{
    const Index n = whole(v, "n"), d = whole(v, "d"), test = whole(v, "test");
    const auto seed = static_cast<std::uint64_t>(v.at("seed"));
    if (n < d)
        return Error{Error::Kind::Usage,
                     "n must be at least d for a condition number to be reached (n = " + std::to_string(n)
                         + ", d = " + std::to_string(d) + ")."};
    const double numbers = static_cast<double>(n + test) * static_cast<double>(d);
    if (const auto error =
            refuseMemory(numbers * (8 + sizeof(T)) + 8.0 * static_cast<double>(d * d), "the generated rows"))
        return *error;
    const auto rows = linearRows(n, test, d, v.at("condition"), seed, progress);
    if (!rows)
        return cancelledError();
    Random random(seed, 4);
    Eigen::VectorXd x(d);
    for (Index j = 0; j < d; ++j)
        x(j) = random.normal();
    Dataset data;
    data.kind = TargetKind::Real;
    auto A = stored<T>(rows->train);
    linearTargets(data.train, A, x, noise, random);
    data.train.features = std::move(A);
    auto B = stored<T>(rows->test);
    linearTargets(data.test, B, x, noise, random);
    data.test.features = std::move(B);
    return data;
}

/// Class +-1 at +-separation/2 along the first axis; the clouds' long axis is turned by 30 degrees, so that the
/// landscape's valley is not along an axis.
template <class T> Result<Dataset> makeGaussians(const Values &v, const Progress &)
{
    const double separation = v.at("separation"), stretch = v.at("stretch");
    if (const auto error = refuseMemory((v.at("n") + v.at("test")) * (2 * sizeof(T) + 16), "the generated rows"))
        return *error;
    Random random(static_cast<std::uint64_t>(v.at("seed")), 5);
    const double c = std::cos(std::numbers::pi / 6), s = std::sin(std::numbers::pi / 6);
    const auto fill = [&](Samples &part, Index rows) {
        DenseMatrix<T> A(rows, 2);
        part.targets.resize(static_cast<std::size_t>(rows));
        for (Index i = 0; i < rows; ++i) {
            const double b = i % 2 == 0 ? 1 : -1;
            const double p = random.normal(), q = random.normal() / stretch;
            A.row(i)[0] = static_cast<T>(b * separation / 2 + c * p - s * q);
            A.row(i)[1] = static_cast<T>(s * p + c * q);
            part.targets[static_cast<std::size_t>(i)] = b;
        }
        part.features = std::move(A);
    };
    Dataset data;
    data.kind = TargetKind::Binary;
    data.classNames = {"left", "right"};
    fill(data.train, whole(v, "n"));
    fill(data.test, whole(v, "test"));
    return data;
}

template <class T> Result<Dataset> makeSparse(const Values &v, const Progress &progress)
{
    using Matrix = SparseMatrix<T>;
    const Index n = whole(v, "n"), test = whole(v, "test"), d = whole(v, "d"), nnz = std::min(whole(v, "nnz"), d);
    const double a = v.at("exponent"), scale = v.at("scale");
    const auto seed = static_cast<std::uint64_t>(v.at("seed"));
    const double bytes = v.at("n") + v.at("test");
    if (const auto error = refuseMemory(bytes * static_cast<double>(nnz) * sizeof(typename Matrix::Entry) + bytes * 24,
                                        "the generated rows"))
        return *error;

    // Inverse distribution function of the density x^-a on [1, d+1).
    const double top = static_cast<double>(d) + 1;
    const double mass = a == 1 ? std::log(top) : std::pow(top, 1 - a) - 1;
    const auto column = [&](double u) {
        const double x = a == 1 ? std::exp(u * mass) : std::pow(1 + u * mass, 1 / (1 - a));
        return static_cast<std::uint32_t>(std::clamp<Index>(static_cast<Index>(x) - 1, 0, d - 1));
    };
    const auto weight = [&](std::uint32_t j) { return Random(seed, (std::uint64_t{1} << 40) + j).normal(); };

    const auto fill = [&](Samples &part, Index rows, Index first, const ProgressRange &range) {
        std::vector<Index> starts(static_cast<std::size_t>(rows) + 1);
        for (std::size_t i = 0; i < starts.size(); ++i)
            starts[i] = static_cast<Index>(i) * nnz;
        std::vector<typename Matrix::Entry> entries(static_cast<std::size_t>(rows * nnz));
        part.targets.resize(static_cast<std::size_t>(rows));
        const Index block = std::max<Index>(1, (Index{1} << 16) / nnz);
        const bool done = forEach((rows + block - 1) / block, range, [&](Index k) {
            std::vector<std::uint32_t> columns;
            for (Index i = k * block; i < std::min(rows, (k + 1) * block); ++i) {
                Random random(seed, (std::uint64_t{1} << 50) + static_cast<std::uint64_t>(first + i));
                columns.clear();
                const auto wanted = static_cast<std::size_t>(nnz);
                // The popular columns come up again and again: after a few rounds the gaps are filled from the left.
                for (int round = 0; columns.size() < wanted && round < 8; ++round) {
                    while (columns.size() < wanted)
                        columns.push_back(column(random.uniform()));
                    std::sort(columns.begin(), columns.end());
                    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
                }
                for (std::uint32_t j = 0; columns.size() < wanted; ++j) {
                    const auto at = std::lower_bound(columns.begin(), columns.end(), j);
                    if (at == columns.end() || *at != j)
                        columns.insert(at, j);
                }
                double margin = 0, squares = 0;
                auto *row = entries.data() + i * nnz;
                for (std::size_t c = 0; c < wanted; ++c) {
                    const double value = std::abs(random.normal()) + 0.1;
                    row[c] = {columns[c], static_cast<T>(value)};
                    squares += value * value;
                }
                for (std::size_t c = 0; c < wanted; ++c) {
                    row[c].value = static_cast<T>(static_cast<double>(row[c].value) / std::sqrt(squares));
                    margin += static_cast<double>(row[c].value) * weight(row[c].column);
                }
                const double p = 1 / (1 + std::exp(-scale * margin));
                part.targets[static_cast<std::size_t>(i)] = random.uniform() < p ? 1 : -1;
            }
        });
        part.features = Matrix(d, std::move(starts), std::move(entries));
        return done;
    };
    Dataset data;
    data.kind = TargetKind::Binary;
    data.classNames = {"-1", "+1"};
    if (!fill(data.train, n, 0, {progress, 0, 0.7, "Making sparse rows"})
        || !fill(data.test, test, n, {progress, 0.7, 0.9, "Making sparse rows"}))
        return cancelledError();
    return data;
}

template <class T> Result<Dataset> make(std::string_view name, const Values &v, const Progress &progress)
{
    if (name == "ill-conditioned")
        return makeLinear<T>(v, v.at("noise"), progress);
    if (name == "consistent")
        return makeLinear<T>(v, 0, progress);
    if (name == "gaussians-2d")
        return makeGaussians<T>(v, progress);
    return makeSparse<T>(v, progress);
}

} // namespace

std::span<const GeneratorInfo> generators()
{
    return infos;
}

bool isGenerator(std::string_view source)
{
    return find(source) != nullptr;
}

Result<Dataset> generate(std::string_view source, Precision precision, const Progress &progress)
{
    const GeneratorInfo *info = find(source);
    if (!info)
        return Error{Error::Kind::Usage, inQuotes(source) + " is not a generator."};
    const auto values = readKeys(*info, source);
    if (!values)
        return values.error();
    auto made = precision == Precision::Single ? make<float>(info->name, values.value(), progress)
                                               : make<double>(info->name, values.value(), progress);
    if (!made)
        return made;
    Dataset &data = made.value();
    data.name = source;
    data.provenance.push_back({"made by " + std::string(info->name), joined(info->keys, ", ", [&](const auto &k) {
                                   return std::string(k.key) + "=" + numberText(values.value().at(k.key));
                               })});
    return made;
}

} // namespace appa
