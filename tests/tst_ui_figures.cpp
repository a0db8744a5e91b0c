#include "ChartData.h"
#include "OwnFolders.h"

#include "charts/FigureExport.h"
#include "charts/HeatMap.h"
#include "charts/PlotView.h"
#include "charts/SensitivityView.h"
#include "charts/StageView.h"
#include "charts/SweepMapping.h"
#include "dialogs/ExportDialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLocale>
#include <QPainter>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QTransform>
#include <QXmlStreamReader>

#include <algorithm>

using namespace appa;
using namespace appa::ui;

namespace {

using testing::fOpt, testing::twoCurves;

QByteArray contentsOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

SweepData smallSweep()
{
    SweepData data;
    data.methods = {
        {QStringLiteral("dual-appa"), QStringLiteral("sdca"), QStringLiteral("Dual APPA"), {}, MethodFamily::Reduction},
        {QStringLiteral("sgd"), {}, QStringLiteral("SGD"), {}, MethodFamily::Stochastic, LambdaMeaning::StepSize}};
    data.optimum = fOpt;
    for (int e = -4; e <= 2; ++e) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            SweepPoint a;
            a.method = QStringLiteral("dual-appa");
            a.inner = QStringLiteral("sdca");
            a.lambda = std::pow(10.0, e);
            a.seed = seed;
            SweepPoint b = a;
            b.method = QStringLiteral("sgd");
            b.inner.clear();
            for (int t = 0; t <= 5; ++t) {
                const double shape = 1 + std::abs(e + 2);
                a.loss.push_back(fOpt + std::pow(0.1, t) * shape * (1 + 0.1 * static_cast<double>(seed)));
                b.loss.push_back(fOpt + std::pow(0.7, t) * shape);
                a.testError.push_back(0.1 + 0.01 * shape);
                a.passes.push_back(t);
                b.passes.push_back(t);
            }
            if (e >= 1) {
                b.divergedAt = 2;
                b.loss.resize(3);
            }
            data.points.push_back(a);
            data.points.push_back(b);
        }
    }
    return data;
}

} // namespace

class TestFigures final : public QObject
{
    Q_OBJECT

    OwnFolders m_folders;

private slots:
    void sweepFindsBestLambdaAndDivergence();
    void aStudyUnderWayDoesNotMoveItsAxis();
    void aMissedTargetIsMarkedWhereALineEnds();
    void sweepDoubleClickOpensARun();
    void stageRowsMeasureTheMovement();
    void heatMapsSayWhatACellWithoutAValueIs();
    void aViewIsAPngOrAPdf_data();
    void aViewIsAPngOrAPdf();
    void figuresAreValidFiles_data();
    void figuresAreValidFiles();
    void figureErrorsNameTheFile();
    void aSmallFigureShowsTheWhole();
    void aFigureNamesEveryRun();
    void textNeverOverlapsInASmallFigure_data();
    void textNeverOverlapsInASmallFigure();
    void aCaptionWithoutBlanksIsCutToo_data();
    void aCaptionWithoutBlanksIsCutToo();
    void thePreviewHasNoMorePixelsThanItsRoom();
    void theFileHasTheSizeThatWasAskedFor();
    void aColumnOfAPaperCanBeAskedFor_data();
    void aColumnOfAPaperCanBeAskedFor();
    void aFigureHasOnlyWhatIsSwitchedOn();
};

