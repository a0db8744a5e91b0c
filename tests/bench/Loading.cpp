#include "PlainReaders.h"
#include "Sections.h"

#include "base/Mix.h"
#include "data/Recipe.h"
#include "data/loaders/Loaders.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>

#include <unistd.h>

namespace appa::bench {

namespace {

namespace fs = std::filesystem;

/// A folder for the files that are read, gone with this.
class Scratch
{
public:
    Scratch() : m_path(fs::temp_directory_path() / ("appa-bench-" + std::to_string(getpid())))
    {
        fs::create_directories(m_path);
    }
    Scratch(const Scratch &) = delete;
    Scratch &operator=(const Scratch &) = delete;
    ~Scratch()
    {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    std::string file(const std::string &name) const { return (m_path / name).string(); }

private:
    fs::path m_path;
};

/// Text written piece by piece, so that the benchmark itself stays small.
class Writer
{
public:
    explicit Writer(const std::string &path) : m_file(std::fopen(path.c_str(), "w"))
    {
        if (!m_file)
            throw std::runtime_error("can't write " + path);
    }
    Writer(const Writer &) = delete;
    Writer &operator=(const Writer &) = delete;
    ~Writer() { std::fclose(m_file); }
    std::FILE *file() const { return m_file; }

    double uniform() { return static_cast<double>(mix64(++m_state) >> 11) * 0x1p-53; }
    std::uint64_t draw(std::uint64_t below) { return mix64(++m_state) % below; }

private:
    std::FILE *m_file;
    std::uint64_t m_state = 0;
};

/// Rows of about 60 entries at scattered columns; with `ones` all values are 1, as in text mining's 0/1 files.
void writeLibsvm(const std::string &path, std::int64_t bytes, bool ones)
{
    Writer out(path);
    std::set<std::uint64_t> columns;
    while (std::ftell(out.file()) < bytes) {
        columns.clear();
        for (int k = 0; k < 60; ++k)
            columns.insert(1 + out.draw(50000));
        std::fputs(out.draw(2) ? "+1" : "-1", out.file());
        for (const std::uint64_t column : columns) {
            if (ones)
                std::fprintf(out.file(), " %lu:1", static_cast<unsigned long>(column));
            else
                std::fprintf(out.file(), " %lu:%.6g", static_cast<unsigned long>(column), 2 * out.uniform() - 1);
        }
        std::fputc('\n', out.file());
    }
}

void writeCsv(const std::string &path, std::int64_t bytes)
{
    Writer out(path);
    while (std::ftell(out.file()) < bytes) {
        for (int k = 0; k < 100; ++k)
            std::fprintf(out.file(), "%.6g,", 200 * out.uniform() - 100);
        std::fputs(out.draw(2) ? "1\n" : "0\n", out.file());
    }
}

/// Pictures of 28 x 28 bytes and their labels.
void writeIdx(const Scratch &scratch, std::uint32_t pictures)
{
    const auto header = [](std::ofstream &out, std::initializer_list<std::uint32_t> dims) {
        const char magic[] = {0, 0, 8, static_cast<char>(dims.size())};
        out.write(magic, sizeof magic);
        for (const std::uint32_t d : dims)
            for (int shift = 24; shift >= 0; shift -= 8)
                out.put(static_cast<char>(d >> shift));
    };
    std::ofstream images(scratch.file("train-images-idx3-ubyte"), std::ios::binary);
    std::ofstream labels(scratch.file("train-labels-idx1-ubyte"), std::ios::binary);
    header(images, {pictures, 28, 28});
    header(labels, {pictures});
    std::string picture(784, '\0');
    for (std::uint32_t i = 0; i < pictures; ++i) {
        for (std::size_t j = 0; j < picture.size(); ++j)
            picture[j] = static_cast<char>(i * 7 + j);
        images.write(picture.data(), static_cast<std::streamsize>(picture.size()));
        labels.put(static_cast<char>(i % 10));
    }
}

/// Resident memory that is not a mapped file: of the page cache the system may take what it needs.
double anonymousBytes()
{
    std::ifstream in("/proc/self/statm");
    double size = 0, resident = 0, shared = 0;
    in >> size >> resident >> shared;
    return (resident - shared) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// How much of it the work takes at its highest, looked at every millisecond; not while it is timed.
double peakOf(const Contender &contender)
{
    const double before = anonymousBytes();
    std::atomic<double> most = before;
    {
        const std::jthread watch([&most](const std::stop_token &stop) {
            while (!stop.stop_requested()) {
                most = std::max(most.load(), anonymousBytes());
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        });
        [[maybe_unused]] const volatile double sink = contender.work();
    }
    return most - before;
}

template <class T> T valueOf(Result<T> result)
{
    if (!result)
        throw std::runtime_error(result.error().message);
    return std::move(result).value();
}

using Reader = Result<RawTable> (*)(const Bytes &, const LoadOptions &, const ProgressRange &);

const Progress silent;
const ProgressRange whole{silent, 0, 1, ""};

Contender ours(const std::string &path, Reader read, int threads)
{
    return {"ours", [path, read, threads] {
                const Bytes file = valueOf(Bytes::open(path, whole));
                const RawTable table = valueOf(read(file, {.threads = threads}, whole));
                return table.labels.back() + static_cast<double>(nonZerosOf(table.features));
            }};
}

/// The whole way to a data set that can be trained on: labels, row norms, checks, on all cores.
Contender loaded(const std::string &path)
{
    return {"data set", [path] {
                DataRecipe recipe;
                recipe.source = path;
                return valueOf(loadDataset(recipe))->train.squaredNorms.back();
            }};
}

class Report
{
public:
    Report()
        : m_table({"file", "MB", "bytes read, MB/s", "the plain reader, MB/s", "ours, 1 core, MB/s",
                   "ours / plain reader", "2 cores / 1 core", "whole data set, all cores, MB/s", "matrix, MB",
                   "peak memory / matrix", "of the plain reader"})
    {
    }

    /// `plain` may have no work: then the bytes alone are what is compared with.
    void row(const Options &options, const std::string &name, const std::string &path, const Contender &one,
             const Contender &two, const Contender &plain, double matrix) const
    {
        const Contender bytes{"bytes", [path] { return readBytes(path); }};
        const Contender &peer = plain.work ? plain : bytes;
        const auto single = bestOf(options.repetitions, {bytes, peer, one});
        const auto wall = bestWallOf(options.repetitions, {one, two, loaded(path)});
        const double mb = static_cast<double>(fs::file_size(path)) / 1e6;
        m_table.row({name, number(mb), number(mb / single[0], 4), plain.work ? number(mb / single[1], 4) : "",
                     number(mb / single[2], 4), number(single[1] / single[2]), number(wall[0] / wall[1]),
                     number(mb / wall[2], 4), number(matrix / 1e6), number(peakOf(one) / matrix),
                     plain.work ? number(peakOf(plain) / matrix) : ""});
    }

private:
    Table m_table;
};

double matrixBytes(const std::string &path, Reader read)
{
    const Bytes file = valueOf(Bytes::open(path, whole));
    const RawTable table = valueOf(read(file, {}, whole));
    return static_cast<double>(bytesOf(table.features) + table.labels.size() * sizeof(double));
}

} // namespace

void runLoading(const Options &options)
{
    const std::int64_t bytes = options.quick ? 2'000'000 : 120'000'000;
    const Scratch scratch;
    std::printf(
        "Warm files. The plain reader: for LIBSVM a loop of our own in the style of liblinear's `train` (getline, "
        "strtok, strtol, strtod, into lists of index and value, two passes); for CSV getline and strtod; for IDX "
        "there is none, the bytes themselves are compared with. Both readers of LIBSVM on one core, processor "
        "time; several cores by the clock. Peak memory without the mapped file, against the matrix that comes "
        "out (float32).\n\n");
    const Report report;
    for (const bool ones : {false, true}) {
        const std::string path = scratch.file("rows.svm");
        writeLibsvm(path, bytes, ones);
        const NodeRows theirs = readInLiblinearStyle(path);
        const RawTable table = valueOf(readLibsvm(valueOf(Bytes::open(path, whole)), {}, whole));
        // Both read the same numbers, or the comparison is worth nothing.
        if (table.labels != theirs.labels
            || static_cast<std::size_t>(nonZerosOf(table.features)) + theirs.rows.size() != theirs.nodes.size())
            throw std::runtime_error("the readers disagree");
        report.row(options, ones ? "LIBSVM, 60 ones a row" : "LIBSVM, 60 numbers a row", path,
                   ours(path, readLibsvm, 1), ours(path, readLibsvm, 2),
                   {"liblinear's style",
                    [path] {
                        const NodeRows rows = readInLiblinearStyle(path);
                        return rows.labels.back() + static_cast<double>(rows.columns);
                    }},
                   matrixBytes(path, readLibsvm));
    }
    const std::string csv = scratch.file("rows.csv");
    writeCsv(csv, bytes);
    report.row(options, "CSV, 101 columns", csv, ours(csv, readCsv, 1), ours(csv, readCsv, 2),
               {"getline, strtod", [csv] { return readSeparatedPlainly(csv, ',').back(); }}, matrixBytes(csv, readCsv));

    writeIdx(scratch, static_cast<std::uint32_t>(bytes / 784));
    const std::string images = scratch.file("train-images-idx3-ubyte"),
                      labels = scratch.file("train-labels-idx1-ubyte");
    const auto idx = [&](int threads) {
        return Contender{"ours", [images, labels, threads] {
                             const Bytes a = valueOf(Bytes::open(images, whole)),
                                         b = valueOf(Bytes::open(labels, whole));
                             return valueOf(readIdx(a, b, {.threads = threads}, whole)).labels.back();
                         }};
    };
    report.row(options, "IDX, 28 x 28 bytes", images, idx(1), idx(2), {},
               static_cast<double>(fs::file_size(images)) * sizeof(float));
}

} // namespace appa::bench
