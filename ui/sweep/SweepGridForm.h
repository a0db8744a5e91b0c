#pragma once

#include "run/SweepPlan.h"
#include "theme/Theme.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace appa::ui {

/// The grid of a study: values of lambda, seeds, stages, and how many runs go on at a time.
class SweepGridForm final : public QWidget
{
    Q_OBJECT
public:
    explicit SweepGridForm(QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    void setPlan(const SweepPlan &plan);
    /// Fills in all but the methods; or the first thing that is wrong.
    std::optional<Error> fill(SweepPlan &plan) const;
    int jobs() const;
    void addBesideJobs(QWidget *widget);

    QLineEdit *fromEdit() const { return m_from; }
    QLineEdit *toEdit() const { return m_to; }
    QSpinBox *countBox() const { return m_count; }
    QLineEdit *seedsEdit() const { return m_seeds; }
    QSpinBox *stagesBox() const { return m_stages; }

signals:
    void edited();

private:
    bool hasAll() const; ///< the lambdas, as a list or lo:hi:count in the place of the first
    Result<std::vector<double>> lambdas() const;
    void updateNote();

    QLineEdit *m_from;
    QLineEdit *m_to;
    QSpinBox *m_count;
    QLabel *m_note;
    QLineEdit *m_seeds;
    QSpinBox *m_stages;
    QSpinBox *m_jobs;
    QGridLayout *m_layout;
};

} // namespace appa::ui
