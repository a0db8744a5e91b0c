#include "panels/TransformEditor.h"

#include "form/DeleteRemoves.h"
#include "form/ParamForm.h"
#include "theme/Format.h"

#include <QHBoxLayout>
#include <QListWidget>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <array>

namespace appa::ui {

namespace {

struct Kind
{
    Transform::Kind kind;
    const char *title;
    const char *help;
};

constexpr std::array kinds{
    Kind{Transform::Kind::MeanNorm, QT_TRANSLATE_NOOP("TransformEditor", "Divide by the mean row norm"),
         QT_TRANSLATE_NOOP("TransformEditor", "Rows keep their proportions; on average they have length 1.")},
    Kind{Transform::Kind::NormalizeRows, QT_TRANSLATE_NOOP("TransformEditor", "Normalize each row"),
         QT_TRANSLATE_NOOP("TransformEditor", "Every row gets length 1.")},
    Kind{Transform::Kind::StandardizeColumns, QT_TRANSLATE_NOOP("TransformEditor", "Standardize columns"),
         QT_TRANSLATE_NOOP("TransformEditor", "Every column gets mean 0 and variance 1 on the training rows.")},
    Kind{Transform::Kind::Affine, QT_TRANSLATE_NOOP("TransformEditor", "Append a constant feature"),
         QT_TRANSLATE_NOOP("TransformEditor", "One more column of ones: the model gets an intercept.")},
    Kind{Transform::Kind::FourierFeatures, QT_TRANSLATE_NOOP("TransformEditor", "Random Fourier features"),
         QT_TRANSLATE_NOOP("TransformEditor", "A random feature map that approximates a Gaussian kernel.")},
    Kind{Transform::Kind::FirstRows, QT_TRANSLATE_NOOP("TransformEditor", "Take the first rows"),
         QT_TRANSLATE_NOOP("TransformEditor", "Only the first N training rows.")},
    Kind{Transform::Kind::RandomRows, QT_TRANSLATE_NOOP("TransformEditor", "Take random rows"),
         QT_TRANSLATE_NOOP("TransformEditor", "N training rows, drawn without replacement.")},
};

QString titleOf(Transform::Kind kind)
{
    for (const Kind &k : kinds)
        if (k.kind == kind)
            return TransformEditor::tr(k.title);
    return {};
}

std::vector<ParamSpec> specsOf(const Transform &t)
{
    using Type = ParamSpec::Type;
    const ParamSpec seed{.key = "seed",
                         .label = "Seed",
                         .help = "Of the random choices.",
                         .type = Type::Integer,
                         .defaultValue = 1.0,
                         .min = 0,
                         .max = 9007199254740992.0,
                         .choices = {}};
    switch (t.kind) {
    case Transform::Kind::FourierFeatures:
        return {{.key = "count",
                 .label = "Features D",
                 .help = "How many; 0: a fifth of the training rows.",
                 .type = Type::Integer,
                 .defaultValue = 0.0,
                 .min = 0,
                 .max = 1e6,
                 .choices = {}},
                {.key = "bandwidth",
                 .label = "Bandwidth",
                 .help = "Of the Gaussian kernel, in units of the scaled rows. Smaller: wigglier.",
                 .type = Type::Real,
                 .defaultValue = 1.0,
                 .min = 1e-6,
                 .max = 1e6,
                 .scale = ParamSpec::Scale::Log,
                 .choices = {}},
                seed};
    case Transform::Kind::RandomRows:
    case Transform::Kind::FirstRows: {
        std::vector<ParamSpec> specs{{.key = "count",
                                      .label = "Rows N",
                                      .help = "How many training rows to keep.",
                                      .type = Type::Integer,
                                      .defaultValue = 1000.0,
                                      .min = 1,
                                      .max = 1e9,
                                      .choices = {}}};
        if (t.kind == Transform::Kind::RandomRows)
            specs.push_back(seed);
        return specs;
    }
    default:
        return {};
    }
}

} // namespace

QString transformText(const Transform &t)
{
    const QString title = titleOf(t.kind);
    switch (t.kind) {
    case Transform::Kind::FourierFeatures:
        return TransformEditor::tr("%1 (D = %2, bandwidth %3)")
            .arg(title, t.count > 0 ? formatCount(t.count) : QStringLiteral("n/5"), formatPower(t.bandwidth));
    case Transform::Kind::FirstRows:
    case Transform::Kind::RandomRows:
        return QStringLiteral("%1 (%2)").arg(title, formatCount(t.count));
    default:
        return title;
    }
}

TransformEditor::TransformEditor(QWidget *parent)
    : QWidget(parent), m_list(new QListWidget(this)), m_add(new QToolButton(this)), m_remove(new QToolButton(this)),
      m_up(new QToolButton(this)), m_down(new QToolButton(this)), m_form(new ParamForm(this))
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(2);
    buttons->addWidget(m_add);
    buttons->addStretch();
    buttons->addWidget(m_up);
    buttons->addWidget(m_down);
    buttons->addWidget(m_remove);
    layout->addWidget(m_list);
    layout->addLayout(buttons);
    layout->addWidget(m_form);

