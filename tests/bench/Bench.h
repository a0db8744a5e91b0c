#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace appa::bench {

/// What a section may use of the command line.
struct Options
{
    int repetitions = 5;
    bool quick = false;              ///< small sizes: to see that it runs
    std::string mnist = "mnist";     ///< the whole training set: a name of the catalogue or its images file
    std::vector<std::string> sparse; ///< LIBSVM files to measure passes on
};

/// One thing to time; the work must not be optimizable away (return something that depends on it).
struct Contender
{
    std::string name;
    std::function<double()> work;
};

/// Seconds of processor time of the calling thread, best of `repetitions`, the contenders taking turns: what slows the
/// machine for a while slows all of them. A turn is two goes, since the pass of a run follows another one of its own,
/// and finds other things in the caches than behind a read from end to end. Processor time, because others may be using
/// the machine; only ratios mean anything.
std::vector<double> bestOf(int repetitions, const std::vector<Contender> &contenders);
/// The same by the wall clock, for work that uses several threads.
std::vector<double> bestWallOf(int repetitions, const std::vector<Contender> &contenders);

/// Prints a Markdown table row by row.
class Table
{
public:
    explicit Table(std::vector<std::string> columns);
    void row(const std::vector<std::string> &cells) const;

private:
    std::size_t m_columns;
};

std::string number(double value, int digits = 3);

/// A part of the benchmark: one file, one line in Sections.cpp.
struct Section
{
    std::string_view id;
    std::string_view title;
    void (*run)(const Options &options);
};
const std::vector<Section> &sections();

} // namespace appa::bench
