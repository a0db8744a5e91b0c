#include "PlainReaders.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

namespace appa::bench {

namespace {

/// A text file, line by line.
class Lines
{
public:
    explicit Lines(const std::string &path) : m_file(std::fopen(path.c_str(), "r"))
    {
        if (!m_file)
            throw std::runtime_error("can't read " + path);
    }
    Lines(const Lines &) = delete;
    Lines &operator=(const Lines &) = delete;
    ~Lines()
    {
        std::fclose(m_file);
        std::free(m_line);
    }

    char *next() { return getline(&m_line, &m_size, m_file) < 0 ? nullptr : m_line; }
    void again() { std::rewind(m_file); }

private:
    std::FILE *m_file;
    char *m_line = nullptr;
    std::size_t m_size = 0;
};

[[noreturn]] void badLine(std::size_t line)
{
    throw std::runtime_error("line " + std::to_string(line) + " is not LIBSVM");
}

} // namespace

NodeRows readInLiblinearStyle(const std::string &path)
{
    Lines lines(path);
    std::size_t rows = 0, entries = 0;
    while (char *line = lines.next()) {
        std::strtok(line, " \t"); // the label
        for (char *word = std::strtok(nullptr, " \t"); word && *word != '\n'; word = std::strtok(nullptr, " \t"))
            ++entries;
        ++entries; // the row's end
        ++rows;
    }
    lines.again();

    NodeRows out;
    out.labels.resize(rows);
    out.rows.resize(rows);
    out.nodes.resize(entries);
    std::size_t used = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        char *line = lines.next();
        out.rows[i] = &out.nodes[used];
        char *end = nullptr;
        const char *label = std::strtok(line, " \t\n");
        if (!label)
            badLine(i + 1);
        out.labels[i] = std::strtod(label, &end);
        if (end == label || *end != '\0')
            badLine(i + 1);
        int last = 0;
        for (;;) {
            const char *index = std::strtok(nullptr, ":");
            const char *value = std::strtok(nullptr, " \t");
            if (!value)
                break;
            errno = 0;
            out.nodes[used].index = static_cast<int>(std::strtol(index, &end, 10));
            if (end == index || errno != 0 || *end != '\0' || out.nodes[used].index <= last)
                badLine(i + 1);
            last = out.nodes[used].index;
            errno = 0;
            out.nodes[used].value = std::strtod(value, &end);
            if (end == value || errno != 0 || (*end != '\0' && *end != '\n'))
                badLine(i + 1);
            ++used;
        }
        out.columns = std::max(out.columns, last);
        out.nodes[used++].index = -1;
    }
    return out;
}

std::vector<double> readSeparatedPlainly(const std::string &path, char separator)
{
    Lines lines(path);
    std::vector<double> numbers;
    for (std::size_t row = 1; const char *at = lines.next(); ++row) {
        for (;;) {
            char *end = nullptr;
            numbers.push_back(std::strtod(at, &end));
            if (end == at)
                badLine(row);
            if (*end != separator)
                break;
            at = end + 1;
        }
    }
    return numbers;
}

double readBytes(const std::string &path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        throw std::runtime_error("can't read " + path);
    constexpr std::size_t size = std::size_t{1} << 20;
    const auto buffer = std::make_unique<char[]>(size);
    double sum = 0;
    for (ssize_t got = 0; (got = ::read(file, buffer.get(), size)) > 0;)
        sum += static_cast<double>(got) + buffer[0];
    ::close(file);
    return sum;
}

} // namespace appa::bench
