// Any bytes at all, read as one format: detection, loader and label mapping must end with a value or an error that
// names the file, whatever the bytes claim. Run: fuzz_libsvm -max_total_time=600 -max_len=65536 CORPUS
// tests/fuzz/seeds/libsvm

#include "data/Labels.h"
#include "data/loaders/Loaders.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

using namespace appa;

namespace {

/// Memory whose end is the text's end, so that reading one byte too far is seen.
struct Exact
{
    explicit Exact(std::string_view text)
        : data(static_cast<char *>(std::malloc(text.size() + (text.empty() ? 1 : 0)))), size(text.size())
    {
        std::memcpy(data, text.data(), size);
    }
    Exact(const Exact &) = delete;
    Exact &operator=(const Exact &) = delete;
    ~Exact() { std::free(data); }
    std::string_view view() const { return {data, size}; }

    char *data;
    std::size_t size;
};

Result<RawTable> read(std::string_view text, const LoadOptions &options, const ProgressRange &range)
{
    constexpr std::string_view format = APPA_FUZZ_FORMAT;
    if (format == "idx") {
        // The first two bytes say how long the images file is; the rest is the labels file.
        const std::size_t split = text.size() < 2
            ? 0
            : std::min<std::size_t>(text.size() - 2,
                                    static_cast<unsigned char>(text[0]) * 256u + static_cast<unsigned char>(text[1]));
        const Exact images(text.substr(std::min<std::size_t>(2, text.size()), split));
        const Exact labels(text.substr(std::min<std::size_t>(2 + split, text.size())));
        return readIdx(Bytes::view(images.view(), "images"), Bytes::view(labels.view(), "labels"), options, range);
    }
    const Exact exact(text);
    const Bytes file = Bytes::view(exact.view(), "fuzz");
    if (format == "libsvm")
        return readLibsvm(file, options, range);
    if (format == "csv")
        return readCsv(file, options, range);
    if (format == "kdd")
        return readKdd(file, options, range);
    return readCifar(std::span(&file, 1), options, range);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    const std::string_view text(reinterpret_cast<const char *>(data) + 1, size - 1);
    const Progress progress;
    const ProgressRange range{progress, 0, 1, "fuzz"};
    (void)detectFormat(text, text.size());
    if (text.starts_with("\x1f\x8b"))
        (void)Bytes::inflate(text, "fuzz", range, std::size_t{1} << 24);
    const LoadOptions options{.precision = data[0] & 1 ? Precision::Double : Precision::Single,
                              .label = data[0] & 2 ? "1" : "",
                              .zeroIsError = (data[0] & 4) != 0,
                              .threads = 1};
    auto table = read(text, options, range);
    if (!table) {
        if (table.error().message.empty())
            std::abort();
        return 0;
    }
    RawTable &raw = table.value();
    if (static_cast<std::size_t>(rowsOf(raw.features)) != raw.labels.size())
        std::abort();
    // The matrix may not be much larger than what it was read from.
    if (bytesOf(raw.features) > 64 * size + 4096)
        std::abort();
    (void)applyLabels(raw, nullptr,
                      {.positive = data[0] & 8 ? std::vector<std::string>{"1"} : std::vector<std::string>{},
                       .regression = (data[0] & 16) != 0});
    return 0;
}
