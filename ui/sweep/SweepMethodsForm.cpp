#include "sweep/SweepMethodsForm.h"

#include "form/DeleteRemoves.h"
#include "sweep/SweepLabels.h"
#include "sweep/SweepMethodModel.h"
#include "theme/Icons.h"

#include <QBoxLayout>
#include <QEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QTableView>
#include <QToolButton>

namespace appa::ui {

SweepMethodsForm::SweepMethodsForm(QWidget *parent)
    : QWidget(parent), m_model(new SweepMethodModel(this)), m_view(new QTableView(this)),
      m_settings(new QLineEdit(this)), m_add(new QToolButton(this)), m_remove(new QToolButton(this))
{
    makeView();
    m_settings->setPlaceholderText(tr("none; such as passes=2"));
    m_add->setToolTip(tr("The same method once more, with other settings"));
    m_add->setText(tr("Add variant"));
    m_add->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_remove->setToolTip(tr("Remove this variant (Delete)"));
    m_remove->setText(tr("Remove"));
    m_remove->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);

    auto *settings = new QHBoxLayout;
    settings->setSpacing(8);
    settings->addWidget(labelFor(m_settings, tr("Settings"), this));
    settings->addWidget(m_settings, 1);
    auto *variants = new QHBoxLayout;
    variants->addWidget(m_add);
    variants->addWidget(m_remove);
    variants->addStretch();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_view, 1);
    layout->addLayout(settings);
    layout->addLayout(variants);

    connect(m_add, &QToolButton::clicked, this, &SweepMethodsForm::addVariant);
    connect(m_remove, &QToolButton::clicked, this, [this] { m_model->remove(m_view->currentIndex().row()); });
    connect(m_settings, &QLineEdit::textEdited, this, [this](const QString &text) {
        const int row = m_view->currentIndex().row();
        if (row >= 0)
            m_model->setData(m_model->index(row, SweepMethodModel::Settings), text);
    });
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this, &SweepMethodsForm::showCurrent);
    connect(m_model, &QAbstractItemModel::rowsRemoved, this, &SweepMethodsForm::showCurrent);
    connect(m_model, &QAbstractItemModel::rowsInserted, this, &SweepMethodsForm::showCurrent);
    connect(m_model, &QAbstractItemModel::modelReset, this, &SweepMethodsForm::showCurrent);
    m_view->setCurrentIndex(m_model->index(0, SweepMethodModel::Method));
    showCurrent();
}

void SweepMethodsForm::makeView()
{
    m_view->setModel(m_model);
    m_view->setItemDelegateForColumn(SweepMethodModel::Inner, new InnerDelegate(m_view));
    m_view->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::SelectedClicked
                            | QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setShowGrid(false);
    m_view->setTabKeyNavigation(false);
    m_view->verticalHeader()->hide();
    m_view->horizontalHeader()->setHighlightSections(false);
    m_view->horizontalHeader()->setSectionResizeMode(SweepMethodModel::Method, QHeaderView::Stretch);
    m_view->horizontalHeader()->setSectionResizeMode(SweepMethodModel::Inner, QHeaderView::Fixed);
    m_view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_view->hideColumn(SweepMethodModel::Settings); // edited below, shown beside the method's name
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    // It takes what is left: of a low page it scrolls its own rows before the fields below are out of sight.
    m_view->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
    m_view->setMinimumHeight(104);
    m_view->setAccessibleName(tr("Methods of the study"));
    m_view->setObjectName(QStringLiteral("sweepMethods"));
    m_view->viewport()->installEventFilter(this);
    DeleteRemoves::install(m_view, m_remove);
}

bool SweepMethodsForm::eventFilter(QObject *watched, QEvent *event)
{
    // The methods' names first; of a long inner solver the beginning tells it.
    if (watched == m_view->viewport() && event->type() == QEvent::Resize)
        m_view->horizontalHeader()->resizeSection(SweepMethodModel::Inner, m_view->viewport()->width() * 2 / 5);
    return QWidget::eventFilter(watched, event);
}

void SweepMethodsForm::setTheme(const Theme &theme)
{
    m_add->setIcon(icon(QStringLiteral("plus"), theme));
    m_remove->setIcon(icon(QStringLiteral("trash"), theme));
}

void SweepMethodsForm::addVariant()
{
    const QModelIndex current = m_view->currentIndex();
    if (!current.isValid())
        return;
    m_view->setCurrentIndex(m_model->index(m_model->duplicate(current.row()), SweepMethodModel::Method));
    m_settings->setFocus(Qt::OtherFocusReason);
}

void SweepMethodsForm::showCurrent()
{
    const int row = m_view->currentIndex().row();
    const QModelIndex settings = m_model->index(row, SweepMethodModel::Settings);
    m_settings->setEnabled(row >= 0);
    m_settings->setToolTip(settings.data(Qt::ToolTipRole).toString());
    if (const QString text = settings.data(Qt::EditRole).toString(); text != m_settings->text().simplified())
        m_settings->setText(text);
    m_add->setEnabled(row >= 0);
    m_remove->setEnabled(m_model->canRemove(row));
}

} // namespace appa::ui
