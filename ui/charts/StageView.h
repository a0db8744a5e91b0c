#pragma once

#include "methods/Method.h"
#include "theme/Theme.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace appa::ui {

/// One finished stage, without its vectors.
struct StageRow
{
    Index stage = 0;
    double lambda = 0;
    double movement = 0; ///< |s_t - s_{t-1}|; NaN for the first
    std::optional<double> asked;
    std::optional<double> reached;
    std::optional<double> gap;
    Index accesses = 0;
    double rows = 1;      ///< n
    bool reported = true; ///< false: only what the trace tells is known of it
    bool centred = false; ///< it had a centre: those of a method that stands alone have none
};

/// What a strip says instead of an empty chart.
struct StageNotes
{
    QString movement;
    QString accuracy;
    QString gap;
};

/// The row of a report, given the centre of the stage before.
StageRow makeStageRow(const StageReport &report, const Vector *previousCentre, double rows);

/// The anatomy of a run's stages: movement of the centre, accuracy asked for and reached, gap, cost; one column per
/// stage. The mouse or the arrows (Escape: the newest again) choose the one whose numbers are shown.
class StageView final : public QWidget
{
    Q_OBJECT

public:
    explicit StageView(QWidget *parent = nullptr);
    ~StageView() override;

    void setTheme(const Theme &theme);
    /// `planned`: after which stage it will stop, 0 if that is not known.
    void setRun(const QString &name, const QColor &colour, const StageNotes &notes = {}, Index planned = 0);
    /// `switches`: after which stages λ came to mean something else, which is no change of λ.
    void setStages(std::span<const StageRow> stages, std::vector<Index> switches = {});
    const std::vector<StageRow> &stages() const { return m_stages; }
    QSize minimumSizeHint() const override { return {320, 140}; }

    std::optional<Index> chosenStage() const; ///< under the mouse, or chosen by the arrows

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;

private:
    void choose(int index);

    struct Private;
    std::unique_ptr<Private> d;
    std::vector<StageRow> m_stages;
};

} // namespace appa::ui
