#pragma once

#include "runs/RunRecord.h"
#include "theme/Theme.h"

#include <QWidget>

namespace appa::ui {

/// The current run's figures in type that can be read from the back of a room.
class NowPanel final : public QWidget
{
    Q_OBJECT
public:
    explicit NowPanel(QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    void setRun(const RunRecord *run);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }
    QString valueOf(const QString &label) const; ///< as shown
    QString shownName() const;                   ///< the run's, cut if it has to be

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Figure
    {
        QString label;
        QString value;
        QString tip = {};
    };

    int columns() const;    ///< one where it is narrow
    int headHeight() const; ///< the name's line and, where it is narrow, the status's
    QRect cellOf(qsizetype figure) const;

    Theme m_theme = Theme::light();
    QString m_name;
    QString m_status;
    QColor m_colour;
    QList<qreal> m_dash;
    QColor m_statusColour;
    QList<Figure> m_figures;
};

} // namespace appa::ui
