#pragma once

#include "base/Params.h"

#include <QHash>
#include <QTimer>
#include <QWidget>

#include <map>
#include <vector>

class QVBoxLayout;

namespace appa::ui {

class ParamField;

/// The parameters of a method, built from their descriptors only. Edits leave it at most every few milliseconds
/// per key (the last value of a drag always does); what it shows is what is in effect. A parameter without effect
/// under the others' values (ParamSpec::onlyIf) is not shown.
class ParamForm final : public QWidget
{
    Q_OBJECT
public:
    explicit ParamForm(QWidget *parent = nullptr);

    /// Rebuilds the fields if the descriptors differ from those shown.
    void setSpecs(const std::vector<ParamSpec> &specs);
    const std::vector<ParamSpec> &specs() const { return m_specs; }
    /// `wanted`: as set ("auto" included); `effective`: as resolved by the run; `pending`: waits for a restart.
    void setValues(const ParamSet &wanted, const ParamSet &effective, const ParamSet &pending = {});
    /// The values to come belong to something else: edits under way are handed on, and then show no longer.
    void forgetEdits();
    void setBrief(bool brief); ///< shows only the field with a slider
    ParamField *field(const QString &key) const { return m_fields.value(key); }

signals:
    void edited(const QString &key, const appa::ParamValue &value);

private:
    void queue(const QString &key, const ParamValue &value);
    void flush();
    void showWhatApplies();

    std::vector<ParamSpec> m_specs;
    QHash<QString, ParamField *> m_fields;
    QVBoxLayout *m_layout;
    QTimer m_pace;
    std::map<QString, ParamValue> m_waiting;
    bool m_brief = false;
};

} // namespace appa::ui
