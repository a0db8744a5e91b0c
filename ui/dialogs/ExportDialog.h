#pragma once

#include "charts/FigureExport.h"

#include <QDialog>

#include <array>
#include <utility>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTimer;

namespace appa::ui {

/// What to export and how, with a preview of what will be written. Stays open beside the work.
class ExportDialog final : public QDialog
{
    Q_OBJECT
public:
    enum class Format { Png, Svg, Pdf, Csv };

    ExportDialog(CurvesData data, FigureText text, QWidget *parent = nullptr);

    void setPart(const FigureOptions &shown); ///< of the plane: drawn, unless all of it is asked for

    Format format() const;
    QString suffix() const;
    FigureOptions options() const;
    const CurvesData &data() const { return m_data; }
    FigureText text() const;
    QSize previewSize() const; ///< in the screen's pixels
    QString noteText() const;
    QCheckBox *allField() const { return m_all; }

    void writingStarted();
    void writingEnded(const QString &problem); ///< "": it closes; else it stays, and says why

signals:
    void exportRequested();
    void copyRequested();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void preview();
    void showSize();
    double shownPerUnit() const;
    void remember() const;
    std::array<std::pair<QString, QCheckBox *>, 4> switches() const; ///< what is drawn, by the key it is remembered by

    CurvesData m_data;
    FigureText m_text;
    QComboBox *m_format;
    QComboBox *m_panels;
    QLineEdit *m_title;
    QComboBox *m_preset;
    QDoubleSpinBox *m_width;
    QDoubleSpinBox *m_height;
    QSpinBox *m_scale;
    QCheckBox *m_events;
    QCheckBox *m_labels;
    QCheckBox *m_values;
    QCheckBox *m_caption;
    QLabel *m_note;
    QPushButton *m_save = nullptr;
    QLabel *m_preview;
    QCheckBox *m_all; ///< there while only a part is shown
    QTimer *m_pause;
    std::optional<FigureOptions> m_part;
    QSizeF m_size; ///< in 1/96 inch
};

} // namespace appa::ui