void TestFigures::sweepFindsBestLambdaAndDivergence()
{
    const SweepData data = smallSweep();
    const std::vector<SweepSummary> summaries = summarize(data);
    QCOMPARE(summaries.size(), std::size_t(2));
    QCOMPARE(summaries[0].bestLambda, 0.01);
    QVERIFY(std::abs(summaries[0].bestValue - 1.2e-5) < 1e-12); // the median seed
    QVERIFY(!summaries[0].divergesFrom);
    QVERIFY(summaries[1].divergesFrom);
    QCOMPARE(*summaries[1].divergesFrom, 10.0);
    QCOMPARE(std::round(summaries[1].decadesWithin2x), 2.0);
    const SweepPlot plot = sweepPlot(data, Theme::light());
    for (const PlotSeries &s : plot.series) {
        for (const QPointF &p : s.points)
            QVERIFY(std::isfinite(p.x()) && std::isfinite(p.y()));
    }
    // The word is at the best lambda's own point, in its method's colour.
    std::vector<PointMark> best;
    std::ranges::copy_if(plot.content.marks, std::back_inserter(best),
                         [](const PointMark &m) { return m.kind == PointMark::Kind::Best; });
    QCOMPARE(best.size(), std::size_t(2));
    for (std::size_t m = 0; m < 2; ++m) {
        QCOMPARE(best[m].text, QStringLiteral("best 10⁻²"));
        QCOMPARE(best[m].colour, plot.series[m].colour);
        QVERIFY(std::ranges::find(plot.series[m].points, best[m].at) != plot.series[m].points.end());
        QCOMPARE(best[m].at.x(), std::log10(summaries[m].bestLambda));
        QVERIFY(std::ranges::none_of(plot.series[m].points,
                                     [&](const QPointF &p) { return p.y() < best[m].at.y() - 1e-12; }));
    }
    const auto arrows = std::count_if(plot.content.marks.begin(), plot.content.marks.end(),
                                      [](const PointMark &m) { return m.kind == PointMark::Kind::Diverged; });
    QCOMPARE(arrows, 2);
    // Two methods that diverge at one place: two arrows side by side, the word once.
    SweepData both = data;
    for (SweepPoint &p : both.points) {
        if (p.lambda == 10)
            p.divergedAt = 2;
    }
    std::vector<QString> words;
    std::vector<double> shifts;
    for (const PointMark &m : sweepPlot(both, Theme::light()).content.marks) {
        if (m.kind == PointMark::Kind::Diverged && m.at.x() == 1) {
            words.push_back(m.text);
            shifts.push_back(m.shift);
        }
    }
    QCOMPARE(words.size(), std::size_t(2));
    QCOMPARE(std::count(words.begin(), words.end(), QString()), 1);
    QVERIFY(shifts[0] != shifts[1]);
    // A finite value far above the start is not a hole: an arrow at the edge, a dot again where the zoom shows it.
    SweepData high = data;
    for (SweepPoint &p : high.points) {
        if (p.lambda == 0.1 && p.method == QLatin1String("sgd"))
            p.loss.back() = 1e30;
    }
    const SweepPlot beyond = sweepPlot(high, Theme::light());
    const auto off = std::find_if(beyond.content.marks.begin(), beyond.content.marks.end(),
                                  [](const PointMark &m) { return m.kind == PointMark::Kind::Beyond; });
    QVERIFY(off != beyond.content.marks.end());
    QCOMPARE(off->at.x(), -1.0);
    QVERIFY(off->at.y() > beyond.content.y.hi);
    QVERIFY(!off->text.isEmpty());
    // One diverged seed of three is a wider band, not a hole.
    SweepData mixed = data;
    for (SweepPoint &p : mixed.points) {
        if (p.method == QLatin1String("dual-appa") && p.seed == 3)
            p.divergedAt = 1;
    }
    QVERIFY(std::isfinite(sweepCells(mixed)[0].median));
}

void TestFigures::aStudyUnderWayDoesNotMoveItsAxis()
{
    const auto axisOf = [](const SweepData &data) { return sweepPlot(data, Theme::light()).content.x; };
    const auto cellOf = [](const SweepData &data) {
        QImage image(600, 400, QImage::Format_RGB32);
        QPainter painter(&image);
        return paintHeatMaps(painter, image.rect(), data, Theme::light()).front().rect;
    };
    const SweepData all = smallSweep();
    SweepData some = all;
    some.points.resize(all.points.size() / 3);
    for (int e = -4; e <= 2; ++e)
        some.lambdas.push_back(std::pow(10.0, e));
    QCOMPARE(cellOf(some), cellOf(all));
    QCOMPARE(axisOf(some).lo, axisOf(all).lo);
    QCOMPARE(axisOf(some).hi, axisOf(all).hi);
    some.points.clear();
    QCOMPARE(axisOf(some).hi, axisOf(all).hi);
}

void TestFigures::aMissedTargetIsMarkedWhereALineEnds()
{
    SweepData data = smallSweep();
    data.quantity = SweepQuantity::PassesToTarget;
    data.target = 2.5e-5; // in five stages by dual-appa around its best lambda, by sgd nowhere
    const SweepPlot plot = sweepPlot(data, Theme::light());
    std::map<QRgb, std::vector<double>> missed;
    for (const PointMark &m : plot.content.marks)
        if (m.kind == PointMark::Kind::Diverged)
            missed[m.colour.rgb()].push_back(m.at.x());
    QCOMPARE(missed[plot.series[0].colour.rgb()], (std::vector<double>{-4, 0}));
    QCOMPARE(missed[plot.series[1].colour.rgb()], std::vector<double>{2});
    for (const PointMark &m : plot.content.marks) // what never reaches it has no best
        QVERIFY(m.kind != PointMark::Kind::Best || m.colour == plot.series[0].colour);
    // Beside each other, but not over the axis.
    const PlotFrame frame{.outer = {0, 0, 400, 300}, .title = {}, .plot = {50, 10, 340, 260}, .x = {0, 1}, .y = {0, 1}};
    const PointMark edge{PointMark::Kind::Diverged, {0, 1.001}, {}, Qt::red, -18};
    QVERIFY(placeOfMark(edge, {}, frame)->at.x() >= frame.plot.left());
}

