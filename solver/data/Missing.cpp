#include "data/Missing.h"

#include <cmath>

namespace appa {

namespace {

/// Per column: the sum of what is there in the training rows and how much that is, and whether something is missing.
struct Column
{
    double sum = 0;
    Index count = 0;
    bool hasGaps = false;
};

template <class T> void look(const DenseMatrix<T> &A, std::vector<Column> &columns, bool isTraining)
{
    for (Index i = 0; i < A.rows(); ++i)
        for (Index j = 0; j < A.cols(); ++j) {
            Column &column = columns[static_cast<std::size_t>(j)];
            const auto value = static_cast<double>(A.row(i)[j]);
            if (std::isnan(value)) {
                column.hasGaps = true;
            } else if (isTraining) {
                column.sum += value;
                ++column.count;
            }
        }
}

template <class T> Index fill(DenseMatrix<T> &A, const std::vector<Column> &columns)
{
    Index filled = 0;
    for (Index i = 0; i < A.rows(); ++i)
        for (Index j = 0; j < A.cols(); ++j)
            if (std::isnan(A.row(i)[j])) {
                const Column &column = columns[static_cast<std::size_t>(j)];
                A.row(i)[j] = static_cast<T>(column.sum / static_cast<double>(column.count));
                ++filled;
            }
    return filled;
}

/// Calls f(matrix, is it the training part?) for dense parts: sparse ones have nothing that could be missing.
template <class F> void forParts(Dataset &data, F &&f)
{
    for (Samples *samples : {&data.train, &data.test})
        std::visit(
            [&](auto &A) {
                if constexpr (!std::decay_t<decltype(A)>::isSparse)
                    f(A, samples == &data.train);
            },
            samples->features);
}

} // namespace

std::optional<Error> fillMissing(Dataset &data)
{
    std::vector<Column> columns(static_cast<std::size_t>(data.train.cols()));
    forParts(data, [&](const auto &A, bool isTraining) { look(A, columns, isTraining); });
    Index incomplete = 0;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        if (!columns[j].hasGaps)
            continue;
        if (columns[j].count == 0)
            return Error{Error::Kind::Data,
                         data.name + ": " + data.columnName(static_cast<Index>(j))
                             + " has no value in any training row, so there is no mean to fill in. Leave that column "
                               "out.",
                         {Remedy::DropColumn}};
        ++incomplete;
    }
    Index filled = 0;
    forParts(data, [&](auto &A, bool) { filled += fill(A, columns); });
    data.provenance.push_back({"fill missing values",
                               filled == 0 ? std::string("none is missing")
                                           : std::to_string(filled) + (filled == 1 ? " value" : " values") + " in "
                                       + std::to_string(incomplete) + (incomplete == 1 ? " column" : " columns")
                                       + ": the mean of the training rows"});
    return std::nullopt;
}

} // namespace appa
