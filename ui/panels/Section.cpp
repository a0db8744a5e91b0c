#include "panels/Section.h"

#include <QLabel>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>

namespace appa::ui {

Section::Section(const QString &title, const QString &key, QWidget *parent)
    : QWidget(parent), m_title(new QToolButton(this)), m_content(new QWidget(this)), m_body(new QVBoxLayout(m_content))
{
    m_title->setObjectName(QStringLiteral("sectionTitle"));
    m_title->setText(title);
    m_title->setCheckable(true);
    m_title->setChecked(true);
    m_title->setArrowType(Qt::DownArrow);
    m_title->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_title->setToolTip(tr("Fold or unfold %1").arg(title));
    m_title->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_title);
    layout->addWidget(m_content);
    m_body->setContentsMargins(12, 0, 12, 12);
    m_body->setSpacing(8);
    const QString setting = QStringLiteral("sections/") + key;
    connect(m_title, &QToolButton::toggled, this, [this, setting](bool open) {
        m_title->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
        m_content->setVisible(open);
        QSettings().setValue(setting, open);
    });
    m_title->setChecked(QSettings().value(setting, true).toBool());
}

void Section::setTitleVisible(bool visible)
{
    m_title->setVisible(visible);
    m_content->setVisible(!visible || m_title->isChecked());
    m_body->setContentsMargins(12, visible ? 0 : 12, 12, 12);
}

QLabel *mutedLabel(const QString &text, QWidget *parent)
{
    auto *label = new QLabel(text, parent);
    label->setObjectName(QStringLiteral("muted"));
    label->setWordWrap(true);
    return label;
}

} // namespace appa::ui