void TestFigures::sweepDoubleClickOpensARun()
{
    SensitivityView view;
    view.resize(900, 600);
    view.setData(smallSweep());
    view.flush();
    QSignalSpy activated(&view, &SensitivityView::pointActivated);
    emit view.plot()->seriesDoubleClicked(0, -1.9);
    QCOMPARE(activated.size(), 1);
    const auto point = activated[0][0].value<SweepPoint>();
    QCOMPARE(point.method, QStringLiteral("dual-appa"));
    QCOMPARE(point.lambda, 0.01);
    view.setMode(SensitivityView::Mode::HeatMap);
    QVERIFY(!view.grab().isNull());
}

void TestFigures::stageRowsMeasureTheMovement()
{
    StageReport report;
    report.stage = 2;
    report.lambda = 1e-3;
    report.centre = Vector::Constant(4, 1.0);
    report.asked = 4;
    report.reached = 9;
    report.accesses = 300;
    const Vector before = Vector::Zero(4);
    const StageRow row = makeStageRow(report, &before, 100);
    QCOMPARE(row.movement, 2.0);
    QVERIFY(std::isnan(makeStageRow(report, nullptr, 100).movement));
    StageView view;
    view.resize(700, 500);
    StageRow next = row;
    next.stage = row.stage + 1;
    view.setStages(std::vector{row, next});
    QVERIFY(!view.grab().isNull());
    QVERIFY(!view.chosenStage());
    QTest::keyClick(&view, Qt::Key_Left);
    QCOMPARE(view.chosenStage(), std::optional(row.stage));
    QTest::keyClick(&view, Qt::Key_Right);
    QCOMPARE(view.chosenStage(), std::optional(next.stage));
    view.setStages(std::vector{row}); // the run went back
    QVERIFY(!view.chosenStage());
    QVERIFY(!view.grab().isNull());
}

void TestFigures::heatMapsSayWhatACellWithoutAValueIs()
{
    SweepData data = smallSweep();
    const auto words = [&data] {
        QImage image(900, 400, QImage::Format_RGB32);
        QPainter p(&image);
        QStringList all;
        for (const HeatCell &cell : paintHeatMaps(p, image.rect(), data, Theme::light()))
            all << cell.text;
        return all.join(u'\n');
    };
    QVERIFY(words().contains(QStringLiteral("diverged")));
    // A step size is called so, everything else λ.
    QVERIFY2(words().contains(QStringLiteral("SGD, step size 10⁻², after 5")), qPrintable(words()));
    QVERIFY2(words().contains(QStringLiteral("Dual APPA, λ = 10⁻², after 5")), qPrintable(words()));
    QVERIFY(words().contains(QStringLiteral("after 1 stage:")));
    data.quantity = SweepQuantity::PassesToTarget;
    data.target = 1e-9;
    QVERIFY(words().contains(QStringLiteral("not reached")));
    QVERIFY(!words().contains(QStringLiteral("diverged")));
}

void TestFigures::aViewIsAPngOrAPdf_data()
{
    QTest::addColumn<bool>("taken");
    for (const char *suffix : {"png", "PDF"})
        QTest::newRow(suffix) << true;
    for (const char *suffix : {"svg", "jpg"})
        QTest::newRow(suffix) << false;
}

void TestFigures::aViewIsAPngOrAPdf()
{
    QFETCH(bool, taken);
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("view.") + QString::fromLatin1(QTest::currentDataTag()));
    StageView view;
    view.resize(300, 200);
    const auto error = exportView(path, view, {});
    QCOMPARE(!error.has_value(), taken);
    QCOMPARE(QFile::exists(path), taken);
    QVERIFY(!error || QString::fromStdString(error->message).endsWith(QStringLiteral(".png or .pdf")));
}

