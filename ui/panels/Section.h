#pragma once

#include <QWidget>

class QLabel;
class QToolButton;
class QVBoxLayout;

namespace appa::ui {

/// A titled part of the side panel that can be folded away.
class Section final : public QWidget
{
    Q_OBJECT
public:
    Section(const QString &title, const QString &key, QWidget *parent = nullptr);

    QVBoxLayout *body() const { return m_body; }
    void setTitleVisible(bool visible); ///< without its title it is open, whatever it was before

private:
    QToolButton *m_title;
    QWidget *m_content;
    QVBoxLayout *m_body;
};

/// A label in the muted colour.
QLabel *mutedLabel(const QString &text, QWidget *parent = nullptr);

} // namespace appa::ui
