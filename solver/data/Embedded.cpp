#include "data/Embedded.h"

#include <array>

// The assembler puts the files into read-only data: no generated source, no copy at run time.
#define APPA_EMBED(symbol, file)                                                                                       \
    asm(".pushsection .rodata\n"                                                                                       \
        ".globl " #symbol "\n.hidden " #symbol "\n.globl " #symbol "_end\n.hidden " #symbol "_end\n"                   \
        ".balign 16\n" #symbol ":\n"                                                                                   \
        ".incbin \"" APPA_EMBEDDED_DATA "/" file "\"\n" #symbol "_end:\n"                                              \
        ".byte 0\n"                                                                                                    \
        ".popsection\n");                                                                                              \
    extern "C" __attribute__((visibility("hidden"))) const char symbol[];                                              \
    extern "C" __attribute__((visibility("hidden"))) const char symbol##_end[]

APPA_EMBED(appa_mnist_train_images, "mnist-6k/train-images-idx3-ubyte.gz");
APPA_EMBED(appa_mnist_train_labels, "mnist-6k/train-labels-idx1-ubyte.gz");
APPA_EMBED(appa_mnist_test_images, "mnist-6k/t10k-images-idx3-ubyte.gz");
APPA_EMBED(appa_mnist_test_labels, "mnist-6k/t10k-labels-idx1-ubyte.gz");
APPA_EMBED(appa_fashion_train_images, "fashion-6k/train-images-idx3-ubyte.gz");
APPA_EMBED(appa_fashion_train_labels, "fashion-6k/train-labels-idx1-ubyte.gz");
APPA_EMBED(appa_fashion_test_images, "fashion-6k/t10k-images-idx3-ubyte.gz");
APPA_EMBED(appa_fashion_test_labels, "fashion-6k/t10k-labels-idx1-ubyte.gz");

namespace appa {

namespace {

std::string_view between(const char *begin, const char *end)
{
    return {begin, static_cast<std::size_t>(end - begin)};
}

const std::array<EmbeddedSet, 2> &sets()
{
    static const std::array<EmbeddedSet, 2> all = {{
        {"mnist-6k", between(appa_mnist_train_images, appa_mnist_train_images_end),
         between(appa_mnist_train_labels, appa_mnist_train_labels_end),
         between(appa_mnist_test_images, appa_mnist_test_images_end),
         between(appa_mnist_test_labels, appa_mnist_test_labels_end)},
        {"fashion-6k", between(appa_fashion_train_images, appa_fashion_train_images_end),
         between(appa_fashion_train_labels, appa_fashion_train_labels_end),
         between(appa_fashion_test_images, appa_fashion_test_images_end),
         between(appa_fashion_test_labels, appa_fashion_test_labels_end)},
    }};
    return all;
}

} // namespace

const EmbeddedSet *embeddedSet(std::string_view name)
{
    for (const auto &set : sets())
        if (set.name == name)
            return &set;
    return nullptr;
}

} // namespace appa