void TestFigures::figuresAreValidFiles_data()
{
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<bool>("sweep");
    for (const char *suffix : {"png", "svg", "pdf"}) {
        QTest::addRow("curves.%s", suffix) << QString::fromLatin1(suffix) << false;
        QTest::addRow("sweep.%s", suffix) << QString::fromLatin1(suffix) << true;
    }
}

void TestFigures::figuresAreValidFiles()
{
    QFETCH(QString, suffix);
    QFETCH(bool, sweep);
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("figure.") + suffix);
    const FigureText text{QStringLiteral("A title"), QStringLiteral("mnist-6k"), QStringLiteral("squared loss, seed 7"),
                          QStringLiteral("appa-lab run")};
    FigureOptions options;
    options.size = {800, 600};
    options.pixelRatio = 1.5;
    const auto error =
        sweep ? exportSensitivity(path, smallSweep(), text, options) : exportCurves(path, twoCurves(), text, options);
    QVERIFY2(!error, error ? error->message.c_str() : "");
    const QByteArray bytes = contentsOf(path);
    if (suffix == QLatin1String("png")) {
        const QImage image(path);
        QCOMPARE(image.size(), QSize(1200, 900));
        QCOMPARE(image.pixelColor(1, 1), QColor(Qt::white));
        QVERIFY(image.text(QStringLiteral("Description")).contains(QStringLiteral("seed 7")));
    } else if (suffix == QLatin1String("svg")) {
        QVERIFY(QSvgRenderer(bytes).isValid());
        QCOMPARE(QSvgRenderer(bytes).viewBox(), QRect(0, 0, 800, 600));
        QVERIFY(bytes.contains("mnist-6k") && bytes.contains("seed 7") && bytes.contains("A title"));
    } else {
        QVERIFY(bytes.startsWith("%PDF-1."));
        QVERIFY(bytes.contains("/MediaBox [0 0 600.000000 450.000000]")); // points
        QVERIFY(bytes.trimmed().endsWith("%%EOF"));
        QVERIFY(bytes.contains("seed 7")); // the metadata
    }
}

void TestFigures::figureErrorsNameTheFile()
{
    const auto ending = exportCurves(QStringLiteral("figure.gif"), twoCurves(), {});
    QVERIFY(ending && ending->message.find("figure.gif") != std::string::npos);
    const auto folder = exportCurves(QStringLiteral("/nowhere/at/all/figure.png"), twoCurves(), {});
    QVERIFY(folder && folder->kind == Error::Kind::Io);
}

void TestFigures::aSmallFigureShowsTheWhole()
{
    const auto inked = [](const QImage &image) {
        QRect box;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                if (qGray(image.pixel(x, y)) < 200)
                    box |= QRect(x, y, 1, 1);
        return box;
    };
    FigureOptions options;
    options.size = {1000, 700};
    options.pixelRatio = 1;
    const QRect whole = inked(renderCurves(twoCurves(), {}, options));
    options.pixelRatio = 0.5;
    const QImage image = renderCurves(twoCurves(), {}, options);
    QCOMPARE(image.size(), QSize(500, 350));
    const QRect half = inked(image);
    QVERIFY(std::abs(2 * half.right() - whole.right()) <= 6);
    QVERIFY(std::abs(2 * half.bottom() - whole.bottom()) <= 6);
}

void TestFigures::aFigureNamesEveryRun()
{
    CurvesData data = twoCurves();
    for (int id = 3; id <= 15; ++id) {
        data.curves.push_back(data.curves[0]);
        data.curves.back().runId = id;
        data.curves.back().name = QStringLiteral("a run called %1").arg(id);
    }
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("figure.svg"));
    QVERIFY(!exportCurves(path, data, {}, {}));
    const QByteArray bytes = contentsOf(path);
    for (const Curve &c : data.curves)
        QVERIFY2(bytes.contains(c.name.toUtf8()), qPrintable(c.name));
}

void TestFigures::textNeverOverlapsInASmallFigure_data()
{
    QTest::addColumn<QSizeF>("size");
    QTest::addColumn<double>("type");
    QTest::newRow("small") << QSizeF(400, 300) << 1.0;
    QTest::newRow("smallest of the command line") << QSizeF(200, 150) << 1.0;
    QTest::newRow("large type") << QSizeF(1000, 720) << 3.0;
}

