#include "sweep/SweepGridForm.h"

#include "form/ParamText.h"
#include "form/WheelInFocus.h"
#include "sweep/SweepLabels.h"

#include <QGridLayout>
#include <QLineEdit>
#include <QSpinBox>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <thread>

namespace appa::ui {

namespace {

/// What a person types, in plain ASCII: a true minus and thin spaces are what the program itself shows.
std::string plain(const QLineEdit *edit)
{
    QString text = edit->text();
    text.replace(QChar(0x2212), u'-').remove(QChar(0x202f)).remove(u' ');
    return text.toStdString();
}

QString textOf(const std::vector<std::uint64_t> &seeds)
{
    if (seeds.size() > 1 && seeds.back() - seeds.front() + 1 == seeds.size())
        return QStringLiteral("%1..%2").arg(seeds.front()).arg(seeds.back());
    QStringList all;
    for (const std::uint64_t seed : seeds)
        all << QString::number(seed);
    return all.join(u',');
}

} // namespace

SweepGridForm::SweepGridForm(QWidget *parent)
    : QWidget(parent), m_from(new QLineEdit(QStringLiteral("1e-8"), this)),
      m_to(new QLineEdit(QStringLiteral("1e8"), this)), m_count(new QSpinBox(this)), m_note(mutedText(this)),
      m_seeds(new QLineEdit(QStringLiteral("1..3"), this)), m_stages(new QSpinBox(this)), m_jobs(new QSpinBox(this)),
      m_layout(new QGridLayout(this))
{
    m_from->setToolTip(tr("The smallest λ of the grid, or all of them: a list (1e-3, 0.1, 20) or 1e-8:1e8:17"));
    m_to->setToolTip(tr("The largest λ of the grid"));
    m_count->setRange(1, 10001);
    m_count->setValue(17);
    m_count->setToolTip(tr("How many values of λ, evenly spaced in the logarithm"));
    m_seeds->setToolTip(tr("Every run is made once per seed: 1..5, or a list 1,2,7"));
    m_stages->setRange(1, 100000);
    m_stages->setValue(20);
    m_stages->setToolTip(tr("Stages of each run"));
    m_jobs->setRange(1, 1024);
    m_jobs->setValue(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
    m_jobs->setToolTip(tr("How many runs go on at a time; one core each"));

    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setHorizontalSpacing(8);
    m_layout->setVerticalSpacing(8);
    m_layout->setColumnStretch(1, 1);
    m_layout->setColumnStretch(3, 1);
    const auto place = [this](QWidget *field, const QString &label, int row, int column) {
        m_layout->addWidget(labelFor(field, label, this), row, column);
        m_layout->addWidget(field, row, column + 1);
    };
    place(m_from, tr("λ from"), 0, 0);
    place(m_to, tr("to"), 0, 2);
    place(m_count, tr("Values"), 1, 0);
    m_layout->addWidget(m_note, 1, 2, 1, 2);
    place(m_seeds, tr("Seeds"), 2, 0);
    place(m_stages, tr("Stages"), 2, 2);
    place(m_jobs, tr("Parallel"), 3, 0);

    const auto changed = [this] {
        updateNote();
        emit edited();
    };
    for (QLineEdit *field : {m_from, m_to, m_seeds}) {
        field->setMinimumWidth(48);
        connect(field, &QLineEdit::textChanged, this, changed);
    }
    for (QSpinBox *box : {m_count, m_stages, m_jobs}) {
        box->setMinimumWidth(56); // their own idea is made for the largest number they take
        WheelInFocus::install(box);
        connect(box, &QSpinBox::valueChanged, this, changed);
    }
    updateNote();
}

void SweepGridForm::setTheme(const Theme &theme)
{
    setMuted(m_note, theme);
}

void SweepGridForm::setPlan(const SweepPlan &plan)
{
    m_from->setText(paramText(plan.lambdas.front()));
    m_to->setText(paramText(plan.lambdas.back()));
    m_count->setValue(static_cast<int>(plan.lambdas.size()));
    // Its ends and their number tell only an even grid.
    if (!isLogGrid(plan.lambdas) || plan.lambdas.size() > static_cast<std::size_t>(m_count->maximum())) {
        QStringList all;
        for (const double lambda : plan.lambdas)
            all << paramText(lambda);
        m_from->setText(all.join(QStringLiteral(", ")));
    }
    m_seeds->setText(textOf(plan.seeds));
    m_stages->setValue(static_cast<int>(plan.stages));
}

std::optional<Error> SweepGridForm::fill(SweepPlan &plan) const
{
    auto lambdas = this->lambdas();
    if (!lambdas)
        return lambdas.error();
    auto seeds = parseSeeds(plain(m_seeds));
    if (!seeds)
        return seeds.error();
    plan.lambdas = std::move(lambdas).value();
    plan.seeds = std::move(seeds).value();
    plan.stages = m_stages->value();
    return std::nullopt;
}

/// A refusal quotes what was typed, and in which field.
Result<std::vector<double>> SweepGridForm::lambdas() const
{
    const auto refused = [](const QString &sentence, const QLineEdit *field) {
        return Error{Error::Kind::Usage, sentence.arg(field->text().trimmed()).toStdString()};
    };
    const std::string from = plain(m_from), to = plain(m_to);
    if (from.find(':') == std::string::npos && !parseLambdas(from))
        return refused(tr("λ from: “%1” is no positive number, such as 0.001 or 1e-3, nor a list of such."), m_from);
    if (hasAll() || from == to)
        return parseLambdas(from);
    if (to.find_first_of(",:") != std::string::npos || !parseLambdas(to))
        return refused(tr("λ to: “%1” is no positive number, such as 0.001 or 1e-3."), m_to);
    return parseLambdas(from + ":" + to + ":" + std::to_string(m_count->value()));
}

int SweepGridForm::jobs() const
{
    return m_jobs->value();
}

void SweepGridForm::addBesideJobs(QWidget *widget)
{
    m_layout->addWidget(widget, 3, 2, 1, 2, Qt::AlignRight);
}

bool SweepGridForm::hasAll() const
{
    return m_from->text().contains(u',') || m_from->text().contains(u':');
}

void SweepGridForm::updateNote()
{
    for (QWidget *other : std::initializer_list<QWidget *>{m_to, m_count})
        other->setEnabled(!hasAll());
    if (hasAll()) {
        const auto all = parseLambdas(plain(m_from));
        m_note->setText(all ? tr("%1 values").arg(all.value().size()) : QString());
        return;
    }
    const QString from = QString::fromStdString(plain(m_from)), to = QString::fromStdString(plain(m_to));
    const double decades = std::abs(std::log10(to.toDouble() / from.toDouble()));
    const int steps = m_count->value() - 1;
    if (!std::isfinite(decades) || decades == 0 || steps < 1)
        m_note->clear();
    else
        m_note->setText(tr("%1 per decade").arg(QString::number(steps / decades, 'g', 3)));
}

} // namespace appa::ui
