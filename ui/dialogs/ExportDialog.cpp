#include "dialogs/ExportDialog.h"

#include "form/DecimalBox.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace appa::ui {

namespace {

constexpr double unitsPerInch = 96;
constexpr double pixelsPerUnit = 2; ///< of a PNG: sharp on paper and on a high-DPI screen
constexpr double millimetresPerUnit = 25.4 / unitsPerInch;
constexpr QSizeF smallest{152, 114}; ///< 40 × 30 mm
constexpr QSizeF largest{4000, 4000};

struct Preset
{
    const char *name;
    QSizeF millimetres;
    int type; ///< %
};
constexpr Preset presets[] = {{QT_TRANSLATE_NOOP("appa::ui::ExportDialog", "One column, 84 mm"), {84, 76}, 80},
                              {QT_TRANSLATE_NOOP("appa::ui::ExportDialog", "Two columns, 175 mm"), {175, 90}, 90},
                              {QT_TRANSLATE_NOOP("appa::ui::ExportDialog", "Slide, 16 : 9"), {256, 144}, 120}};

} // namespace

ExportDialog::ExportDialog(CurvesData data, FigureText text, QWidget *parent)
    : QDialog(parent), m_data(std::move(data)), m_text(std::move(text)), m_format(new QComboBox(this)),
      m_panels(new QComboBox(this)), m_title(new QLineEdit(m_text.title, this)), m_preset(new QComboBox(this)),
      m_width(new DecimalBox(this)), m_height(new DecimalBox(this)), m_scale(new QSpinBox(this)),
      m_events(new QCheckBox(tr("Event markers"), this)), m_labels(new QCheckBox(tr("Names at the lines"), this)),
      m_values(new QCheckBox(tr("Last values"), this)), m_caption(new QCheckBox(tr("Caption"), this)),
      m_note(new QLabel(this)), m_preview(new QLabel(this)),
      m_all(new QCheckBox(tr("All of the curves, not only the part shown"), this)), m_pause(new QTimer(this))
{
    setWindowTitle(tr("Export"));
    setModal(false);
    setAttribute(Qt::WA_DeleteOnClose);
    m_format->addItem(tr("PNG picture"), static_cast<int>(Format::Png));
    m_format->addItem(tr("SVG drawing"), static_cast<int>(Format::Svg));
    m_format->addItem(tr("PDF document"), static_cast<int>(Format::Pdf));
    m_format->addItem(tr("CSV numbers"), static_cast<int>(Format::Csv));
    m_panels->addItem(tr("Both charts"), static_cast<int>(FigurePanels::Both));
    m_panels->addItem(tr("Loss only"), static_cast<int>(FigurePanels::LossOnly));
    m_panels->addItem(tr("Test error only"), static_cast<int>(FigurePanels::TestErrorOnly));
    const QSettings settings;
    m_format->setCurrentIndex(settings.value(QStringLiteral("export/format"), 0).toInt());
    m_panels->setCurrentIndex(settings.value(QStringLiteral("export/panels"), 0).toInt());
    m_size = QSizeF(settings.value(QStringLiteral("export/width"), 1000).toDouble(),
                    settings.value(QStringLiteral("export/height"), 720).toDouble())
                 .expandedTo(smallest)
                 .boundedTo(largest);
    m_scale->setRange(50, 300);
    m_scale->setValue(settings.value(QStringLiteral("export/type"), 100).toInt());
    m_scale->setSuffix(tr(" %"));
    m_scale->setSingleStep(10);
    for (QDoubleSpinBox *box : {m_width, m_height}) {
        box->setSingleStep(10);
        box->setKeyboardTracking(false); // what is typed counts when it is complete
        box->setCorrectionMode(QAbstractSpinBox::CorrectToNearestValue);
    }
    for (const Preset &preset : presets)
        m_preset->addItem(tr(preset.name));
    m_preset->addItem(tr("As set below"));
    m_caption->setToolTip(tr("Data set and parameters below the charts; they are in the file in any case"));
    m_values->setToolTip(tr("What each run ends at, beside its name above the chart"));
    for (const auto &[key, box] : switches())
        box->setChecked(settings.value(key, true).toBool());

    auto *form = new QFormLayout;
    form->setVerticalSpacing(8);
    form->setHorizontalSpacing(12);
    form->setLabelAlignment(Qt::AlignLeft);
    form->addRow(tr("Format"), m_format);
    form->addRow(tr("Charts"), m_panels);
    m_title->setTextMargins(4, 0, 4, 0);
    form->addRow(tr("Title"), m_title);
    form->addRow(tr("Size"), m_preset);
    form->addRow(tr("Width"), m_width);
    form->addRow(tr("Height"), m_height);
    form->addRow(tr("Type size"), m_scale);
    auto *parts = new QGridLayout;
    parts->setVerticalSpacing(6);
    for (int i = 0; const auto &[key, box] : switches()) {
        parts->addWidget(box, i / 2, i % 2);
        ++i;
    }
    form->addRow(parts);
    m_all->hide();
    form->addRow(m_all);
    m_note->setObjectName(QStringLiteral("muted"));
    m_note->setWordWrap(true);
    form->addRow(m_note);

    auto *buttons = new QDialogButtonBox(this);
    m_save = buttons->addButton(tr("Export …"), QDialogButtonBox::AcceptRole);
    m_save->setProperty("primary", true);
    m_save->setDefault(true);
    QPushButton *copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    copy->setToolTip(tr("Put the picture on the clipboard"));
    buttons->addButton(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::remember);
    connect(copy, &QPushButton::clicked, this, &ExportDialog::remember);
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::exportRequested);
    connect(copy, &QPushButton::clicked, this, &ExportDialog::copyRequested);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);

    m_preview->setAlignment(Qt::AlignCenter);
    m_preview->setMinimumSize(420, 320);
    m_preview->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored); // the room decides, not the picture
    m_preview->setAccessibleName(tr("Preview"));
    m_preview->installEventFilter(this);
    auto *left = new QVBoxLayout;
    left->addLayout(form);
    left->addStretch();
    left->addWidget(buttons);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(16, 16, 16, 16);
    layout->setSpacing(16);
    layout->addLayout(left);
    layout->addWidget(m_preview, 1);
    resize(920, 480);

    m_pause->setSingleShot(true);
    m_pause->setInterval(120);
    connect(m_pause, &QTimer::timeout, this, &ExportDialog::preview);
    const auto later = [this] { m_pause->start(); };
    const auto formatChosen = [this, later] {
        const bool figure = format() != Format::Csv;
        for (QWidget *widget : std::initializer_list<QWidget *>{m_panels, m_title, m_preset, m_width, m_height, m_scale,
                                                                m_events, m_labels, m_values, m_caption, m_all})
            widget->setEnabled(figure);
        showSize();
        later();
    };
    connect(m_format, &QComboBox::currentIndexChanged, this, formatChosen);
    connect(m_panels, &QComboBox::currentIndexChanged, this, later);
    connect(m_title, &QLineEdit::textChanged, this, later);
    connect(m_preset, &QComboBox::activated, this, [this, later](int at) {
        if (at >= static_cast<int>(std::size(presets)))
            return;
        m_size = presets[at].millimetres / millimetresPerUnit;
        m_scale->setValue(presets[at].type);
        showSize();
        later();
    });
    connect(m_scale, &QSpinBox::valueChanged, this, [this, later] {
        showSize();
        later();
    });
    for (QDoubleSpinBox *box : {m_width, m_height}) {
        connect(box, &QDoubleSpinBox::valueChanged, this, [this, box, later](double value) {
            (box == m_width ? m_size.rwidth() : m_size.rheight()) = value / shownPerUnit();
            showSize();
            later();
        });
    }
    for (const auto &[key, box] : switches())
        connect(box, &QCheckBox::toggled, this, later);
    connect(m_all, &QCheckBox::toggled, this, later);
    formatChosen();
}