void TestFigures::textNeverOverlapsInASmallFigure()
{
    QFETCH(QSizeF, size);
    QFETCH(double, type);
    FigureOptions options;
    options.size = size;
    options.fontScale = type;
    const FigureText text{QStringLiteral("A title"),
                          QStringLiteral("mnist-6k (n = 6000, d = 1200)"),
                          QStringLiteral("run 1: Dual APPA, seed 7; run 2: SVRG, seed 7; run 3: SGD, seed 7"),
                          {}};
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("figure.svg"));
    QVERIFY(!exportCurves(path, twoCurves(), text, options));
    // Every line of text has a row of its own or a place of its own within it.
    QXmlStreamReader xml(contentsOf(path));
    QTransform place;
    std::vector<QRectF> boxes;
    while (!xml.atEnd()) {
        xml.readNext();
        if (!xml.isStartElement())
            continue;
        const QString matrix = xml.attributes().value(QLatin1String("transform")).toString();
        if (xml.name() == QLatin1String("g") && matrix.startsWith(QLatin1String("matrix("))) {
            const QStringList v = matrix.mid(7).chopped(1).split(u',');
            place = {v[0].toDouble(), v[1].toDouble(), v[2].toDouble(),
                     v[3].toDouble(), v[4].toDouble(), v[5].toDouble()};
            const double pixels = xml.attributes().value(QLatin1String("font-size")).toDouble();
            QVERIFY(pixels >= 0);
        } else if (xml.name() == QLatin1String("text") && place.m12() == 0) {
            QFont font(xml.attributes().value(QLatin1String("font-family")).toString());
            font.setPixelSize(std::max(1, xml.attributes().value(QLatin1String("font-size")).toInt()));
            const QPointF at(xml.attributes().value(QLatin1String("x")).toDouble(),
                             xml.attributes().value(QLatin1String("y")).toDouble());
            const QString words = xml.readElementText().trimmed();
            const QFontMetricsF m(font);
            // The letters' height without their air, which neighbours may share.
            const QRectF box =
                place.mapRect(QRectF(at.x(), at.y() - m.xHeight(), m.horizontalAdvance(words), m.xHeight()));
            QVERIFY2(QRectF(QPointF(), size).adjusted(-1, -1, 1, 1).contains(box), qPrintable(words));
            for (const QRectF &other : boxes)
                QVERIFY2(!other.intersects(box.adjusted(1, 0, -1, 0)), qPrintable(words));
            boxes.push_back(box);
        }
    }
    QVERIFY(boxes.size() > 10);
}

void TestFigures::aCaptionWithoutBlanksIsCutToo_data()
{
    QTest::addColumn<QString>("word");
    QTest::newRow("breaks anywhere") << QStringLiteral("数据集");
    QTest::newRow("breaks nowhere") << QStringLiteral("dataset");
}

void TestFigures::aCaptionWithoutBlanksIsCutToo()
{
    QFETCH(QString, word);
    FigureOptions options;
    options.size = {200, 150};
    options.fontScale = 2.5;
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("figure.svg"));
    QVERIFY(!exportCurves(path, twoCurves(), {{}, word.repeated(40), {}, {}}, options));
    QString drawn = QString::fromUtf8(contentsOf(path));
    drawn.remove(0, drawn.indexOf(QLatin1String("<g"))); // the description above has the whole name
    QVERIFY2(drawn.contains(word), qPrintable(drawn));
    QVERIFY2(drawn.count(word) < 40 && drawn.contains(QStringLiteral("…</text>")), qPrintable(drawn));
}

void TestFigures::thePreviewHasNoMorePixelsThanItsRoom()
{
    ExportDialog dialog(twoCurves(), {});
    dialog.show();
    for (QDoubleSpinBox *box : dialog.findChildren<QDoubleSpinBox *>())
        box->setValue(box->maximum());
    QTRY_VERIFY(!dialog.previewSize().isEmpty());
    QTRY_COMPARE(dialog.previewSize().width(), dialog.previewSize().height()); // 4000 x 4000
    QVERIFY(dialog.previewSize().width() <= dialog.width() * dialog.devicePixelRatioF());
    QCOMPARE(dialog.options().size, QSizeF(4000, 4000));
}

