#pragma once

#include "runs/RunRecord.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;

namespace appa::ui {

class ParamForm;

/// Which method the current run uses, with what parameters: always what is in effect. It knows no method by name.
class MethodPanel final : public QWidget
{
    Q_OBJECT
public:
    explicit MethodPanel(QWidget *parent = nullptr);

    /// Shows a run; null: nothing to show.
    void setRun(const RunRecord *run);
    void setBrief(bool brief); ///< only what is turned while one speaks: variant, parameter with a slider

    QComboBox *methodBox() const { return m_method; }
    QComboBox *innerBox() const { return m_inner; }
    ParamForm *form() const { return m_form; }
    ParamForm *runForm() const { return m_runForm; }

signals:
    void methodPicked(const QString &method, const QString &inner);
    void paramEdited(int run, const QString &key, const appa::ParamValue &value);
    void restartRequested();

private:
    void showChoice();
    void fillMethods(const Problem &problem);
    void fillInners(const MethodInfo &info, const Problem &problem);
    void pick();

    QComboBox *m_method;
    QLabel *m_methodLabel;
    QComboBox *m_inner;
    QLabel *m_innerLabel;
    ParamForm *m_form;
    ParamForm *m_runForm;
    QPushButton *m_restart;
    RunId m_run = 0; ///< whose values are shown: edits are this run's
    bool m_brief = false;
    const Problem *m_filledFor = nullptr;
    std::string m_innersOf;
    const Problem *m_innersFor = nullptr;
};

} // namespace appa::ui
