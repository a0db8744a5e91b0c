#include "data/Sources.h"

#include "base/Text.h"
#include "data/Catalogue.h"
#include "data/Embedded.h"

#include <algorithm>
#include <filesystem>

namespace appa {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t headSize = std::size_t{1} << 16;

const std::vector<std::string> &fashionNames()
{
    static const std::vector<std::string> names = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                                                   "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
    return names;
}

std::vector<std::string> defaultPositive(std::string_view name)
{
    if (name == "protein")
        return {};
    return {name == "cifar10" ? "animals" : "12457"};
}

Result<RawTable> readEmbedded(std::string_view images, std::string_view labels, const std::string &name,
                              const LoadOptions &options, const ProgressRange &range)
{
    const auto a = Bytes::inflate(images, name + " images", range.part(0, 0.7));
    if (!a)
        return a.error();
    const auto b = Bytes::inflate(labels, name + " labels", range.part(0.7, 0.7));
    if (!b)
        return b.error();
    return readIdx(a.value(), b.value(), options, range.part(0.7, 1));
}

Result<LoadedSource> loadEmbedded(const EmbeddedSet &set, const LoadOptions &options, const ProgressRange &range)
{
    LoadedSource out;
    out.name = set.name;
    out.format = Format::Idx;
    out.defaultPositive = defaultPositive(set.name);
    auto train = readEmbedded(set.trainImages, set.trainLabels, out.name + " training", options, range.part(0, 0.75));
    if (!train)
        return train.error();
    auto test = readEmbedded(set.testImages, set.testLabels, out.name + " test", options, range.part(0.75, 1));
    if (!test)
        return test.error();
    out.train = std::move(train).value();
    out.test = std::move(test).value();
    out.train.origin = out.test->origin = out.name;
    if (set.name == "fashion-6k")
        out.train.classNames = fashionNames();
    out.train.steps = {
        {"built-in " + out.name, "6000 training and 2000 test pictures of 28 x 28 pixels, 0 to 255 as they are"}};
    out.test->steps.clear();
    return out;
}

Result<RawTable> readFiles(const std::vector<std::string> &paths, Format format, const LoadOptions &options,
                           const ProgressRange &range)
{
    std::vector<Bytes> files;
    for (std::size_t k = 0; k < paths.size(); ++k) {
        const double count = static_cast<double>(paths.size());
        auto file = Bytes::open(
            paths[k], range.part(0.5 * static_cast<double>(k) / count, 0.5 * static_cast<double>(k + 1) / count));
        if (!file)
            return file.error();
        files.push_back(std::move(file).value());
    }
    const ProgressRange rest = range.part(files[0].wasCompressed() ? 0.5 : 0, 1);
    switch (format) {
    case Format::Libsvm:
        return readLibsvm(files[0], options, rest);
    case Format::Csv:
        return readCsv(files[0], options, rest);
    case Format::Idx:
        return readIdx(files[0], files[1], options, rest);
    case Format::Cifar:
        return readCifar(files, options, rest);
    case Format::Kdd:
        return readKdd(files[0], options, rest);
    }
    return errorIn(paths[0], "unknown format");
}

/// `name` or `name`.gz in `folder`, "" if neither is there.
std::string present(const fs::path &folder, const std::string &name)
{
    std::error_code ignored;
    for (const auto &candidate : {name, name + ".gz"})
        if (fs::is_regular_file(folder / candidate, ignored))
            return (folder / candidate).string();
    return {};
}

std::optional<SourceFiles> findCifar(const fs::path &folder)
{
    SourceFiles files;
    for (const auto &place : {folder, folder / "cifar-10-batches-bin"}) {
        for (int k = 1; k <= 5; ++k)
            if (const auto batch = present(place, "data_batch_" + std::to_string(k) + ".bin"); !batch.empty())
                files.train.push_back(batch);
        if (files.train.empty())
            continue;
        files.format = Format::Cifar;
        files.why = std::to_string(files.train.size()) + " CIFAR-10 batches in the folder";
        if (const auto test = present(place, "test_batch.bin"); !test.empty())
            files.test = {test};
        return files;
    }
    return std::nullopt;
}

std::optional<SourceFiles> findMnist(const fs::path &folder)
{
    SourceFiles files;
    const auto images = present(folder, "train-images-idx3-ubyte"), labels = present(folder, "train-labels-idx1-ubyte");
    if (!images.empty() && !labels.empty()) {
        files.format = Format::Idx;
        files.why = "MNIST's file names in the folder";
        files.train = {images, labels};
        const auto testImages = present(folder, "t10k-images-idx3-ubyte"),
                   testLabels = present(folder, "t10k-labels-idx1-ubyte");
        if (!testImages.empty() && !testLabels.empty())
            files.test = {testImages, testLabels};
        return files;
    }
    return std::nullopt;
}

std::optional<SourceFiles> findProtein(const fs::path &folder)
{
    SourceFiles files;
    for (const auto &place : {folder, folder / "data_kddcup04"})
        if (const auto protein = present(place, "bio_train.dat"); !protein.empty()) {
            files.format = Format::Kdd;
            files.why = "bio_train.dat in the folder";
            files.train = {protein};
            return files;
        }
    return std::nullopt;
}

/// The sets in a folder, of the wanted format if one is.
std::vector<SourceFiles> findInFolder(const fs::path &folder, std::optional<Format> wanted)
{
    std::vector<SourceFiles> found;
    for (auto &&files : {findCifar(folder), findMnist(folder), findProtein(folder)})
        if (files && (!wanted || files->format == *wanted))
            found.push_back(*files);
    return found;
}

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
    if (const auto at = text.rfind(from); at != std::string::npos)
        text.replace(at, from.size(), to);
    return text;
}