    m_list->setObjectName(QStringLiteral("transformList"));
    m_list->setAccessibleName(tr("Transforms of the data, in order"));
    m_list->setTextElideMode(Qt::ElideRight);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    const auto prepare = [](QToolButton *button, const QString &text, const QString &tip) {
        button->setText(text);
        button->setToolTip(tip);
        button->setAccessibleName(tip);
    };
    prepare(m_add, tr("+ Transform"), tr("Add a transform at the end of the list"));
    prepare(m_up, QStringLiteral("↑"), tr("Move the transform up"));
    prepare(m_down, QStringLiteral("↓"), tr("Move the transform down"));
    prepare(m_remove, QStringLiteral("✕"), tr("Remove the transform (Delete)"));
    DeleteRemoves::install(m_list, m_remove);
    auto *menu = new QMenu(m_add);
    menu->setToolTipsVisible(true);
    for (const Kind &k : kinds) {
        QAction *action = menu->addAction(tr(k.title));
        action->setToolTip(tr(k.help));
        connect(action, &QAction::triggered, this, [this, kind = k.kind] {
            Transform t;
            t.kind = kind;
            if (kind == Transform::Kind::FirstRows || kind == Transform::Kind::RandomRows)
                t.count = 1000;
            m_transforms.push_back(t);
            refresh(static_cast<int>(m_transforms.size()) - 1);
            emit edited();
        });
    }
    m_add->setObjectName(QStringLiteral("addTransform"));
    m_add->setMenu(menu);
    m_add->setPopupMode(QToolButton::InstantPopup);
    connect(m_list, &QListWidget::currentRowChanged, this, &TransformEditor::showParameters);
    connect(m_remove, &QToolButton::clicked, this, [this] {
        if (current() < 0)
            return;
        m_form->forgetEdits();
        m_transforms.erase(m_transforms.begin() + current());
        refresh(current());
        emit edited();
    });
    const auto move = [this](int by) {
        const int from = current();
        const int to = from + by;
        if (from < 0 || to < 0 || to >= static_cast<int>(m_transforms.size()))
            return;
        m_form->forgetEdits();
        std::swap(m_transforms[static_cast<std::size_t>(from)], m_transforms[static_cast<std::size_t>(to)]);
        refresh(to);
        emit edited();
    };
    connect(m_up, &QToolButton::clicked, this, [move] { move(-1); });
    connect(m_down, &QToolButton::clicked, this, [move] { move(1); });
    connect(m_form, &ParamForm::edited, this, &TransformEditor::apply);
    refresh(-1);
}

int TransformEditor::current() const
{
    const int row = m_list->currentRow();
    return row < static_cast<int>(m_transforms.size()) ? row : -1;
}

void TransformEditor::setTransforms(const std::vector<Transform> &transforms)
{
    if (transforms == m_transforms && m_list->count() == static_cast<int>(transforms.size()))
        return;
    m_transforms = transforms;
    m_shown = -1;
    refresh(-1);
}

void TransformEditor::refresh(int select)
{
    const QSignalBlocker block(m_list);
    m_list->clear();
    for (const Transform &t : m_transforms) {
        auto *item =
            new QListWidgetItem(QStringLiteral("%1. %2").arg(m_list->count() + 1).arg(transformText(t)), m_list);
        item->setToolTip(item->text());
    }
    const int rowHeight = fontMetrics().height() + 8;
    m_list->setVisible(!m_transforms.empty());
    m_list->setFixedHeight(rowHeight * static_cast<int>(std::clamp<std::size_t>(m_transforms.size(), 1, 5)) + 4);
    m_list->setCurrentRow(std::min(select, m_list->count() - 1));
    showParameters();
}

void TransformEditor::showParameters()
{
    m_form->forgetEdits(); // they are of the one shown before
    const int row = m_shown = current();
    for (QToolButton *button : {m_remove, m_up, m_down})
        button->setEnabled(row >= 0);
    if (row < 0) {
        m_form->hide();
        return;
    }
    const Transform &t = m_transforms[static_cast<std::size_t>(row)];
    const std::vector<ParamSpec> specs = specsOf(t);
    m_form->setVisible(!specs.empty());
    m_form->setSpecs(specs);
    ParamSet values;
    values.set("count", static_cast<double>(t.count));
    values.set("bandwidth", t.bandwidth);
    values.set("seed", static_cast<double>(t.seed));
    m_form->setValues(values, values);
}

void TransformEditor::apply(const QString &key, const ParamValue &value)
{
    const int row = m_shown;
    const auto *number = std::get_if<double>(&value);
    if (row < 0 || !number)
        return;
    Transform &t = m_transforms[static_cast<std::size_t>(row)];
    if (key == QLatin1String("count"))
        t.count = static_cast<Index>(*number);
    else if (key == QLatin1String("bandwidth"))
        t.bandwidth = *number;
    else
        t.seed = static_cast<std::uint64_t>(*number);
    QListWidgetItem *item = m_list->item(row);
    item->setText(QStringLiteral("%1. %2").arg(row + 1).arg(transformText(t)));
    item->setToolTip(item->text());
    emit edited();
}

} // namespace appa::ui
