#pragma once

#include "charts/SweepPoint.h"
#include "theme/Theme.h"

#include <QWidget>

#include <memory>

namespace appa::ui {

class PlotView;

/// What a method reached over the grid, in the units shown.
struct SweepSummary
{
    int method = 0; ///< index into SweepData::methods
    double bestLambda = 0;
    double bestValue = 0;       ///< median over the seeds
    double decadesWithin2x = 0; ///< width of the range of lambda whose median is within 2x of the best: robustness
    std::optional<double> divergesFrom;  ///< the smallest lambda of the upper range that diverged (for step sizes)
    std::optional<double> divergesBelow; ///< the largest lambda of the lower range that diverged
};
std::vector<SweepSummary> summarize(const SweepData &data);

/// A study: a quantity against lambda on log-log axes, or a heat map lambda x stage of one method.
class SensitivityView final : public QWidget
{
    Q_OBJECT

public:
    enum class Mode { Lines, HeatMap };

    explicit SensitivityView(QWidget *parent = nullptr);
    ~SensitivityView() override;

    void setTheme(const Theme &theme);
    void setData(SweepData data);
    void addPoint(const SweepPoint &point); ///< live results
    const SweepData &data() const { return m_data; }
    void setQuantity(SweepQuantity quantity);
    void setStage(int stage);
    void setTarget(double target);
    void setMode(Mode mode);
    Mode mode() const;
    PlotView *plot() const;
    void flush();

public slots:
    void fit();
    void undoZoom();

signals:
    void hovered(const QString &text);                      ///< what is under the mouse; "" for nothing
    void pointActivated(const appa::ui::SweepPoint &point); ///< double-click: open it as a run

private:
    struct Private;
    std::unique_ptr<Private> d;
    SweepData m_data;
};

} // namespace appa::ui