/// MNIST's naming: images-idx3 and labels-idx1, compressed or not.
Result<std::vector<std::string>> idxPair(const std::string &path, bool isLabels)
{
    const fs::path p(path);
    std::string name = p.filename().string();
    if (name.ends_with(".gz"))
        name.resize(name.size() - 3);
    const std::string partner = isLabels ? replaced(replaced(name, "labels", "images"), "idx1", "idx3")
                                         : replaced(replaced(name, "images", "labels"), "idx3", "idx1");
    const auto other =
        partner == name ? std::string{} : present(p.parent_path().empty() ? fs::path(".") : p.parent_path(), partner);
    if (other.empty()) {
        const std::string kind = isLabels ? "images" : "labels";
        const std::string expected =
            partner == name ? "a name with \"images\" or \"labels\" in it" : partner + " beside it";
        return errorIn(path,
                       "its " + kind + " were not found. Expected " + expected
                           + ". Put the two files into one folder under MNIST's names.");
    }
    if (isLabels)
        return std::vector<std::string>{other, path};
    return std::vector<std::string>{path, other};
}

} // namespace

std::string testFileBeside(const std::string &path)
{
    const fs::path p(path);
    const fs::path name = p.extension() == ".gz" ? p.stem() : p.filename();
    return present(p.parent_path(), name.string() + ".t");
}

Result<SourceFiles> findFiles(const std::string &path, const std::string &format)
{
    std::optional<Format> wanted;
    if (!format.empty() && format != "auto") {
        wanted = formatOf(format);
        if (!wanted)
            return Error{Error::Kind::Usage,
                         inQuotes(format) + " is not a format. Known: auto, libsvm, csv, idx, cifar, kdd."};
    }
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        const auto sets = findInFolder(path, wanted);
        if (sets.size() == 1)
            return sets[0];
        if (sets.empty())
            return errorIn(path,
                           "this is a folder without the files of MNIST (train-images-idx3-ubyte ..), CIFAR-10 "
                           "(data_batch_1.bin ..) or KDD Cup 2004 (bio_train.dat)"
                               + (wanted ? ", or not of the format " + format : std::string())
                               + ". Give a file, or a folder that holds such a set.");
        const std::string names = joined(sets, ", ", [](const SourceFiles &set) { return nameOf(set.format); });
        return errorIn(path,
                       "this folder holds several sets. Choose one by its format (" + names + "), or give a file.");
    }
    const auto head = Bytes::head(path, headSize);
    if (!head)
        return head.error();
    SourceFiles files;
    const std::string_view text = head.value().text();
    if (wanted) {
        files.format = *wanted;
        files.why = "as chosen";
    } else {
        const auto size = head.value().wasCompressed() ? 0 : fs::file_size(path, ignored);
        const auto found = detectFormat(text, static_cast<std::size_t>(size));
        if (!found.format)
            return errorIn(path, found.why);
        files.format = *found.format;
        files.why = found.why;
    }
    files.train = {path};
    if (files.format == Format::Idx) {
        if (text.size() < 4 || text[0] != 0 || text[1] != 0)
            return errorIn(path,
                           "the first bytes are not those of an IDX file. Expected one as of MNIST: choose another "
                           "format, or check that the file is the one you meant.");
        auto pair = idxPair(path, text.size() >= 4 && text[3] == 1);
        if (!pair)
            return pair.error();
        files.train = std::move(pair).value();
    }
    return files;
}

