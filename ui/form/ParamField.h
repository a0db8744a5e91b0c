#pragma once

#include "base/Params.h"

#include <QTimer>
#include <QWidget>

#include <optional>
#include <utility>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;

namespace appa::ui {

class FormLabel;
class LogSlider;

/// One parameter of the form, built from its descriptor alone. It shows what is in effect and hands on what the user
/// wants; text that does not fit is refused with a sentence beside it and never leaves the field.
class ParamField final : public QWidget
{
    Q_OBJECT
public:
    enum class Style { Plain, Prominent }; ///< Prominent: a log slider over the whole width below the exact field

    ParamField(const ParamSpec &spec, Style style, QWidget *parent = nullptr);

    const ParamSpec &spec() const { return m_spec; }
    ParamValue value() const { return m_value; }
    /// `wanted` as set (may be "auto"), `effective` as resolved. Waits for the end of an edit that is going on.
    void showValue(const ParamValue &wanted, const ParamValue &effective);
    /// What was typed or moved last no longer keeps other values from being shown, and what waited for it is not shown.
    void forgetEdit();
    /// Of a restart parameter that was changed: what is in effect until then. nullopt: nothing waits.
    void setPending(const std::optional<ParamValue> &inEffect);
    /// Up or down, as the keys do: tenths of a decade on a log scale.
    void stepBy(int tenths);
    QString errorText() const;
    bool isPending() const { return m_inEffect.has_value(); }

    QLineEdit *lineEdit() const { return m_line; }
    void setBrief(bool brief); ///< its label
    LogSlider *slider() const { return m_slider; }
    QComboBox *comboBox() const { return m_combo; }
    QCheckBox *checkBox() const { return m_check; }
    QToolButton *autoButton() const { return m_auto; }
    void refuse(const QString &sentence); ///< shows a sentence beside the field; empty: hides it

signals:
    void edited(const QString &key, const appa::ParamValue &value);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void buildLine();
    void commitLine();
    void commit(const ParamValue &value);
    void display();
    void refreshNote();
    double shownNumber() const;
    bool beingEdited() const;
    void showWaiting();

    ParamSpec m_spec;
    ParamValue m_value;
    ParamValue m_effective;
    std::optional<ParamValue> m_inEffect; ///< while another value waits for a restart
    QString m_refusal;
    QTimer m_quiet{this};                                       ///< since the last edit
    std::optional<std::pair<ParamValue, ParamValue>> m_waiting; ///< what the run reported meanwhile
    FormLabel *m_label = nullptr;
    QLabel *m_error = nullptr;
    QLineEdit *m_line = nullptr;
    LogSlider *m_slider = nullptr;
    QComboBox *m_combo = nullptr;
    QCheckBox *m_check = nullptr;
    QToolButton *m_auto = nullptr;
};

} // namespace appa::ui
