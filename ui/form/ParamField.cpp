#include "form/ParamField.h"

#include "form/FormBox.h"
#include "form/FormLabel.h"
#include "form/LogSlider.h"
#include "form/ParamText.h"
#include "theme/Format.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace appa::ui {

namespace {

/// How long an edit is left alone before what the run reports is shown again: a few round trips to the Runner.
constexpr int quietMs = 300;

const ParamValue automatic{std::string("auto")};

/// What is wrong, as the window says it: the command line knows a parameter by its key and writes plain numbers. What
/// was typed stays as it was.
QString shownRefusal(const ParamSpec &spec, const std::string &sentence)
{
    const QString all = QString::fromStdString(sentence);
    const qsizetype typed = all.indexOf(QLatin1String(", not '"));
    QString expected = prettyText(all.left(typed < 0 ? all.size() : typed));
    expected.replace(QStringLiteral("'%1'").arg(QString::fromStdString(spec.key)), QString::fromStdString(spec.label));
    return typed < 0 ? expected : expected + all.mid(typed);
}

bool isAutoWord(const ParamValue &value)
{
    const auto *word = std::get_if<std::string>(&value);
    return word && *word == "auto";
}

} // namespace

ParamField::ParamField(const ParamSpec &spec, Style style, QWidget *parent)
    : QWidget(parent), m_spec(spec), m_value(spec.defaultValue), m_effective(spec.defaultValue)
{
    const QString key = QString::fromStdString(spec.key);
    const QString label = QString::fromStdString(spec.label);
    const bool restart = spec.change == ParamSpec::Change::Restart;
    QString tip = QString::fromStdString(spec.help);
    if (restart)
        tip += (tip.isEmpty() ? QString() : QStringLiteral("\n\n")) + tr("Takes effect at the next restart.");
    setObjectName(QStringLiteral("field-%1").arg(key));
    m_quiet.setSingleShot(true);
    m_quiet.setInterval(quietMs);
    connect(&m_quiet, &QTimer::timeout, this, &ParamField::showWaiting);

    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(1, 1);

    m_error = new QLabel(this);
    m_error->setObjectName(QStringLiteral("fieldError"));
    m_error->setWordWrap(true);
    m_error->hide();

    QWidget *editor = nullptr;
    if (spec.type == ParamSpec::Type::Switch) {
        m_check = new QCheckBox(label + (restart ? QStringLiteral(" ↻") : QString()), this);
        grid->addWidget(m_check, 0, 0, 1, 2);
        connect(m_check, &QCheckBox::clicked, this, [this](bool on) { commit(on); });
        editor = m_check;
    } else {
        m_label = new FormLabel(label + (restart ? QStringLiteral(" ↻") : QString()), this);
        grid->addWidget(m_label, 0, 0);
        if (spec.type == ParamSpec::Type::Choice) {
            m_combo = new FormBox(this);
            for (const std::string &choice : spec.choices)
                m_combo->addItem(QString::fromStdString(choice), QString::fromStdString(choice));
            m_combo->setMinimumContentsLength(6);
            connect(m_combo, &QComboBox::activated, this,
                    [this](int item) { commit(m_combo->itemData(item).toString().toStdString()); });
            editor = m_combo;
        } else {
            buildLine();
            editor = m_line;
        }
        auto *cell = new QHBoxLayout;
        cell->setSpacing(8);
        cell->addWidget(editor, 1);
        grid->addLayout(cell, 0, 1);
        if (spec.allowAuto && spec.type != ParamSpec::Type::Choice) {
            m_auto = new QToolButton(this);
            m_auto->setText(tr("auto"));
            m_auto->setCheckable(true);
            m_auto->setAutoRaise(true);
            m_auto->setToolTip(tr("Choose %1 from the data").arg(label));
            m_auto->setAccessibleName(tr("%1, automatic").arg(label));
            if (style == Style::Plain)
                cell->addWidget(m_auto);
            connect(m_auto, &QToolButton::clicked, this,
                    [this](bool on) { commit(on ? automatic : ParamValue(shownNumber())); });
        }
        m_label->setBuddy(editor);
        m_label->setToolTip(tip);
    }
    editor->setToolTip(tip);
    editor->setAccessibleName(label);
    editor->setAccessibleDescription(tip);
    int row = 1;
    if (style == Style::Prominent) {
        m_slider = new LogSlider(this);
        m_slider->setLimits(spec.min > 0 ? spec.min : 1e-10, spec.max > 0 ? spec.max : 1e10);
        m_slider->setToolTip(tip + tr("\n\nUp and down: a tenth of a decade. Page up and down: a decade."));
        m_slider->setAccessibleName(label);
        auto *below = new QHBoxLayout;
        below->setSpacing(8);
        below->addWidget(m_slider, 1);
        if (m_auto)
            below->addWidget(m_auto, 0, Qt::AlignTop);
        grid->addLayout(below, row++, 0, 1, 2);
        connect(m_slider, &LogSlider::moved, this, [this](double v) { commit(v); });
        connect(m_slider, &QSlider::sliderReleased, this, &ParamField::showWaiting);
    }
    grid->addWidget(m_error, row, 0, 1, 2);
    display();
}