Result<LoadedSource> loadSource(const DataRecipe &recipe, const ProgressRange &range)
{
    LoadOptions options{.precision = recipe.precision, .label = recipe.label, .columns = recipe.columns};
    const double half = recipe.testFile.empty() ? 1 : 0.7;
    LoadedSource out;
    if (const EmbeddedSet *set = embeddedSet(recipe.source)) {
        if (recipe.columns != ColumnChoice())
            return Error{Error::Kind::Usage,
                         recipe.source + " is built in: its columns can't be chosen. Leave that choice out."};
        auto loaded = loadEmbedded(*set, options, range.part(0, half));
        if (!loaded)
            return loaded;
        out = std::move(loaded).value();
    } else {
        const bool named = isDownload(recipe.source);
        const std::string path = named ? downloadFolder(recipe.source) : recipe.source;
        std::error_code ignored;
        if (named && !fs::exists(path, ignored))
            return Error{Error::Kind::Data,
                         recipe.source + " is not downloaded yet. Get it with \"appa-lab data get " + recipe.source
                             + "\", or from the data menu; it goes to " + path + "."};
        auto files = findFiles(path, recipe.format);
        if (!files)
            return files.error();
        out.name = named ? recipe.source : fs::path(path).filename().string();
        if (out.name.empty())
            out.name = fs::path(path).parent_path().filename().string();
        out.format = files.value().format;
        if ((!recipe.label.empty() || recipe.columns != ColumnChoice()) && out.format != Format::Csv)
            return Error{Error::Kind::Usage,
                         path + ": only CSV files have columns to choose, words and missing values, and this is "
                             + std::string(nameOf(out.format)) + ". Leave the choice of columns and of the label out."};
        if (named)
            out.defaultPositive = defaultPositive(recipe.source);
        const bool own = !files.value().test.empty() && recipe.testFile.empty();
        auto train = readFiles(files.value().train, out.format, options, range.part(0, own ? 0.8 * half : half));
        if (!train)
            return train.error();
        out.train = std::move(train).value();
        out.train.origin = path;
        if (!out.train.steps.empty())
            out.train.steps[0].detail += "; format: " + files.value().why;
        // By its name alone it is not taken: nobody has said that it is one.
        if (const std::string beside = testFileBeside(path);
            out.format == Format::Libsvm && recipe.testFile.empty() && recipe.holdout == 0 && !beside.empty()) {
            const std::string file = fs::path(beside).filename().string();
            out.train.steps.push_back({"no test set",
                                       file + " is not read",
                                       {Remedy::TakeTestFile},
                                       file + " beside the data is, by its name, its test set: it is not read."});
        }
        if (own) {
            auto test = readFiles(files.value().test, out.format, options, range.part(0.8 * half, half));
            if (!test)
                return test.error();
            out.test = std::move(test).value();
            out.test->steps[0].what += " as test set";
        }
    }
    if (!recipe.testFile.empty()) {
        auto files =
            findFiles(recipe.testFile, recipe.format == "auto" ? std::string(nameOf(out.format)) : recipe.format);
        if (!files)
            return files.error();
        options.training = &out.train.columns;
        options.zeroIsError = out.format == Format::Libsvm && !out.train.hasIndexZero;
        auto test = readFiles(files.value().train, files.value().format, options, range.part(half, 1));
        if (!test)
            return test.error();
        out.test = std::move(test).value();
        out.test->origin = recipe.testFile;
        if (!out.test->steps.empty())
            out.test->steps[0].what += " as test set";
    }
    return out;
}

} // namespace appa
