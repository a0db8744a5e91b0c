#pragma once

#include "RunController.h"
#include "theme/Theme.h"

#include <QWidget>

#include <deque>

class QPlainTextEdit;

namespace appa::ui {

/// What happened, in order: every change of a run with its exact place, every message.
class LogView final : public QWidget
{
    Q_OBJECT
public:
    explicit LogView(QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    /// `run`: whom it is about, "" for none; `colour`: the run's, a number of the theme's series.
    void append(Level level, const QString &run, int colour, const QString &sentence);
    QString text() const;

private:
    struct Entry
    {
        QString time;
        Level level;
        QString run;
        int colour;
        QString sentence;
    };
    void write(const Entry &entry);

    QPlainTextEdit *m_text;
    std::deque<Entry> m_entries; ///< as many as the text has lines: another theme has other colours
    Theme m_theme = Theme::light();
};

} // namespace appa::ui
