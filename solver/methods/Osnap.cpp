// OSNAP: least squares (with ridge) by conjugate gradients, preconditioned by the QR factor of a sparse random sketch.
//
//     S A: m = 4d rows, four random signs (times 1/2) in each column of S;  [sqrt(w) S A; sqrt(gamma) I] = Q R;
//     CG on w A'A + gamma I with R'R as preconditioner, one iteration (one pass) a stage.
//
// S keeps the lengths of all A x to a constant factor, so the number of iterations does not depend on A's condition
// number. For a sketch that behaves like a Gaussian one, the excess falls by d/m = 1/4 an iteration.
// Condition: n well above 4d, or the sketch is no smaller than A.
//
// J. Nelson, H. Nguyen: OSNAP: faster numerical linear algebra algorithms via sparser subspace embeddings. FOCS 2013.

#include "methods/Alone.h"
#include "methods/Catalogue.h"
#include "methods/Sketch.h"

namespace appa {

namespace {

const std::string label = "OSNAP";

class Osnap final : public SketchPreparation
{
public:
    bool tick(const Problem &problem, IndexStream &stream, Cost &cost) override
    {
        if (m_sketched)
            return qr.tick();
        m_sketched = m_sketch.tick(problem, qr, stream, cost);
        return false;
    }

private:
    OsnapSketch m_sketch;
    bool m_sketched = false;
};

} // namespace

MethodInfo catalogue::osnap()
{
    return {
        .id = "osnap",
        .label = label,
        .summary = "Least squares by conjugate gradients, preconditioned by a sparse random sketch of the data.",
        .citation = "Nelson and Nguyen (FOCS 2013)",
        .update = "SA = QR with a sparse sign matrix S of 4d rows;  CG preconditioned by R'R",
        .table1 = "OSNAP: (n d + d^ω) log(ε₀/ε), on |Ax − b|²",
        .family = MethodFamily::LeastSquares,
        .lambda = LambdaMeaning::Unused,
        .inners = {},
        .params = {},
        .accessesPerStep = 0,
        .whyNot = [](const Problem &problem) { return SketchedSolver::whyNot(problem, label); },
        .make =
            [](const ProblemPtr &problem, std::string_view, const ParamSet &params) {
                const auto make = [](const ProblemPtr &p, const ParamSet &) {
                    return std::make_unique<SketchedSolver>(p, std::make_unique<Osnap>());
                };
                return makeAlone(problem, {.lambda = LambdaMeaning::Unused, .params = {}, .make = make}, params);
            },
        .ratePerPass = [](const Problem &, const Constants &, const ParamSet &) -> std::optional<double> {
            // ((sqrt(k)-1)/(sqrt(k)+1))^2 with sqrt(k) = (1+sqrt(d/m))/(1-sqrt(d/m)) is d/m.
            return 1.0 / OsnapSketch::copies;
        },
    };
}

} // namespace appa