void ParamField::buildLine()
{
    m_line = new QLineEdit(this);
    m_line->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_line->setMinimumWidth(40);
    m_line->setProperty("number", true); // a space means nothing here: it runs and pauses, as everywhere
    m_line->installEventFilter(this);
    connect(m_line, &QLineEdit::editingFinished, this, &ParamField::commitLine);
    connect(m_line, &QLineEdit::textEdited, this, [this](const QString &text) {
        m_quiet.start();
        // What is wrong with it is said once it is complete, and taken back as soon as it is right.
        const auto parsed = parseParam(m_spec, plainText(text).toStdString());
        if (parsed.ok())
            refuse({});
    });
}

void ParamField::setBrief(bool brief)
{
    if (m_label)
        m_label->setBrief(brief);
}

void ParamField::commitLine()
{
    if (!m_line->isModified())
        return;
    QString text = m_line->text();
    if (text.startsWith(QLatin1String("auto")))
        text = QStringLiteral("auto");
    const auto parsed = parseParam(m_spec, plainText(text).toStdString());
    if (!parsed.ok()) {
        refuse(shownRefusal(m_spec, parsed.error().message));
        return;
    }
    m_line->setModified(false);
    commit(parsed.value());
}

void ParamField::commit(const ParamValue &value)
{
    if (const std::string problem = checkParam(m_spec, value); !problem.empty()) {
        refuse(shownRefusal(m_spec, problem));
        return;
    }
    refuse({});
    m_quiet.start();
    m_waiting.reset(); // it does not know of this yet
    m_value = value;
    if (!isAutoWord(value))
        m_effective = value;
    display();
    emit edited(QString::fromStdString(m_spec.key), value);
}

double ParamField::shownNumber() const
{
    if (const auto *v = std::get_if<double>(&m_value))
        return *v;
    if (const auto *v = std::get_if<double>(&m_effective))
        return *v;
    return std::max(m_spec.min, std::min(m_spec.max, 1.0));
}

void ParamField::stepBy(int tenths)
{
    if (!std::holds_alternative<double>(m_value) && !std::holds_alternative<double>(m_effective))
        return; // "auto" that is not known yet: there is nothing to step from
    const double v = shownNumber();
    double next = v;
    if (m_spec.scale == ParamSpec::Scale::Log && v > 0)
        next = LogSlider::stepped(v, tenths);
    else if (m_spec.type == ParamSpec::Type::Integer)
        next = v + tenths;
    else
        next = v + tenths * std::max(1e-12, std::pow(10.0, std::floor(std::log10(std::max(std::abs(v), 1e-6))) - 1));
    if (m_spec.max > m_spec.min)
        next = std::clamp(next, m_spec.min, m_spec.max);
    if (m_spec.type == ParamSpec::Type::Integer)
        next = std::round(next);
    else if (m_spec.scale == ParamSpec::Scale::Linear)
        next = QString::number(next, 'g', 12).toDouble();
    commit(next);
}

