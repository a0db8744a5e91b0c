// CIFAR-10's binary batches: records of one label byte (0 .. 9) and 3072 pixel bytes (1024 red, 1024 green, 1024 blue).

#include "data/loaders/Loaders.h"

#include "data/Memory.h"

#include <algorithm>

namespace appa {

namespace {

constexpr std::size_t pixels = 3072;
constexpr std::size_t record = pixels + 1;

template <class T>
Result<RawTable> read(std::span<const Bytes> batches, const LoadOptions &options, const ProgressRange &range)
{
    // (batch, record) of every row
    std::vector<const char *> records;
    RawTable table;
    for (const Bytes &batch : batches) {
        const std::string_view text = batch.text();
        if (text.empty() || text.size() % record != 0)
            return errorIn(batch.name(),
                           std::to_string(text.size()) + " bytes are not a whole number of CIFAR-10 records of "
                               + std::to_string(record)
                               + " bytes. The file is cut short or of another kind: download or copy it again.");
        for (std::size_t at = 0; at < text.size(); at += record) {
            const auto label = static_cast<unsigned char>(text[at]);
            if (label > 9)
                return errorIn(batch.name(),
                               "record " + std::to_string(at / record + 1) + " (byte " + std::to_string(at + 1)
                                   + ") has the label " + std::to_string(label)
                                   + ". Expected 0 to 9: this is not a CIFAR-10 batch.");
            records.push_back(text.data() + at + 1);
            table.labels.push_back(label);
        }
    }
    const auto rows = static_cast<Index>(records.size());
    if (auto error = refuseMemory(static_cast<double>(records.size() * pixels * sizeof(T)), "the CIFAR-10 pictures"))
        return *error;
    DenseMatrix<T> A(rows, static_cast<Index>(pixels));
    constexpr Index block = 128;
    const auto copy = [&](Index k) {
        for (Index i = k * block; i < std::min(rows, (k + 1) * block); ++i) {
            const char *from = records[static_cast<std::size_t>(i)];
            T *to = A.row(i);
            for (std::size_t j = 0; j < pixels; ++j)
                to[j] = static_cast<T>(static_cast<unsigned char>(from[j]));
        }
    };
    if (!forEach((rows + block - 1) / block, range, copy, options.threads))
        return cancelledError();
    table.features = std::move(A);
    table.classNames = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"};
    table.steps.push_back({"read CIFAR-10 " + batches[0].name()
                               + (batches.size() > 1 ? " and " + std::to_string(batches.size() - 1) + " more" : ""),
                           std::to_string(rows) + " pictures of 32 x 32 x 3 pixels, 0 to 255 as they are"});
    return table;
}

} // namespace

Result<RawTable> readCifar(std::span<const Bytes> batches, const LoadOptions &options, const ProgressRange &range)
{
    return options.precision == Precision::Single ? read<float>(batches, options, range)
                                                  : read<double>(batches, options, range);
}

} // namespace appa
