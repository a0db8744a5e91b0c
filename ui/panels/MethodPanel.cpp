#include "panels/MethodPanel.h"

#include "RunController.h"
#include "form/FormBox.h"
#include "form/FormLabel.h"
#include "form/ParamForm.h"
#include "panels/Section.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <algorithm>

namespace appa::ui {

namespace {

QString familyName(MethodFamily family)
{
    switch (family) {
    case MethodFamily::Reduction:
        return MethodPanel::tr("Reductions");
    case MethodFamily::DualCoordinate:
        return MethodPanel::tr("Dual coordinate methods");
    case MethodFamily::Stochastic:
        return MethodPanel::tr("Stochastic gradients");
    case MethodFamily::FullGradient:
        return MethodPanel::tr("Full gradients");
    case MethodFamily::LeastSquares:
        return MethodPanel::tr("Least squares");
    }
    return {};
}

void addItem(QStandardItemModel &model, const QString &label, const std::string &id, const QString &tip,
             const std::string &why)
{
    auto *item = new QStandardItem(label);
    item->setData(QString::fromStdString(id), Qt::UserRole);
    item->setToolTip(why.empty() ? tip : MethodPanel::tr("Not for this problem: %1").arg(QString::fromStdString(why)));
    item->setEnabled(why.empty());
    model.appendRow(item);
}

void select(QComboBox *box, const std::string &id)
{
    const int at = box->findData(QString::fromStdString(id));
    if (at != box->currentIndex()) {
        const QSignalBlocker block(box);
        box->setCurrentIndex(at);
    }
}

} // namespace

MethodPanel::MethodPanel(QWidget *parent)
    : QWidget(parent), m_method(new FormBox(this)), m_methodLabel(new FormLabel(tr("Variant"), this)),
      m_inner(new FormBox(this)), m_innerLabel(new FormLabel(tr("Inner solver"), this)), m_form(new ParamForm(this)),
      m_runForm(new ParamForm(this)), m_restart(new QPushButton(tr("Restart to apply"), this))
{
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(8);
    grid->setColumnStretch(1, 1);
    m_methodLabel->setBuddy(m_method);
    m_innerLabel->setBuddy(m_inner);
    grid->addWidget(m_methodLabel, 0, 0);
    grid->addWidget(m_method, 0, 1);
    grid->addWidget(m_innerLabel, 1, 0);
    grid->addWidget(m_inner, 1, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addLayout(grid);
    layout->addWidget(m_form);
    layout->addWidget(m_runForm);
    layout->addWidget(m_restart);

    for (QComboBox *box : {m_method, m_inner})
        connect(box, &QComboBox::activated, this, &MethodPanel::pick);
    m_method->setObjectName(QStringLiteral("methodBox"));
    m_method->setAccessibleName(tr("Variant"));
    m_inner->setObjectName(QStringLiteral("innerBox"));
    m_inner->setAccessibleName(tr("Inner solver"));
    m_inner->setToolTip(tr("The solver that works inside each stage."));
    m_restart->setToolTip(tr("Starts the run afresh with the parameters that wait for it (Ctrl+R)"));
    m_restart->hide();
    m_runForm->setSpecs(runParams());
    for (ParamForm *form : {m_form, m_runForm})
        connect(form, &ParamForm::edited, this,
                [this](const QString &key, const ParamValue &value) { emit paramEdited(m_run, key, value); });
    connect(m_restart, &QPushButton::clicked, this, &MethodPanel::restartRequested);
    setRun(nullptr);
}

void MethodPanel::fillMethods(const Problem &problem)
{
    const QSignalBlocker block(m_method);
    auto *model = new QStandardItemModel(m_method);
    std::optional<MethodFamily> family;
    // Stable by family, in the registry's order within one.
    std::vector<const MethodInfo *> all;
    for (const MethodInfo &info : methods())
        all.push_back(&info);
    std::ranges::stable_sort(all, {}, [](const MethodInfo *info) { return static_cast<int>(info->family); });
    for (const MethodInfo *info : all) {
        if (family != info->family) {
            family = info->family;
            auto *title = new QStandardItem(familyName(*family));
            title->setFlags(Qt::NoItemFlags);
            QFont bold = font();
            bold.setWeight(QFont::DemiBold);
            title->setFont(bold);
            model->appendRow(title);
        }
        const QString tip = QString::fromStdString(info->summary) + QStringLiteral("\n\n")
            + QString::fromStdString(info->update) + QStringLiteral("\n") + QString::fromStdString(info->citation);
        addItem(*model, QString::fromStdString(info->label), info->id, tip,
                info->whyNot ? info->whyNot(problem) : std::string());
    }
    m_method->setModel(model);
    m_filledFor = &problem;
}

void MethodPanel::fillInners(const MethodInfo &info, const Problem &problem)
{
    const QSignalBlocker block(m_inner);
    auto *model = new QStandardItemModel(m_inner);
    for (const std::string &id : info.inners)
        if (const InnerInfo *inner = findInner(id))
            addItem(*model, QString::fromStdString(inner->label), id, {}, whyNot(problem, info.id, id));
    for (const InnerInfo &inner : innerSolvers())
        if (std::ranges::find(info.inners, inner.id) == info.inners.end() && !info.inners.empty())
            addItem(*model, QString::fromStdString(inner.label), inner.id, {}, whyNot(problem, info.id, inner.id));
    m_inner->setModel(model);
    m_innersOf = info.id;
    m_innersFor = &problem;
}

void MethodPanel::setRun(const RunRecord *run)
{
    const MethodInfo *info = run ? findMethod(run->method) : nullptr;
    const Problem *problem = run && run->problem ? run->problem->problem.get() : nullptr;
    setEnabled(info && problem); // without its data nothing can be changed
    if (const RunId id = run ? run->id : 0; id != m_run) {
        m_form->forgetEdits();
        m_runForm->forgetEdits();
        m_run = id;
    }
    if (!info)
        return;
    if (problem && m_filledFor != problem)
        fillMethods(*problem);
    select(m_method, run->method);
    m_method->setToolTip(QString::fromStdString(info->summary + "\n\n" + info->update + "\n" + info->citation)
                         + tr("\n\nWhile a run goes on, another variant carries on from the same iterate."));
    if (problem && (m_innersOf != info->id || m_innersFor != problem))
        fillInners(*info, *problem);
    if (!info->inners.empty())
        select(m_inner, run->inner);
    showChoice();

    m_form->setSpecs(paramsOf(*info, run->inner));
    m_form->setValues(RunController::wanted(*run), run->effective, run->pending);
    ParamSet stop;
    stop.set("stages", static_cast<double>(run->stop.stages));
    stop.set("seed", static_cast<double>(run->spec.seed));
    m_runForm->setValues(stop, stop, run->pending);
    m_restart->setVisible(!run->pending.values().empty());
}

void MethodPanel::setBrief(bool brief)
{
    m_brief = brief;
    showChoice();
    m_runForm->setVisible(!brief);
    m_form->setBrief(brief);
}

void MethodPanel::showChoice()
{
    m_methodLabel->setVisible(!m_brief);
    const MethodInfo *info = findMethod(m_method->currentData().toString().toStdString());
    for (QWidget *part : {static_cast<QWidget *>(m_innerLabel), static_cast<QWidget *>(m_inner)})
        part->setVisible(!m_brief && info && !info->inners.empty());
}

void MethodPanel::pick()
{
    const QString method = m_method->currentData().toString();
    const MethodInfo *info = findMethod(method.toStdString());
    if (!info)
        return;
    QString inner = m_inner->currentData().toString();
    if (std::ranges::find(info->inners, inner.toStdString()) == info->inners.end())
        inner = info->inners.empty() ? QString() : QString::fromStdString(info->inners.front());
    emit methodPicked(method, inner);
}

} // namespace appa::ui
