// MNIST's IDX: 0, 0, type, number of dimensions, the dimensions (32 bits, big-endian), then the numbers, big-endian.

#include "data/loaders/Loaders.h"

#include "base/Text.h"
#include "data/Memory.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace appa {

namespace {

struct Header
{
    unsigned char type = 0;
    std::size_t width = 0; ///< bytes of a number
    std::vector<std::size_t> dims;
    std::size_t offset = 0; ///< of the numbers

    std::string shape() const
    {
        return joined(dims, " x ", [](std::size_t d) { return std::to_string(d); });
    }
};

std::size_t widthOf(unsigned char type)
{
    switch (type) {
    case 0x08:
    case 0x09:
        return 1;
    case 0x0B:
        return 2;
    case 0x0C:
    case 0x0D:
        return 4;
    case 0x0E:
        return 8;
    default:
        return 0;
    }
}

template <class U> U bigEndian(const char *p)
{
    U value = 0;
    for (std::size_t k = 0; k < sizeof(U); ++k)
        value = static_cast<U>((value << 8) | static_cast<unsigned char>(p[k]));
    return value;
}

double numberAt(const char *p, unsigned char type)
{
    switch (type) {
    case 0x08:
        return static_cast<unsigned char>(*p);
    case 0x09:
        return static_cast<signed char>(*p);
    case 0x0B:
        return static_cast<std::int16_t>(bigEndian<std::uint16_t>(p));
    case 0x0C:
        return static_cast<std::int32_t>(bigEndian<std::uint32_t>(p));
    case 0x0D:
        return static_cast<double>(std::bit_cast<float>(bigEndian<std::uint32_t>(p)));
    default:
        return std::bit_cast<double>(bigEndian<std::uint64_t>(p));
    }
}

Result<Header> readHeader(const Bytes &file)
{
    const std::string_view text = file.text();
    const auto wrong = [&](const std::string &found) {
        return errorIn(file.name(),
                       found
                           + ". Expected an IDX file as of MNIST: two zero bytes, the number type, the number of "
                             "dimensions. Choose another format, or check that the file is the one you meant.");
    };
    if (text.size() < 4 || text[0] != 0 || text[1] != 0)
        return wrong("the first bytes are not those of an IDX file");
    Header header;
    header.type = static_cast<unsigned char>(text[2]);
    header.width = widthOf(header.type);
    const std::size_t dims = static_cast<unsigned char>(text[3]);
    if (header.width == 0)
        return wrong("number type " + std::to_string(header.type) + " is unknown (known: 8, 9, 11, 12, 13, 14)");
    if (dims == 0 || dims > 8)
        return wrong("it has " + std::to_string(dims) + " dimensions");
    header.offset = 4 + 4 * dims;
    if (text.size() < header.offset)
        return wrong("it ends within its header");
    // In double: a header may claim any product.
    double claimed = static_cast<double>(header.width);
    for (std::size_t k = 0; k < dims; ++k) {
        header.dims.push_back(bigEndian<std::uint32_t>(text.data() + 4 + 4 * k));
        claimed *= static_cast<double>(header.dims.back());
    }
    const std::size_t there = text.size() - header.offset;
    if (claimed == 0)
        return errorIn(file.name(), "the header says there are no numbers. Expected at least one row.");
    if (claimed != static_cast<double>(there)) {
        const bool isShort = claimed > static_cast<double>(there);
        return errorIn(file.name(),
                       "the header says " + header.shape() + " numbers, " + numberText(claimed) + " bytes, but "
                           + std::to_string(there) + " bytes follow. The file is " + (isShort ? "cut short" : "damaged")
                           + ": download or copy it again.");
    }
    return header;
}

/// False if a number is not finite in T.
template <class T> bool copyRow(const char *from, const Header &header, T *to, Index cols)
{
    if (header.type == 0x08) {
        for (Index j = 0; j < cols; ++j)
            to[j] = static_cast<T>(static_cast<unsigned char>(from[j]));
        return true;
    }
    bool finite = true;
    for (Index j = 0; j < cols; ++j) {
        to[j] = static_cast<T>(numberAt(from + static_cast<std::size_t>(j) * header.width, header.type));
        finite = finite && std::isfinite(to[j]);
    }
    return finite;
}

template <class T>
Result<RawTable> read(const Bytes &images, const Header &header, const ProgressRange &range, int threads)
{
    const auto rows = static_cast<Index>(header.dims[0]);
    Index cols = 1;
    for (std::size_t k = 1; k < header.dims.size(); ++k)
        cols *= static_cast<Index>(header.dims[k]);
    if (auto error = refuseMemory(static_cast<double>(rows) * static_cast<double>(cols) * sizeof(T), images.name()))
        return *error;
    DenseMatrix<T> A(rows, cols);
    const Index block = std::max<Index>(1, (Index{1} << 19) / cols);
    std::vector<Index> bad(static_cast<std::size_t>((rows + block - 1) / block), -1);
    const char *numbers = images.text().data() + header.offset;
    const auto copyBlock = [&](Index k) {
        for (Index i = k * block; i < std::min(rows, (k + 1) * block); ++i) {
            const char *from = numbers + static_cast<std::size_t>(i * cols) * header.width;
            if (!copyRow(from, header, A.row(i), cols) && bad[static_cast<std::size_t>(k)] < 0)
                bad[static_cast<std::size_t>(k)] = i;
        }
    };
    if (!forEach(static_cast<Index>(bad.size()), range, copyBlock, threads))
        return cancelledError();
    for (const Index i : bad)
        if (i >= 0)
            return errorIn(images.name(),
                           "row " + std::to_string(i + 1)
                               + " has a number that is not finite (NaN, infinite, or too large for single precision). "
                                 "Expected finite numbers: remove or fill it, or load in double precision.");
    RawTable table;
    table.features = std::move(A);
    return table;
}

} // namespace

Result<RawTable> readIdx(const Bytes &images, const Bytes &labels, const LoadOptions &options,
                         const ProgressRange &range)
{
    const auto imageHeader = readHeader(images);
    if (!imageHeader)
        return imageHeader.error();
    const auto labelHeader = readHeader(labels);
    if (!labelHeader)
        return labelHeader.error();
    const Header &ih = imageHeader.value(), &lh = labelHeader.value();
    if (ih.dims.size() < 2)
        return errorIn(images.name(),
                       "this IDX file has one dimension, as labels have. Expected images with two or more.");
    if (lh.dims.size() != 1)
        return errorIn(labels.name(),
                       "this IDX file has " + std::to_string(lh.dims.size())
                           + " dimensions, as images have. Expected labels with one.");
    if (ih.dims[0] != lh.dims[0])
        return errorIn(labels.name(),
                       std::to_string(lh.dims[0]) + " labels for the " + std::to_string(ih.dims[0]) + " images of "
                           + images.name() + ". Take the two files from one set.");
    auto table = options.precision == Precision::Single ? read<float>(images, ih, range, options.threads)
                                                        : read<double>(images, ih, range, options.threads);
    if (!table)
        return table;
    RawTable &raw = table.value();
    raw.labels.resize(lh.dims[0]);
    for (std::size_t i = 0; i < lh.dims[0]; ++i) {
        raw.labels[i] = numberAt(labels.text().data() + lh.offset + i * lh.width, lh.type);
        if (!std::isfinite(raw.labels[i]))
            return errorIn(labels.name(), "label " + std::to_string(i + 1) + " is not a finite number.");
    }
    raw.steps.push_back(
        {"read IDX " + images.name(), ih.shape() + ", numbers as they are; labels from " + labels.name()});
    return table;
}

} // namespace appa
