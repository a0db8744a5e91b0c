#include "Bench.h"

#include "kernels/Kernels.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace appa;

namespace {

int usage(const char *program)
{
    std::printf("%s [--quick] [--repetitions N] [--mnist FILE] [--sparse FILE].. [section ..]\nPrints Markdown tables "
                "of ratios. Sections:\n",
                program);
    for (const auto &section : bench::sections())
        std::printf("  %-10s %s\n", std::string(section.id).c_str(), std::string(section.title).c_str());
    return 2;
}

} // namespace

int main(int argc, char **argv)
{
    bench::Options options;
    std::vector<const bench::Section *> chosen;
    for (int i = 1; i < argc; ++i) {
        if (!std::strcmp(argv[i], "--quick")) {
            options.quick = true;
        } else if (!std::strcmp(argv[i], "--repetitions") && i + 1 < argc) {
            options.repetitions = std::max(1, std::atoi(argv[++i]));
        } else if (!std::strcmp(argv[i], "--mnist") && i + 1 < argc) {
            options.mnist = argv[++i];
        } else if (!std::strcmp(argv[i], "--sparse") && i + 1 < argc) {
            options.sparse.push_back(argv[++i]);
        } else {
            const auto before = chosen.size();
            for (const auto &section : bench::sections())
                if (section.id == argv[i])
                    chosen.push_back(&section);
            if (chosen.size() == before)
                return usage(argv[0]);
        }
    }
    if (chosen.empty())
        for (const auto &section : bench::sections())
            chosen.push_back(&section);

    std::printf("Kernels: %s; %u cores; best of %d, interleaved.\n", std::string(nameOf(detectedIsa())).c_str(),
                std::thread::hardware_concurrency(), options.repetitions);
    for (const auto *section : chosen) {
        std::printf("\n### %s\n\n", std::string(section->title).c_str());
        section->run(options);
    }
}
