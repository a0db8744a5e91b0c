#include "Sections.h"

namespace appa::bench {

const std::vector<Section> &sections()
{
    static const std::vector<Section> all = {
        {"kernels", "Kernels against a plain read of the same bytes", runKernels},
        {"direct", "Gram matrix, factorization and reference optimum", runDirect},
        {"passes", "A pass of each method against a plain read of the data, and against liblinear's dual", runPasses},
        {"growth", "The cost of a pass when n, d or the entries per row double", runGrowth},
        {"large", "60000 x 12000 (2.7 GiB), with measuring on the second core", runLarge},
        {"peers", "Time to an accuracy of the same objective on MNIST (60000 x 784)", runPeers},
        {"loading", "Reading files: LIBSVM against liblinear's reader, CSV and IDX", runLoading},
    };
    return all;
}

} // namespace appa::bench