void TestFigures::theFileHasTheSizeThatWasAskedFor()
{
    QTemporaryDir folder;
    ExportDialog dialog(twoCurves(), {});
    auto *format = dialog.findChild<QComboBox *>();
    format->setCurrentIndex(0); // PNG
    const QList<QDoubleSpinBox *> boxes = dialog.findChildren<QDoubleSpinBox *>();
    const auto ask = [&](int width, int height) {
        boxes[0]->setValue(width);
        boxes[1]->setValue(height);
    };
    ask(1001, 700);
    QCOMPARE(boxes[0]->suffix().trimmed(), QStringLiteral("px"));
    const QString png = folder.filePath(QStringLiteral("figure.png"));
    QVERIFY(!exportCurves(png, dialog.data(), dialog.text(), dialog.options()));
    QCOMPARE(QImage(png).size(), QSize(1001, 700));
    format->setCurrentIndex(2); // PDF
    QCOMPARE(boxes[0]->suffix().trimmed(), QStringLiteral("mm"));
    QCOMPARE(boxes[0]->value(), 132.4); // 1001 px at 192 dpi
    ask(254, 127);
    const QString pdf = folder.filePath(QStringLiteral("figure.pdf"));
    QVERIFY(!exportCurves(pdf, dialog.data(), dialog.text(), dialog.options()));
    QVERIFY(contentsOf(pdf).contains("/MediaBox [0 0 720.000000 360.000000]"));
    format->setCurrentIndex(0);
    QCOMPARE(boxes[0]->value(), 1920.0);
}

void TestFigures::aColumnOfAPaperCanBeAskedFor_data()
{
    QTest::addColumn<QLocale>("locale");
    QTest::newRow("decimal point") << QLocale(QLocale::English, QLocale::UnitedStates);
    QTest::newRow("decimal comma") << QLocale(QLocale::German, QLocale::Germany);
}

void TestFigures::aColumnOfAPaperCanBeAskedFor()
{
    QFETCH(const QLocale, locale);
    const QLocale before;
    QLocale::setDefault(locale);
    const auto restore = qScopeGuard([&] { QLocale::setDefault(before); });
    ExportDialog dialog(twoCurves(), {});
    const QList<QComboBox *> combos = dialog.findChildren<QComboBox *>();
    combos[0]->setCurrentIndex(2); // PDF
    QDoubleSpinBox *width = dialog.findChildren<QDoubleSpinBox *>().front();
    const auto type = [&](const QString &text) {
        width->selectAll();
        QTest::keyClicks(width, text);
        width->interpretText(); // as when it loses the focus
    };
    for (const char *typed : {"82.5", "82,5"}) {
        type(QStringLiteral("90"));
        type(QString::fromLatin1(typed));
        QCOMPARE(width->text(), QStringLiteral("82.5 mm"));
        QVERIFY(std::abs(dialog.options().size.width() * 25.4 / 96 - 82.5) < 0.01);
    }
    type(QStringLiteral("3")); // as near to it as it goes, and the range is said
    QCOMPARE(width->value(), width->minimum());
    const QList<QLabel *> labels = dialog.findChildren<QLabel *>();
    QVERIFY(std::ranges::any_of(
        labels, [&](const QLabel *label) { return label->text().contains(QString::number(width->minimum())); }));
    QComboBox *sizes = combos[2];
    for (int i = 0; i + 1 < sizes->count(); ++i) {
        sizes->setCurrentIndex(i);
        emit sizes->activated(i);
        QCOMPARE(sizes->currentIndex(), i);
    }
    width->stepBy(1);
    QCOMPARE(sizes->currentIndex(), sizes->count() - 1); // one's own
}

void TestFigures::aFigureHasOnlyWhatIsSwitchedOn()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("figure.svg"));
    const FigureText said{.title = {}, .dataset = QStringLiteral("DATA"), .parameters = {}, .command = {}};
    const auto drawn = [&](const FigureOptions &options) {
        exportCurves(path, twoCurves(), said, options);
        QStringList texts;
        QXmlStreamReader xml(contentsOf(path));
        while (!xml.atEnd())
            if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QLatin1String("text"))
                texts << xml.readElementText();
        return texts;
    };
    const QStringList all = drawn({});
    QVERIFY(all.contains(QStringLiteral("DATA")));
    QCOMPARE(all.count(QStringLiteral("run 1")), 4); // in both charts, in the legend and at its line
    QVERIFY(all.contains(QStringLiteral("F(x) − Fᵒᵖᵗ")));
    FigureOptions options;
    options.showLabels = options.showValues = options.showCaption = false;
    const QStringList bare = drawn(options);
    QVERIFY(!bare.contains(QStringLiteral("DATA")));
    QVERIFY(contentsOf(path).contains("DATA")); // the file knows it all the same
    QCOMPARE(bare.count(QStringLiteral("run 1")), 1);
    QVERIFY(bare.size() <= all.size() - 8); // a caption, three names, four values
}

QTEST_MAIN(TestFigures)
#include "tst_ui_figures.moc"