void ExportDialog::setPart(const FigureOptions &shown)
{
    m_part = shown;
    m_all->show();
    m_pause->start();
}

double ExportDialog::shownPerUnit() const
{
    return format() == Format::Png ? pixelsPerUnit : millimetresPerUnit;
}

/// The size in the file's own measure: the pixels of a PNG, the millimetres of a drawing.
void ExportDialog::showSize()
{
    const bool pixels = format() == Format::Png;
    const double per = shownPerUnit();
    const QString unit = pixels ? tr(" px") : tr(" mm");
    const auto show = [&](QDoubleSpinBox *box, double from, double to, double units) {
        const QSignalBlocker quiet(box);
        box->setSuffix(unit);
        box->setDecimals(pixels ? 0 : 1); // a column may be 82.5 mm wide
        box->setRange(qRound(from * per), qRound(to * per));
        box->setValue(units * per);
    };
    show(m_width, smallest.width(), largest.width(), m_size.width());
    show(m_height, smallest.height(), largest.height(), m_size.height());
    const QSizeF mm = m_size * millimetresPerUnit;
    const auto preset = std::ranges::find_if(presets, [&](const Preset &p) {
        return std::abs(p.millimetres.width() - mm.width()) < 0.5
            && std::abs(p.millimetres.height() - mm.height()) < 0.5 && p.type == m_scale->value();
    });
    m_preset->setCurrentIndex(static_cast<int>(preset - std::begin(presets)));
    QString sizes = tr("Width %1 to %2%3, height from %4%3. ")
                        .arg(QString::number(m_width->minimum()), QString::number(m_width->maximum()), unit,
                             QString::number(m_height->minimum()));
    if (pixels)
        sizes += tr("Printed at 192 dpi: %1 × %2 mm. ").arg(qRound(mm.width())).arg(qRound(mm.height()));
    m_note->setText(format() == Format::Csv
                        ? tr("Every measured point of the runs shown, with its λ, its method and what was changed.")
                        : sizes
                            + tr("Always on white. Data set, parameters, seed and the command line go into the file."));
}

