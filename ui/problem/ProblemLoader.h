#pragma once

#include "Background.h"
#include "runs/RunRecord.h"

namespace appa::ui {

/// What makes a problem: "mnist-6k", "squared loss", "no ridge", "mean-norm,rff" (without transforms: "").
QStringList partsOf(const ProblemSpec &spec, const Dataset *data = nullptr);
/// "mnist-6k, squared loss, ridge 10⁻⁵".
QString titleOf(const ProblemSpec &spec, const Dataset *data = nullptr);

/// "The columns differ about 1000-fold in size", which slows most methods down; "" where they do not differ much.
QString unevenColumnsText(double ratio);

/// Whether newly read data that does not go with the loss asked for gets the one that fits, or is refused.
enum class LossIs { AWish, ADemand };

/// Makes a problem in the background. A failure leaves whatever was there before in place.
class ProblemLoader final : public QObject
{
    Q_OBJECT
public:
    explicit ProblemLoader(QObject *parent = nullptr);

    /// `like`: its data set is taken over if the recipe is the same (only the loss or the ridge changed).
    void load(const ProblemSpec &spec, const ProblemStatePtr &like, LossIs loss);
    void cancel();
    bool busy() const { return m_background.busy(); }
    const ProblemSpec &spec() const { return m_spec; } ///< of the last `load`
    const Error &error() const { return m_error; }     ///< of the last one that failed

signals:
    void progressed(double fraction, const QString &what);
    void busyChanged(bool busy);
    void loaded(const appa::ui::ProblemStatePtr &problem);
    void failed(const QString &sentence);

private:
    Background m_background;
    ProblemSpec m_spec;
    Error m_error;
};

} // namespace appa::ui
