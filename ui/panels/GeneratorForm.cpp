#include "panels/GeneratorForm.h"

#include "data/Generators.h"
#include "form/ParamForm.h"

#include <QStringList>
#include <QVBoxLayout>

#include <algorithm>

namespace appa::ui {

namespace {

const GeneratorInfo *findGenerator(const std::string &name)
{
    for (const GeneratorInfo &info : generators())
        if (info.name == name)
            return &info;
    return nullptr;
}

} // namespace

GeneratorForm::GeneratorForm(QWidget *parent) : QWidget(parent), m_form(new ParamForm(this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_form);
    connect(m_form, &ParamForm::edited, this, [this](const QString &key, const ParamValue &value) {
        m_values[key.toStdString()] = std::get<double>(value);
        QStringList parts;
        for (const auto &[name, number] : m_values)
            parts << QStringLiteral("%1=%2").arg(QString::fromStdString(name),
                                                 QString::fromStdString(formatParam(number)));
        emit edited(QString::fromStdString(m_name) + (parts.isEmpty() ? QString() : u':' + parts.join(u',')));
    });
    hide();
}

void GeneratorForm::setSource(const std::string &source)
{
    const auto colon = source.find(':');
    m_name = source.substr(0, colon);
    const GeneratorInfo *info = findGenerator(m_name);
    setVisible(info != nullptr);
    if (!info)
        return;
    m_values.clear();
    if (colon != std::string::npos) {
        for (const QString &part : QString::fromStdString(source.substr(colon + 1)).split(u',', Qt::SkipEmptyParts)) {
            const qsizetype at = part.indexOf(u'=');
            bool ok = false;
            const double value = part.mid(at + 1).toDouble(&ok);
            if (at > 0 && ok)
                m_values[part.left(at).toStdString()] = value;
        }
    }
    std::vector<ParamSpec> specs;
    ParamSet values;
    for (const GeneratorKey &key : info->keys) {
        const std::string name(key.key);
        ParamSpec spec;
        spec.key = name;
        spec.label = name;
        spec.help = std::string(key.help);
        spec.type = key.isInteger ? ParamSpec::Type::Integer : ParamSpec::Type::Real;
        spec.defaultValue = key.defaultValue;
        spec.min = key.min;
        spec.max = key.max;
        specs.push_back(std::move(spec));
        const auto set = m_values.find(name);
        values.set(name, set == m_values.end() ? key.defaultValue : set->second);
    }
    m_form->setSpecs(specs);
    m_form->setValues(values, values);
}

} // namespace appa::ui