bool ParamField::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress && watched == m_line) {
        switch (static_cast<QKeyEvent *>(event)->key()) {
        case Qt::Key_Up:
            stepBy(1);
            return true;
        case Qt::Key_Down:
            stepBy(-1);
            return true;
        case Qt::Key_PageUp:
            stepBy(10);
            return true;
        case Qt::Key_PageDown:
            stepBy(-10);
            return true;
        case Qt::Key_Escape:
            if (!m_line->isModified()) // there is nothing to take back here
                break;
            m_line->setModified(false);
            refuse({});
            display();
            showWaiting();
            return true;
        default:
            break;
        }
    }
    return QWidget::eventFilter(watched, event);
}

bool ParamField::beingEdited() const
{
    if (m_slider && m_slider->isSliderDown())
        return true;
    if (m_line && m_line->isModified())
        return true;
    return m_quiet.isActive();
}

void ParamField::showValue(const ParamValue &wanted, const ParamValue &effective)
{
    m_waiting.reset();
    if (wanted == m_value && effective == m_effective)
        return;
    if (beingEdited()) {
        m_waiting = {wanted, effective};
        return;
    }
    m_value = wanted;
    m_effective = effective;
    refuse({});
    display();
}

void ParamField::showWaiting()
{
    if (const auto waiting = std::exchange(m_waiting, std::nullopt))
        showValue(waiting->first, waiting->second); // if it is still being typed, it waits on
}

void ParamField::forgetEdit()
{
    m_quiet.stop();
    m_waiting.reset();
    if (m_line && m_line->isModified()) {
        refuse({});
        display();
    }
}

void ParamField::display()
{
    if (m_check)
        m_check->setChecked(std::holds_alternative<bool>(m_value) && std::get<bool>(m_value));
    if (m_combo) {
        m_combo->setCurrentIndex(m_combo->findData(paramText(m_value)));
        // The closed field says what auto stands for.
        if (const int automaticItem = m_combo->findData(QStringLiteral("auto")); automaticItem >= 0) {
            const bool resolved =
                isAutoWord(m_value) && !isAutoWord(m_effective) && std::holds_alternative<std::string>(m_effective);
            m_combo->setItemText(automaticItem,
                                 resolved ? QStringLiteral("auto (%1)").arg(paramText(m_effective))
                                          : QStringLiteral("auto"));
        }
    }
    const bool isAuto = m_spec.allowAuto && isAutoWord(m_value);
    if (m_auto) {
        m_auto->setChecked(isAuto);
        m_auto->setVisible(m_slider || !isAuto); // a plain field says "auto" itself; the label has the room
    }
    if (m_line) {
        const bool resolved = isAuto && std::holds_alternative<double>(m_effective);
        m_line->setText(resolved     ? QStringLiteral("auto (%1)").arg(formatPower(std::get<double>(m_effective)))
                            : isAuto ? QStringLiteral("auto")
                                     : shortText(m_spec, m_value));
        m_line->setModified(false);
    }
    if (m_slider)
        m_slider->setValue(shownNumber());
}

void ParamField::setPending(const std::optional<ParamValue> &inEffect)
{
    m_inEffect = inEffect;
    refreshNote();
}

void ParamField::refuse(const QString &sentence)
{
    m_refusal = sentence;
    if (m_line && m_line->property("invalid").toBool() == sentence.isEmpty()) {
        m_line->setProperty("invalid", !sentence.isEmpty());
        m_line->setStyleSheet(m_line->styleSheet()); // re-evaluates the style for the property
    }
    refreshNote();
}

void ParamField::refreshNote()
{
    const bool waits = m_refusal.isEmpty() && m_inEffect;
    m_error->setProperty("level", waits ? QStringLiteral("note") : QStringLiteral("error"));
    m_error->setText(waits ? tr("Waits for a restart; in effect now: %1").arg(shortText(m_spec, *m_inEffect))
                           : m_refusal);
    m_error->setVisible(!m_error->text().isEmpty());
}

QString ParamField::errorText() const
{
    return m_error->isHidden() ? QString() : m_error->text();
}

} // namespace appa::ui
