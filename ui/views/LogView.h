#pragma once

#include "RunController.h"
#include "theme/Theme.h"

#include <QWidget>

class QPlainTextEdit;
class QLineEdit;

namespace appa::ui {

/// What happened, in order: every change of a run with its exact place, every message.
class LogView final : public QWidget
{
    Q_OBJECT
public:
    explicit LogView(QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    void append(Level level, const QString &run, const QColor &colour, const QString &sentence);
    QString text() const;

private:
    QPlainTextEdit *m_text;
    Theme m_theme = Theme::light();
};

} // namespace appa::ui
