#pragma once

#include "runs/RunRecord.h"
#include "theme/Theme.h"

#include <QTextBrowser>

namespace appa::ui {

/// The factor per pass by which the excess loss fell over the last stages, measured; nullopt if there is too little of
/// it.
std::optional<double> measuredRate(const RunRecord &run);

/// The theory beside the measurement: constants, predicted and measured rate, Table 1, and what the paper's statements
/// became.
class TheoryView final : public QTextBrowser
{
    Q_OBJECT
public:
    explicit TheoryView(QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    void showFor(const ProblemState *problem, const RunRecord *run);

private:
    QString html(const ProblemState *problem, const RunRecord *run) const;

    Theme m_theme = Theme::light();
    QString m_shown;
};

} // namespace appa::ui
