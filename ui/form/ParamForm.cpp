#include "form/ParamForm.h"

#include "form/ParamField.h"

#include <QVBoxLayout>

#include <algorithm>

namespace appa::ui {

namespace {

/// While a slider is dragged, a change ends a stage each time it arrives: this often is smooth to the eye.
constexpr int paceMs = 60;

bool sameSpec(const ParamSpec &a, const ParamSpec &b)
{
    return a.key == b.key && a.label == b.label && a.help == b.help && a.type == b.type && a.min == b.min
        && a.max == b.max && a.scale == b.scale && a.change == b.change && a.allowAuto == b.allowAuto
        && a.choices == b.choices && a.onlyIf == b.onlyIf;
}

ParamValue valueOr(const ParamSet &set, const std::string &key, const ParamValue &fallback)
{
    const auto at = set.values().find(key);
    return at == set.values().end() ? fallback : at->second;
}

} // namespace

ParamForm::ParamForm(QWidget *parent) : QWidget(parent), m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(8);
    m_pace.setInterval(paceMs);
    m_pace.setSingleShot(true);
    connect(&m_pace, &QTimer::timeout, this, &ParamForm::flush);
}

void ParamForm::setSpecs(const std::vector<ParamSpec> &specs)
{
    if (std::ranges::equal(specs, m_specs, sameSpec))
        return;
    flush();
    m_specs = specs;
    // Fields that stay as they are keep their place in the focus chain and whatever is being typed into them.
    QHash<QString, ParamField *> old;
    old.swap(m_fields);
    while (QLayoutItem *item = m_layout->takeAt(0))
        delete item;
    QWidget *before = nullptr;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const QString key = QString::fromStdString(specs[i].key);
        ParamField *field = old.take(key);
        if (field && !sameSpec(field->spec(), specs[i])) {
            field->deleteLater();
            field->hide();
            field = nullptr;
        }
        if (!field) {
            const bool slides =
                i == 0 && specs[i].type == ParamSpec::Type::Real && specs[i].scale == ParamSpec::Scale::Log;
            field = new ParamField(specs[i], slides ? ParamField::Style::Prominent : ParamField::Style::Plain, this);
            connect(field, &ParamField::edited, this, &ParamForm::queue);
        }
        m_fields.insert(key, field);
        m_layout->addWidget(field);
        if (before)
            setTabOrder(before, field);
        before = field;
    }
    for (ParamField *field : std::as_const(old)) {
        field->hide();
        field->deleteLater();
    }
}

void ParamForm::setValues(const ParamSet &wanted, const ParamSet &effective, const ParamSet &pending)
{
    for (const ParamSpec &spec : m_specs) {
        ParamField *field = m_fields.value(QString::fromStdString(spec.key));
        const bool waits = pending.contains(spec.key);
        const ParamValue want = valueOr(waits ? pending : wanted, spec.key, spec.defaultValue);
        field->showValue(want, valueOr(effective, spec.key, want));
        const ParamValue now = valueOr(effective, spec.key, spec.defaultValue);
        field->setPending(waits && now != want ? std::optional(now) : std::nullopt);
    }
    showWhatApplies();
}

void ParamForm::forgetEdits()
{
    flush();
    for (ParamField *field : std::as_const(m_fields))
        field->forgetEdit();
}

void ParamForm::setBrief(bool brief)
{
    m_brief = brief;
    showWhatApplies();
}

void ParamForm::showWhatApplies()
{
    for (const ParamSpec &spec : m_specs) {
        ParamField *field = m_fields.value(QString::fromStdString(spec.key));
        const std::size_t equals = spec.onlyIf.find('=');
        const ParamField *other = equals == std::string::npos
            ? nullptr
            : m_fields.value(QString::fromStdString(spec.onlyIf.substr(0, equals)));
        field->setVisible((!other || formatParam(other->value()) == spec.onlyIf.substr(equals + 1))
                          && (!m_brief || field->slider()));
        field->setBrief(m_brief);
    }
}

void ParamForm::queue(const QString &key, const ParamValue &value)
{
    m_waiting[key] = value;
    showWhatApplies();
    if (!m_pace.isActive())
        flush();
}

void ParamForm::flush()
{
    if (m_waiting.empty())
        return;
    std::map<QString, ParamValue> waiting;
    waiting.swap(m_waiting);
    m_pace.start();
    for (const auto &[key, value] : waiting)
        emit edited(key, value);
}

} // namespace appa::ui
