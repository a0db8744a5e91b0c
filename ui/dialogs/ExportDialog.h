#pragma once

#include "charts/FigureExport.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;
class QTimer;

namespace appa::ui {

/// What to export and how, with a preview of exactly what will be written. Stays open beside the work.
class ExportDialog final : public QDialog
{
    Q_OBJECT
public:
    enum class Format { Png, Svg, Pdf, Csv };

    ExportDialog(CurvesData data, FigureText text, const QString &folder, QWidget *parent = nullptr);

    Format format() const;
    QString suffix() const;
    FigureOptions options() const;
    const CurvesData &data() const { return m_data; }
    FigureText text() const;
    QString folder() const { return m_folder; }

signals:
    void exportRequested();
    void copyRequested();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void preview();

    CurvesData m_data;
    FigureText m_text;
    QString m_folder;
    QComboBox *m_format;
    QComboBox *m_panels;
    QLineEdit *m_title;
    QSpinBox *m_width;
    QSpinBox *m_height;
    QSpinBox *m_scale;
    QCheckBox *m_events;
    QLabel *m_preview;
    QTimer *m_pause;
};

} // namespace appa::ui
