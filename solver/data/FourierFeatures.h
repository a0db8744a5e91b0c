#pragma once

#include "data/Matrix.h"
#include "data/Parallel.h"

#include <cstdint>
#include <vector>

namespace appa {

/// Random Fourier features of the Gaussian kernel (Rahimi, Recht 2007): z(x) = sqrt(2/D) cos(W x + b) with the rows of
/// W drawn from N(0, I / bandwidth^2) and b uniform in [0, 2 pi), so that z(x).z(x') is close to exp(-|x-x'|^2 / (2
/// bandwidth^2)).
class FourierFeatures
{
public:
    struct Options
    {
        Index count = 0; ///< D
        double bandwidth = 1;
        std::uint64_t seed = 1;
        int threads = 0;       ///< 0: one per core; the result does not depend on it
        bool allowAvx2 = true; ///< false: the portable kernel, for comparison
    };

    /// Can W be drawn for it? Its numbers are floats.
    static bool takes(double bandwidth) { return bandwidth >= 1e-30 && bandwidth <= 1e30; }
    /// The same in words.
    static constexpr const char *bandwidths = "a number from 1e-30 to 1e30";

    /// For rows of `inputs` numbers. W and b are zero until they are drawn.
    FourierFeatures(Index inputs, Options options);
    /// Draws W and b. False when cancelled.
    bool draw(const ProgressRange &range);
    /// Bytes that W takes.
    static double bytes(Index inputs, Index count);

    /// One dense row of D features for each row. False when cancelled.
    template <class Matrix>
    bool map(const Matrix &A, DenseMatrix<typename Matrix::Scalar> &out, const ProgressRange &range) const;

private:
    Index m_inputs;
    Index m_panels;
    Options m_options;
    PageBuffer m_weights;         ///< float[panel][input][16]: sixteen features side by side
    std::vector<double> m_phases; ///< b, padded to whole panels
};

/// cos(t) as the features take it: within 2 ulp of float for |t| < 1e6.
float fastCosine(double t);

} // namespace appa
