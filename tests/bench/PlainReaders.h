#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace appa::bench {

/// A row's entry in the layout of liblinear: 16 bytes, a row ends with index -1.
struct Node
{
    int index;
    double value;
};

/// What a reader in liblinear's style makes of a file.
struct NodeRows
{
    std::vector<double> labels;
    std::vector<Node *> rows;
    std::vector<Node> nodes;
    int columns = 0;
};

/// LIBSVM text read as liblinear's `train` program reads it: twice line by line, first to count the entries, then to
/// split each line with strtok and to convert with strtol and strtod. It is not in its library, so this is a loop of
/// our own that makes the same calls in the same order.
NodeRows readInLiblinearStyle(const std::string &path);

/// Separated numbers by getline and strtod, as one would write it in five minutes.
std::vector<double> readSeparatedPlainly(const std::string &path, char separator);

/// All bytes of a file through one buffer: what no reader can be faster than.
double readBytes(const std::string &path);

} // namespace appa::bench
