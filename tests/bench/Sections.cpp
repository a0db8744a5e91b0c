#include "Sections.h"

namespace appa::bench {

const std::vector<Section> &sections()
{
    static const std::vector<Section> all = {
        {"kernels", "Kernels against a plain read of the same bytes", runKernels},
        {"direct", "Gram matrix, factorization and reference optimum", runDirect},
    };
    return all;
}

} // namespace appa::bench
