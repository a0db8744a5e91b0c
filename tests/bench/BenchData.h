#pragma once

#include "data/Dataset.h"
#include "problem/Problem.h"

#include <string>

namespace appa::bench {

/// The floor of any pass: every byte loaded once, in order, into registers.
double plainRead(const void *data, std::size_t bytes);
/// The same for a problem's features.
double plainRead(const Problem &problem);

/// Rows around a low-dimensional subspace, with labels that no hyperplane separates.
DatasetPtr blobs(Index n, Index d);
/// n rows of `perRow` entries at scattered columns.
DatasetPtr scattered(Index n, Index d, Index perRow);

ProblemPtr problemOf(const DatasetPtr &data, const char *loss, double ridge);

/// Processor seconds of this thread so far.
double threadSeconds();

} // namespace appa::bench
