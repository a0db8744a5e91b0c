#pragma once

#include "Background.h"
#include "runs/RunRecord.h"

#include <array>
#include <optional>
#include <vector>

namespace appa::ui {

/// What the charts and the theory tab need to know about a problem, found out in the background:
/// F_opt (cached on disk), the constants L, R, mu, and the floors ls(lambda).
class Reference final : public QObject
{
    Q_OBJECT
public:
    explicit Reference(QObject *parent = nullptr);

    /// Begins with the optimum, then the constants. What is already known of the problem is not asked again; what was
    /// being found out about another one waits until that is wanted.
    void study(const ProblemStatePtr &problem);
    /// The same, but in its turn: after what is under way.
    void want(const ProblemStatePtr &problem);
    /// What is known of a problem that is chosen again, as it was told when it was found.
    void tell(const ProblemStatePtr &problem);
    enum class FloorsOf { Curves, Study };
    /// ls(lambda) for these, as far as they are not there, instead of those wanted for the same before.
    void wantFloors(FloorsOf whom, const ProblemStatePtr &problem, const std::vector<double> &lambdas);
    void cancel();
    bool busy() const { return m_optimum.busy() || m_constants.busy(); }
    bool findsOptimum() const { return m_optimum.busy(); }
    /// Of which F_opt is being computed; null: of none.
    const ProblemStatePtr &solved() const { return m_solved; }

    static QString cacheFolder(); ///< $XDG_CACHE_HOME/appa-lab/optima

signals:
    void progressed(double fraction, const QString &what);
    void optimumChanged(const appa::ui::ProblemStatePtr &problem); ///< it, or the note in its place
    void constantsFound(const appa::ui::ProblemStatePtr &problem);
    void floorFound(const appa::ui::ProblemStatePtr &problem);
    void busyChanged();

private:
    void findConstants(const ProblemStatePtr &problem);
    void studyNext();
    void note(const ProblemStatePtr &problem, const QString &sentence); ///< in the place of an optimum
    void nextFloor();

    Background m_optimum{nullptr, Priority::Behind};
    Background m_constants{nullptr, Priority::Behind};
    Background m_floors{nullptr, Priority::Behind};
    ProblemStatePtr m_solved;
    ProblemStatePtr m_next;
    struct WantedFloors
    {
        ProblemStatePtr problem;
        std::vector<double> lambdas;
    };
    std::array<WantedFloors, 2> m_wanted; ///< by FloorsOf
};

} // namespace appa::ui
