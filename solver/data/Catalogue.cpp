#include "data/Catalogue.h"

#include "data/Embedded.h"
#include "data/Generators.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace appa {

namespace fs = std::filesystem;

namespace {

struct Download
{
    std::string_view name;
    std::string_view description;
    std::vector<std::string_view> files; ///< all there: the set is there
};

const std::vector<Download> &downloads()
{
    static const std::vector<Download> all = {
        {"mnist",
         "MNIST whole: 60000 + 10000 digits of 28 x 28 pixels",
         {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}},
        {"cifar10",
         "CIFAR-10 whole: 50000 + 10000 colour pictures of 32 x 32 pixels",
         {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin",
          "test_batch.bin"}},
        {"protein", "KDD Cup 2004's protein homology task: 145751 rows of 74 features", {"bio_train.dat"}},
    };
    return all;
}

std::string environment(const char *name)
{
    const char *value = std::getenv(name);
    return value ? value : "";
}

template <class Count>
std::vector<std::pair<std::string, Index>> countsOf(const Dataset &data, const std::vector<double> &targets,
                                                    Count classOf)
{
    std::vector<std::pair<std::string, Index>> counts;
    for (const auto &name : data.classNames)
        counts.emplace_back(name, 0);
    for (const double target : targets)
        if (const auto k = classOf(target); k < counts.size())
            ++counts[k].second;
    return counts;
}

} // namespace

bool isNamed(std::string_view source)
{
    return isGenerator(source) || embeddedSet(source) || isDownload(source);
}

std::string userDataFolder()
{
    if (const auto own = environment("APPA_DATA_DIR"); !own.empty())
        return own;
    if (const auto xdg = environment("XDG_DATA_HOME"); !xdg.empty() && fs::path(xdg).is_absolute())
        return (fs::path(xdg) / "appa-lab" / "datasets").string();
    return (fs::path(environment("HOME")) / ".local" / "share" / "appa-lab" / "datasets").string();
}

bool isDownload(std::string_view name)
{
    const auto &all = downloads();
    return std::any_of(all.begin(), all.end(), [&](const auto &d) { return d.name == name; });
}

std::string downloadFolder(std::string_view name)
{
    return (fs::path(userDataFolder()) / name).string();
}

std::vector<CatalogueEntry> catalogue()
{
    std::vector<CatalogueEntry> entries = {
        {"mnist-6k",
         "the first 6000 + 2000 digits of MNIST; 1, 2, 4, 5, 7 against the rest",
         CatalogueEntry::Kind::BuiltIn,
         true,
         {}},
        {"fashion-6k",
         "the first 6000 + 2000 pictures of Fashion-MNIST; classes 1, 2, 4, 5, 7 against the rest",
         CatalogueEntry::Kind::BuiltIn,
         true,
         {}},
    };
    for (const auto &g : generators())
        entries.push_back({std::string(g.name), std::string(g.description), CatalogueEntry::Kind::Generator, true, {}});
    for (const auto &d : downloads()) {
        const fs::path folder = downloadFolder(d.name);
        std::error_code ignored;
        const bool there =
            std::all_of(d.files.begin(), d.files.end(), [&](auto file) { return fs::exists(folder / file, ignored); });
        entries.push_back(
            {std::string(d.name), std::string(d.description), CatalogueEntry::Kind::Download, there, folder.string()});
    }
    return entries;
}

DataRecipe defaultRecipe(std::string_view source)
{
    DataRecipe recipe;
    recipe.source = source;
    if (embeddedSet(source) || isDownload(source))
        recipe.transforms = {{.kind = Transform::Kind::MeanNorm}, {.kind = Transform::Kind::FourierFeatures}};
    return recipe;
}

DatasetInfo describe(const Dataset &data)
{
    DatasetInfo info;
    info.name = data.name;
    info.n = data.train.rows();
    info.testRows = data.test.rows();
    info.d = data.train.cols();
    info.provenance = data.provenance;
    info.hash = data.hash;
    std::visit(
        [&](const auto &A) {
            using M = std::decay_t<decltype(A)>;
            using T = typename M::Scalar;
            if constexpr (M::isSparse) {
                info.nonZeros = A.nonZeros();
            } else {
                std::vector<double> squares(static_cast<std::size_t>(A.cols()), 0);
                for (Index i = 0; i < A.rows(); ++i) {
                    info.nonZeros += A.cols() - std::count(A.row(i), A.row(i) + A.cols(), T(0));
                    for (std::size_t j = 0; j < squares.size(); ++j) {
                        const auto value = static_cast<double>(A.row(i)[j]);
                        squares[j] += value * value;
                    }
                }
                std::erase(squares, 0);
                if (!squares.empty()) {
                    const auto [low, high] = std::minmax_element(squares.begin(), squares.end());
                    info.columnRatio = std::sqrt(*high / *low);
                }
            }
            info.storage =
                std::string(M::isSparse ? "sparse rows, " : "dense rows, ") + (sizeof(T) == 4 ? "float32" : "float64");
        },
        data.train.features);
    info.density =
        static_cast<double>(info.nonZeros) / std::max(1.0, static_cast<double>(info.n) * static_cast<double>(info.d));
    for (const double q : data.train.squaredNorms) {
        info.R = std::max(info.R, std::sqrt(q));
        info.meanNorm += std::sqrt(q) / static_cast<double>(info.n);
    }
    for (const Samples *s : {&data.train, &data.test})
        info.bytes += bytesOf(s->features) + (s->targets.size() + s->squaredNorms.size()) * sizeof(double);
    if (!data.train.targets.empty()) {
        const auto [low, high] = std::minmax_element(data.train.targets.begin(), data.train.targets.end());
        info.targetMin = *low;
        info.targetMax = *high;
    }
    const auto sideOf = [](double target) { return static_cast<std::size_t>(target > 0 ? 1 : 0); };
    const auto classOf = [](double target) { return static_cast<std::size_t>(target); };
    switch (data.kind) {
    case TargetKind::Binary:
        info.targets = info.targetMin < info.targetMax || data.train.targets.empty()
            ? "two classes, -1 and +1"
            : std::string("one class alone: every row is ") + (info.targetMax > 0 ? "+1" : "-1");
        info.labelCounts = countsOf(data, data.train.targets, sideOf);
        info.testLabelCounts = countsOf(data, data.test.targets, sideOf);
        break;
    case TargetKind::Classes:
        info.targets = std::to_string(data.classes()) + " classes";
        info.labelCounts = countsOf(data, data.train.targets, classOf);
        info.testLabelCounts = countsOf(data, data.test.targets, classOf);
        break;
    case TargetKind::Real:
        info.targets = "real numbers";
        break;
    }
    return info;
}

} // namespace appa