std::array<std::pair<QString, QCheckBox *>, 4> ExportDialog::switches() const
{
    return {{{QStringLiteral("export/events"), m_events},
             {QStringLiteral("export/labels"), m_labels},
             {QStringLiteral("export/values"), m_values},
             {QStringLiteral("export/caption"), m_caption}}};
}

ExportDialog::Format ExportDialog::format() const
{
    return static_cast<Format>(m_format->currentData().toInt());
}

QString ExportDialog::suffix() const
{
    switch (format()) {
    case Format::Png:
        return QStringLiteral("png");
    case Format::Svg:
        return QStringLiteral("svg");
    case Format::Pdf:
        return QStringLiteral("pdf");
    case Format::Csv:
        return QStringLiteral("csv");
    }
    return {};
}

/// The next export begins with what this one chose.
void ExportDialog::remember() const
{
    QSettings settings;
    settings.setValue(QStringLiteral("export/format"), m_format->currentIndex());
    settings.setValue(QStringLiteral("export/panels"), m_panels->currentIndex());
    settings.setValue(QStringLiteral("export/width"), m_size.width());
    settings.setValue(QStringLiteral("export/height"), m_size.height());
    settings.setValue(QStringLiteral("export/type"), m_scale->value());
    for (const auto &[key, box] : switches())
        settings.setValue(key, box->isChecked());
}

FigureOptions ExportDialog::options() const
{
    FigureOptions options;
    options.size = m_size;
    options.pixelRatio = pixelsPerUnit;
    options.fontScale = m_scale->value() / 100.0;
    options.panels = static_cast<FigurePanels>(m_panels->currentData().toInt());
    options.showEvents = m_events->isChecked();
    options.showLabels = m_labels->isChecked();
    options.showValues = m_values->isChecked();
    options.showCaption = m_caption->isChecked();
    if (m_part && !m_all->isChecked()) {
        options.xMin = m_part->xMin;
        options.xMax = m_part->xMax;
        options.yMin = m_part->yMin;
        options.yMax = m_part->yMax;
        options.errorMin = m_part->errorMin;
        options.errorMax = m_part->errorMax;
    }
    return options;
}

FigureText ExportDialog::text() const
{
    FigureText text = m_text;
    text.title = m_title->text();
    return text;
}

void ExportDialog::writingStarted()
{
    m_save->setEnabled(false);
    m_note->setText(tr("Writing …"));
}

void ExportDialog::writingEnded(const QString &problem)
{
    if (problem.isEmpty()) {
        close();
        return;
    }
    m_save->setEnabled(true);
    m_note->setText(problem);
}

QString ExportDialog::noteText() const
{
    return m_note->text();
}

void ExportDialog::preview()
{
    // The same drawing with as many pixels as there is room for: a large picture is not painted to be thrown away.
    const QSizeF room = QSizeF(m_preview->size() - QSize(2, 2)) * devicePixelRatioF();
    FigureOptions scaled = options();
    scaled.pixelRatio = std::min(room.width() / scaled.size.width(), room.height() / scaled.size.height());
    QImage image = renderCurves(m_data, text(), scaled);
    image.setDevicePixelRatio(devicePixelRatioF());
    m_preview->setPixmap(QPixmap::fromImage(image));
}

QSize ExportDialog::previewSize() const
{
    return m_preview->pixmap(Qt::ReturnByValue).size();
}

bool ExportDialog::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_preview && event->type() == QEvent::Resize) // by the dialog's edge, or by larger type beside it
        m_pause->start();
    return QDialog::eventFilter(watched, event);
}

} // namespace appa::ui
