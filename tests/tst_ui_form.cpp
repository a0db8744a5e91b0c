#include "dialogs/OpenDialog.h"
#include "form/FormBox.h"
#include "form/LogSlider.h"
#include "form/ParamField.h"
#include "form/ParamForm.h"
#include "form/ParamText.h"
#include "panels/TransformEditor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QStyle>
#include <QStyleFactory>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTemporaryFile>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace appa;
using namespace appa::ui;

Q_DECLARE_METATYPE(appa::ParamValue)

namespace {

ParamSpec lambdaSpec()
{
    return {.key = "lambda",
            .label = "λ",
            .help = "weight",
            .type = ParamSpec::Type::Real,
            .defaultValue = std::string("auto"),
            .min = 1e-12,
            .max = 1e12,
            .scale = ParamSpec::Scale::Log,
            .allowAuto = true,
            .choices = {}};
}

ParamSpec choiceSpec()
{
    return {.key = "stage",
            .label = "Stage rule",
            .help = "",
            .type = ParamSpec::Type::Choice,
            .defaultValue = std::string("fixed"),
            .change = ParamSpec::Change::Restart,
            .choices = {"fixed", "certified"}};
}

ParamSpec switchSpec()
{
    return {.key = "decrease",
            .label = "Decrease λ",
            .help = "",
            .type = ParamSpec::Type::Switch,
            .defaultValue = false,
            .choices = {}};
}

ParamSpec integerSpec()
{
    return {.key = "stages",
            .label = "Stages",
            .help = "",
            .type = ParamSpec::Type::Integer,
            .defaultValue = 20.0,
            .min = 0,
            .max = 100,
            .choices = {}};
}

double number(const QVariant &value)
{
    return std::get<double>(value.value<ParamValue>());
}

} // namespace

class TestForm : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase() { qRegisterMetaType<ParamValue>("appa::ParamValue"); }

    void writesNumbersAsAPersonWould_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("text");
        QTest::newRow("zero") << 0.0 << QStringLiteral("0");
        QTest::newRow("small") << 3.16e-4 << QStringLiteral("3.16e−4");
        QTest::newRow("power") << 1e-5 << QStringLiteral("1e−5");
        QTest::newRow("plain") << 0.01 << QStringLiteral("0.01");
        QTest::newRow("count") << 20.0 << QStringLiteral("20");
        QTest::newRow("large") << 1e7 << QStringLiteral("1e7");
    }
    void writesNumbersAsAPersonWould()
    {
        QFETCH(double, value);
        QTEST(paramText(value), "text");
        QCOMPARE(plainText(paramText(value)).toDouble(), value);
    }

    void stepsOnTheGridOfTenths_data()
    {
        QTest::addColumn<double>("from");
        QTest::addColumn<int>("tenths");
        QTest::addColumn<double>("to");
        QTest::newRow("up") << 1e-3 << 1 << 1.26e-3;
        QTest::newRow("down") << 1e-3 << -1 << 7.94e-4;
        QTest::newRow("decade up") << 1e-3 << 10 << 1e-2;
        QTest::newRow("decade down") << 2.51e-3 << -10 << 2.51e-4;
        QTest::newRow("off the grid, up") << 1.1e-3 << 1 << 1.26e-3;
        QTest::newRow("off the grid, down") << 1.1e-3 << -1 << 1e-3;
    }
    void stepsOnTheGridOfTenths()
    {
        QFETCH(double, from);
        QFETCH(int, tenths);
        QTEST(LogSlider::stepped(from, tenths), "to");
    }

    void tenStepsUpAreADecade()
    {
        double v = 1e-4;
        for (int i = 0; i < 10; ++i)
            v = LogSlider::stepped(v, 1);
        QCOMPARE(v, 1e-3);
    }

    void keysOnTheSliderMoveLambda()
    {
        ParamField field(lambdaSpec(), ParamField::Style::Prominent);
        field.showValue(1e-3, 1e-3);
        QSignalSpy edited(&field, &ParamField::edited);
        QTest::keyClick(field.slider(), Qt::Key_Up);
        QTest::keyClick(field.slider(), Qt::Key_PageDown);
        QCOMPARE(edited.count(), 2);
        QCOMPARE(number(edited[0][1]), 1.26e-3);
        QCOMPARE(number(edited[1][1]), 1.26e-4);
        QCOMPARE(field.lineEdit()->text(), QStringLiteral("1.26e−4"));
        QTest::keyClick(field.lineEdit(), Qt::Key_PageUp);
        QCOMPARE(number(edited[2][1]), 1.26e-3);
        QCOMPARE(field.slider()->value(), 1.26e-3);
    }

    void theWheelStepsByItsClicksHoweverTheyCome()
    {
        LogSlider slider;
        slider.setValue(1e-3);
        slider.show();
        slider.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&slider));
        slider.setFocus();
        QSignalSpy moved(&slider, &LogSlider::moved);
        const auto turn = [&](int x, int y) {
            const QPointF at = QRectF(slider.rect()).center();
            QWheelEvent event(at, slider.mapToGlobal(at), {}, {x, y}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                              false);
            QCoreApplication::sendEvent(&slider, &event);
        };
        for (int i = 0; i < 15; ++i)
            turn(-8, 8); // of a touchpad
        QCOMPARE(moved.count(), 1);
        QCOMPARE(slider.value(), LogSlider::stepped(1e-3, 1));
        for (int i = 0; i < 15; ++i)
            turn(30, 0); // to the side
        QCOMPARE(moved.count(), 1);
        turn(0, -120);
        QCOMPARE(slider.value(), 1e-3);
    }

    void draggingTheSliderGivesRoundedValuesAcrossTheDecades()
    {
        ParamField field(lambdaSpec(), ParamField::Style::Prominent);
        field.resize(320, 80);
        field.showValue(1.0, 1.0);
        QTest::qWait(0);
        LogSlider *slider = field.slider();
        QSignalSpy edited(&field, &ParamField::edited);
        QTest::mousePress(slider, Qt::LeftButton, {}, QPoint(slider->width() / 2, 8));
        QTest::mouseMove(slider, QPoint(slider->width() / 4, 8));
        QTest::mouseRelease(slider, Qt::LeftButton, {}, QPoint(slider->width() / 4, 8));
        QVERIFY(!edited.isEmpty());
        const double v = number(edited.last()[1]);
        QVERIFY2(v > 1e-6 && v < 1e-3, qPrintable(QString::number(v)));
        const double scaled = v / std::pow(10, std::floor(std::log10(v)));
        QVERIFY2(std::abs(scaled * 100 - std::round(scaled * 100)) < 1e-9, "three significant digits");
    }

    void refusesWhatDoesNotFitWithASentence_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::newRow("word") << QStringLiteral("abc");
        QTest::newRow("zero") << QStringLiteral("0");
        QTest::newRow("negative") << QStringLiteral("-1");
        QTest::newRow("too large") << QStringLiteral("1e20");
        QTest::newRow("nan") << QStringLiteral("nan");
        QTest::newRow("empty") << QString();
    }
    void refusesWhatDoesNotFitWithASentence()
    {
        QFETCH(QString, typed);
        ParamField field(lambdaSpec(), ParamField::Style::Prominent);
        field.showValue(1e-3, 1e-3);
        QSignalSpy edited(&field, &ParamField::edited);
        field.lineEdit()->selectAll();
        if (typed.isEmpty())
            QTest::keyClick(field.lineEdit(), Qt::Key_Delete);
        else
            QTest::keyClicks(field.lineEdit(), typed);
        QTest::keyClick(field.lineEdit(), Qt::Key_Return);
        QCOMPARE(edited.count(), 0);
        QVERIFY(!field.errorText().isEmpty());
        QTest::keyClick(field.lineEdit(), Qt::Key_Escape);
        QVERIFY(field.errorText().isEmpty());
        QCOMPARE(field.lineEdit()->text(), QStringLiteral("1e−3"));
    }

    void saysWhatDoesNotFitInTheWindowsOwnWords()
    {
        ParamField field(lambdaSpec(), ParamField::Style::Prominent);
        field.lineEdit()->selectAll();
        QTest::keyClicks(field.lineEdit(), QStringLiteral("1e99"));
        QTest::keyClick(field.lineEdit(), Qt::Key_Return);
        QCOMPARE(field.errorText().section(u',', 0, 0), QStringLiteral("λ must be a number from 10⁻¹² to 10¹²"));
        QVERIFY2(field.errorText().endsWith(field.lineEdit()->text() + QStringLiteral("'.")),
                 qPrintable(field.errorText()));
    }

    void aSliderDoesNotShowAValueBeyondItsEndAsTheEnd()
    {
        LogSlider slider;
        slider.resize(300, slider.sizeHint().height());
        slider.setLimits(1e-40, 1e40);
        const auto look = [&](double value, int beyond) {
            slider.setValue(value);
            return slider.beyond() == beyond ? slider.grab().toImage() : QImage();
        };
        for (const auto &[end, farther, way] : {std::tuple(1e-8, 5e-10, -1), std::tuple(1e8, 1e40, 1)}) {
            const QImage atEnd = look(end, 0);
            const QImage beyond = look(farther, way);
            QVERIFY(!atEnd.isNull() && !beyond.isNull());
            QVERIFY(atEnd != beyond);
        }
    }

    void acceptsTheTrueMinusItShows()
    {
        ParamField field(lambdaSpec(), ParamField::Style::Plain);
        QSignalSpy edited(&field, &ParamField::edited);
        field.lineEdit()->selectAll();
        field.lineEdit()->insert(QStringLiteral("2.5e−6")); // keyClicks knows ASCII only
        field.lineEdit()->setModified(true);
        QTest::keyClick(field.lineEdit(), Qt::Key_Return);
        QCOMPARE(edited.count(), 1);
        QCOMPARE(number(edited[0][1]), 2.5e-6);
    }

    void showsWhatAutoCameTo()
    {
        ParamField field(lambdaSpec(), ParamField::Style::Prominent);
        field.showValue(std::string("auto"), 0.0123);
        QVERIFY(field.autoButton()->isChecked());
        QVERIFY2(field.lineEdit()->text().startsWith(QStringLiteral("auto (")), qPrintable(field.lineEdit()->text()));
        QCOMPARE(field.slider()->value(), 0.0123);
        QSignalSpy edited(&field, &ParamField::edited);
        field.autoButton()->click();
        QCOMPARE(number(edited[0][1]), 0.0123);
        field.autoButton()->click();
        QCOMPARE(std::get<std::string>(edited[1][1].value<ParamValue>()), std::string("auto"));
    }

    void anAutoThatIsNotKnownYetIsNotSteppedFrom()
    {
        ParamField field(lambdaSpec(), ParamField::Style::Prominent);
        field.showValue(std::string("auto"), std::string("auto"));
        QSignalSpy edited(&field, &ParamField::edited);
        field.stepBy(1);
        QCOMPARE(edited.count(), 0);
        field.showValue(std::string("auto"), 0.01);
        field.stepBy(10);
        QCOMPARE(number(edited[0][1]), 0.1);
    }

    void doesNotDisturbAnEditThatIsGoingOn()
    {
        ParamField field(integerSpec(), ParamField::Style::Plain);
        field.lineEdit()->selectAll();
        QTest::keyClicks(field.lineEdit(), QStringLiteral("3"));
        field.showValue(50.0, 50.0);
        QCOMPARE(field.lineEdit()->text(), QStringLiteral("3"));
        QTest::keyClick(field.lineEdit(), Qt::Key_Return);
        // The run reports what is in effect a little later: then that is shown again.
        QTRY_VERIFY((field.showValue(50.0, 50.0), field.lineEdit()->text() == QStringLiteral("50")));
    }

    void showsWhatWasReportedDuringAnEditOnceThatIsOver()
    {
        ParamField field(lambdaSpec(), ParamField::Style::Prominent);
        field.showValue(std::string("auto"), 0.5);
        field.autoButton()->click();
        field.slider()->setFocus();
        QTest::keyClick(field.slider(), Qt::Key_PageDown);
        field.showValue(0.05, 0.05);
        field.autoButton()->click();
        field.showValue(std::string("auto"), 0.5); // the run's answer, at once, and only once
        QTRY_VERIFY2(field.lineEdit()->text().startsWith(QStringLiteral("auto (0.5")),
                     qPrintable(field.lineEdit()->text()));
        QCOMPARE(field.slider()->value(), 0.5);
    }

    void anEditOutlivesWhatWasReportedBeforeIt()
    {
        ParamForm form;
        form.setSpecs({integerSpec()});
        ParamField *field = form.field(QStringLiteral("stages"));
        QTest::keyClick(field->lineEdit(), Qt::Key_Up); // 21
        field->showValue(20.0, 20.0);                   // what was under way
        QTest::keyClick(field->lineEdit(), Qt::Key_Up);
        const QTimer *quiet = field->findChild<QTimer *>();
        QTRY_VERIFY(!quiet->isActive());
        QCOMPARE(std::get<double>(field->value()), 22.0);
        QTest::keyClick(field->lineEdit(), Qt::Key_Up);
        field->showValue(20.0, 20.0);
        field->forgetEdit(); // what comes now belongs to something else
        field->showValue(5.0, 5.0);
        QVERIFY(!quiet->isActive());
        QCOMPARE(field->lineEdit()->text(), QStringLiteral("5"));
    }

    void theParametersOfATransformAreThoseOfTheOneChosen()
    {
        TransformEditor editor;
        editor.setTransforms(
            {{.kind = Transform::Kind::FirstRows, .count = 500}, {.kind = Transform::Kind::FirstRows, .count = 200}});
        auto *form = editor.findChild<ParamForm *>();
        editor.list()->setCurrentRow(0);
        const auto field = [&] { return form->field(QStringLiteral("count")); };
        field()->stepBy(1);
        field()->stepBy(1); // waits in the form
        editor.list()->setCurrentRow(1);
        QCOMPARE(field()->lineEdit()->text(), QStringLiteral("200"));
        QCOMPARE(editor.transforms()[0].count, Index(502));
        QCOMPARE(editor.transforms()[1].count, Index(200));
    }

    void roundsWhatIsMeasuredButNoSeed()
    {
        ParamSpec seed = integerSpec();
        seed.max = 9007199254740992.0;
        ParamField field(seed, ParamField::Style::Plain);
        field.showValue(123456789.0, 123456789.0);
        QCOMPARE(field.lineEdit()->text(), QStringLiteral("123456789"));
        field.showValue(9007199254740991.0, 9007199254740991.0);
        QCOMPARE(field.lineEdit()->text(), QStringLiteral("9007199254740991"));
        QCOMPARE(shortText(lambdaSpec(), 0.00012345678901), QStringLiteral("1.2346e−4"));
        QCOMPARE(shortText(lambdaSpec(), 0.0125), QStringLiteral("0.0125"));
    }

    void buildsAFieldForEveryKindAndMarksRestarts()
    {
        ParamForm form;
        form.setSpecs({lambdaSpec(), choiceSpec(), switchSpec(), integerSpec()});
        QVERIFY(form.field(QStringLiteral("lambda"))->slider());
        QVERIFY(form.field(QStringLiteral("stage"))->comboBox());
        QVERIFY(form.field(QStringLiteral("decrease"))->checkBox());
        QVERIFY(form.field(QStringLiteral("stages"))->lineEdit());
        ParamSet effective;
        effective.set("stage", std::string("fixed"));
        ParamSet pending;
        pending.set("stage", std::string("certified"));
        form.setValues({}, effective, pending);
        QVERIFY(form.field(QStringLiteral("stage"))->isPending());
        QVERIFY(form.field(QStringLiteral("stage"))->errorText().contains(QStringLiteral("fixed")));
        form.setValues({}, effective, {});
        QVERIFY(!form.field(QStringLiteral("stage"))->isPending());
    }

    void whatWaitsForARestartIsSaidForAsLongAsItWaits()
    {
        ParamForm form;
        ParamSpec stages = integerSpec();
        stages.change = ParamSpec::Change::Restart;
        form.setSpecs({stages});
        ParamField *field = form.field(QStringLiteral("stages"));
        ParamSet effective;
        effective.set("stages", 20.0);
        form.setValues(effective, effective);
        QTest::keyClick(field->lineEdit(), Qt::Key_Up); // by the user: 21
        ParamSet pending;
        pending.set("stages", 21.0);
        form.setValues(effective, effective, pending); // while the edit is fresh
        QVERIFY2(field->errorText().endsWith(QStringLiteral("in effect now: 20")), qPrintable(field->errorText()));
        field->forgetEdit();
        form.setValues(effective, effective, pending); // and later
        QVERIFY2(field->errorText().endsWith(QStringLiteral("in effect now: 20")), qPrintable(field->errorText()));
        form.setValues(pending, pending);
        QCOMPARE(field->errorText(), QString());
    }

    void showsOnlyWhatHasAnEffect()
    {
        ParamForm form;
        ParamSpec factor = integerSpec();
        factor.key = "factor";
        factor.onlyIf = "decrease=on";
        ParamSpec budget = integerSpec();
        budget.onlyIf = "rule=certified"; // of a parameter this method does not have
        form.setSpecs({switchSpec(), factor, budget});
        ParamSet off;
        off.set("decrease", false);
        form.setValues(off, off);
        QVERIFY(form.field(QStringLiteral("factor"))->isHidden());
        QVERIFY(!form.field(QStringLiteral("stages"))->isHidden());
        form.field(QStringLiteral("decrease"))->checkBox()->click();
        QVERIFY(!form.field(QStringLiteral("factor"))->isHidden());
        ParamSet on;
        on.set("decrease", true);
        form.setValues(on, on);
        QVERIFY(!form.field(QStringLiteral("factor"))->isHidden());
    }

    void keepsTheFieldsThatStayWhenTheMethodChanges()
    {
        ParamForm form;
        form.setSpecs({lambdaSpec(), integerSpec()});
        const ParamField *kept = form.field(QStringLiteral("lambda"));
        form.setSpecs({lambdaSpec(), switchSpec()});
        QCOMPARE(form.field(QStringLiteral("lambda")), kept);
        QVERIFY(!form.field(QStringLiteral("stages")));
        QVERIFY(form.field(QStringLiteral("decrease")));
    }

    void aDragLeavesTheFormAtAGentlePaceAndEndsExact()
    {
        ParamForm form;
        form.setSpecs({lambdaSpec()});
        ParamField *field = form.field(QStringLiteral("lambda"));
        field->showValue(1e-3, 1e-3);
        QSignalSpy edited(&form, &ParamForm::edited);
        for (int i = 0; i < 50; ++i)
            QTest::keyClick(field->slider(), Qt::Key_Up);
        const double last = field->slider()->value();
        QVERIFY2(edited.count() < 25, "coalesced");
        QTRY_COMPARE(number(edited.last()[1]), last);
    }

    void anAutomaticChoiceSaysWhatItStandsFor()
    {
        ParamField field({.key = "order",
                          .label = "Order of rows",
                          .help = "",
                          .type = ParamSpec::Type::Choice,
                          .defaultValue = std::string("auto"),
                          .choices = {"auto", "random", "permutation"}},
                         ParamField::Style::Plain);
        QCOMPARE(field.comboBox()->currentText(), QStringLiteral("auto"));
        field.showValue(std::string("auto"), std::string("permutation"));
        QCOMPARE(field.comboBox()->currentText(), QStringLiteral("auto (permutation)"));
        field.showValue(std::string("random"), std::string("random"));
        QCOMPARE(field.comboBox()->currentText(), QStringLiteral("random"));
        QCOMPARE(field.comboBox()->itemText(0), QStringLiteral("auto"));
        // Whatever the text, the word is what is chosen.
        field.showValue(std::string("auto"), std::string("permutation"));
        QSignalSpy edited(&field, &ParamField::edited);
        field.comboBox()->setCurrentIndex(1);
        emit field.comboBox()->activated(1);
        field.comboBox()->setCurrentIndex(0);
        emit field.comboBox()->activated(0);
        QCOMPARE(edited.size(), 2);
        QCOMPARE(std::get<std::string>(edited[0][1].value<ParamValue>()), std::string("random"));
        QCOMPARE(std::get<std::string>(edited[1][1].value<ParamValue>()), std::string("auto"));
    }

    void theOpenDialogSaysAMistakeOnceBesideTheRows()
    {
        QTemporaryDir folder;
        const auto labelsWith = [](const OpenDialog &dialog, const QString &words) {
            const auto labels = dialog.findChildren<QLabel *>();
            return std::ranges::count_if(labels, [&](const QLabel *l) { return l->text().contains(words); });
        };
        const auto write = [&](const QString &name, const QByteArray &content) {
            QFile file(folder.filePath(name));
            [&] { QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size()); }();
            return file.fileName();
        };
        const Theme theme;
        OpenDialog wrong(write(QStringLiteral("wrong.txt"), "+1 1:0.5\n-1 2:abc\n"), theme);
        QTRY_COMPARE(wrong.findChild<QTableWidget *>()->rowCount(), 2);
        QTRY_VERIFY(wrong.summary().contains(QStringLiteral("line 2, column 6")));
        QCOMPARE(labelsWith(wrong, QStringLiteral("line 2, column 6")), 1);
        QCOMPARE(labelsWith(wrong, QStringLiteral("Format: libsvm")), 1);
        OpenDialog unknown(write(QStringLiteral("unknown.txt"), "It was a dark night\n"), theme);
        QTRY_VERIFY(unknown.summary().contains(QStringLiteral("neither LIBSVM")));
        QCOMPARE(labelsWith(unknown, QStringLiteral("neither LIBSVM")), 1);
    }

    void whatIsWrongWithAFileDoesNotMoveItsFields()
    {
        const Theme theme;
        QTemporaryFile file(QDir::temp().filePath(QStringLiteral("XXXXXX.csv")));
        QVERIFY(file.open());
        for (int i = 0; i < 20; ++i)
            file.write(i == 7 ? "1,,1\n" : "1,2,-1\n");
        file.close();
        OpenDialog dialog(file.fileName(), theme);
        dialog.show();
        const auto place = [&] { return dialog.missingField()->mapTo(&dialog, QPoint()).y(); };
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.remedyButtons().isEmpty(), 20000);
        QTRY_VERIFY(dialog.missingField()->isVisible());
        QCoreApplication::processEvents();
        const int before = place();
        dialog.missingField()->setCurrentIndex(1);
        QTRY_VERIFY_WITH_TIMEOUT(dialog.openButton()->isEnabled(), 20000);
        QCoreApplication::processEvents();
        QCOMPARE(place(), before);
        dialog.missingField()->setCurrentIndex(0);
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.remedyButtons().isEmpty(), 20000);
        QCoreApplication::processEvents();
        QCOMPARE(place(), before);
        QVERIFY(dialog.remedyButtons().constFirst()->isVisible());
    }

    void theOpenDialogComesUpWithItsTitleOnTheScreen()
    {
        QTemporaryFile file;
        QVERIFY(file.open());
        file.write("+1 1:0.5\n-1 2:3\n");
        file.close();
        OpenDialog dialog(file.fileName(), Theme());
        const QRect room = dialog.screen()->availableGeometry();
        dialog.move(room.left() + 50, room.top() - 40); // where a window that is not placed yet would have its middle
        dialog.show();
        QTRY_COMPARE(dialog.frameGeometry().top(), room.top());
        dialog.move(room.left() + 60, room.top() - 30); // by the window manager, once it has its frame
        QTRY_COMPARE(dialog.frameGeometry().top(), room.top());
        QCOMPARE(dialog.frameGeometry().left(), room.left() + 60);
    }

    void onlyTheLabelOfSparseRowsHasATitle()
    {
        QTemporaryFile file;
        QVERIFY(file.open());
        file.write("+1 1:0.5 7:1\n-1 2:3\n");
        file.close();
        OpenDialog dialog(file.fileName(), Theme());
        QTRY_COMPARE_WITH_TIMEOUT(dialog.headTable()->columnCount(), 3, 20000);
        const auto title = [&](int column) { return dialog.headTable()->horizontalHeaderItem(column)->text(); };
        QCOMPARE(title(0), QStringLiteral("label"));
        QCOMPARE(title(1), QString());
        QCOMPARE(title(2), QString());
    }

    void theOpenDialogChoosesTheColumnsOfATable()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("people.csv")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("id,city,age,y\na-1,Rome,30,0\na-2,Oslo,,1\na-3,Bonn,50,0\na-4,Rome,60,1\n");
        file.close();
        const Theme theme;
        OpenDialog dialog(file.fileName(), theme);
        dialog.show();
        QTRY_VERIFY(dialog.summary().contains(QStringLiteral("column 1 (id)")));
        QVERIFY(!dialog.openButton()->isEnabled());
        // A click on the title leaves the column out, a second one takes it back.
        QTRY_COMPARE(dialog.headTable()->columnCount(), 4);
        QHeaderView *titles = dialog.headTable()->horizontalHeader();
        const auto click = [&](int column) {
            const QPoint at(titles->sectionViewportPosition(column) + titles->sectionSize(column) / 2,
                            titles->height() / 2);
            QTest::mouseClick(titles->viewport(), Qt::LeftButton, {}, at);
        };
        click(0);
        QCOMPARE(dialog.dropField()->text(), QStringLiteral("id"));
        QVERIFY(dialog.headTable()->horizontalHeaderItem(0)->font().strikeOut());
        click(2);
        QCOMPARE(dialog.dropField()->text(), QStringLiteral("id,age"));
        click(2);
        QCOMPARE(dialog.dropField()->text(), QStringLiteral("id"));
        click(3); // the label stays
        QCOMPARE(dialog.dropField()->text(), QStringLiteral("id"));
        QTRY_VERIFY(dialog.summary().contains(QStringLiteral("column 2 (city)")));
        dialog.wordsField()->setCurrentIndex(1);
        QTRY_VERIFY(dialog.summary().contains(QStringLiteral("column 3 (age)")));
        dialog.missingField()->setCurrentIndex(2);
        QTRY_VERIFY(dialog.openButton()->isEnabled());
        QVERIFY2(dialog.summary().contains(QStringLiteral("4 rows, 4 features")), qPrintable(dialog.summary()));
        QVERIFY2(dialog.minimumSizeHint().height() <= 540 - 28, // a small screen, less the frame
                 qPrintable(QString::number(dialog.minimumSizeHint().height())));
        // Where there is room no field is scrolled away.
        dialog.resize(dialog.width(), 900);
        const auto *fields = dialog.findChild<QScrollArea *>(QStringLiteral("fields"));
        QTRY_COMPARE(fields->verticalScrollBar()->maximum(), 0);
        // Ages beside zeros and ones.
        QVERIFY2(!dialog.summary().contains(QStringLiteral("-fold")), qPrintable(dialog.summary()));
        dialog.standardizeField()->setChecked(true);
        QTRY_VERIFY(dialog.summary().contains(QStringLiteral("standardize columns")));
        const ColumnChoice columns = dialog.recipe().columns;
        QCOMPARE(columns.dropped, std::vector<std::string>{"id"});
        QVERIFY(columns.words == ColumnChoice::Words::Indicators && columns.missing == ColumnChoice::Missing::Mean);
    }

    void whatTheOpenDialogAdvisesIsAClickAway_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QStringList>("clicks"); // one after the other, until the file can be opened
        QTest::addColumn<QString>("features");
        const auto row = [](const char *name, const QByteArray &content, const QStringList &clicks,
                            const char *features) {
            QTest::newRow(name) << content << clicks << QString::fromLatin1(features);
        };
        const QByteArray people = "id,city,age,y\na-1,Rome,30,0\na-2,Oslo,,1\na-3,Rome,50,0\na-4,Rome,60,1\n";
        row("leave columns out, fill in means", people,
            {QStringLiteral("Leave out column “id”"), QStringLiteral("Leave out column “city”"),
             QStringLiteral("Fill in the mean")},
            "4 rows, 1 features");
        row("words, rows", people,
            {QStringLiteral("Leave out column “id”"), QStringLiteral("Words to zeros and ones"),
             QStringLiteral("Leave such rows out")},
            "3 rows, 2 features");
        row("the label", "kind,a,b\nx,1,2\ny,2,3\nx,3,5\ny,4,1\n", {QStringLiteral("Take column “kind” as the label")},
            "4 rows, 2 features");
        row("by number, where names do not tell", "a,a,y\nx,1,0\ny,2,1\n", {QStringLiteral("Leave out column “1”")},
            "2 rows, 1 features");
        row("real numbers", "a,y\n1,7\n2,7\n3,7\n", {QStringLiteral("Take them as real numbers")},
            "3 rows, 1 features");
        row("double precision", "a,y\n1e60,0\n2e60,1\n", {QStringLiteral("Store in double precision")},
            "2 rows, 1 features");
    }

    void whatTheOpenDialogAdvisesIsAClickAway()
    {
        QFETCH(const QByteArray, content);
        QFETCH(const QStringList, clicks);
        QFETCH(const QString, features);
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("table.csv")));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
        file.close();
        OpenDialog dialog(file.fileName(), Theme());
        dialog.show();
        const auto button = [&](const QString &text) {
            const auto all = dialog.remedyButtons();
            const auto it =
                std::ranges::find_if(all, [&](const QPushButton *b) { return b->text() == text && b->isEnabled(); });
            return it == all.end() ? nullptr : *it;
        };
        for (const QString &text : clicks) {
            QTRY_VERIFY2(button(text), qPrintable(text + u'\n' + dialog.summary()));
            QVERIFY(!dialog.openButton()->isEnabled());
            button(text)->click();
            QVERIFY(!button(text)); // not twice
        }
        QTRY_VERIFY2(dialog.openButton()->isEnabled(), qPrintable(dialog.summary()));
        QVERIFY2(dialog.summary().contains(features), qPrintable(dialog.summary()));
        QVERIFY(dialog.remedyButtons().isEmpty());
        // Read once more in the same way, nothing is left to advise.
        OpenDialog again(file.fileName(), Theme());
        again.setRecipe(dialog.recipe());
        QTRY_VERIFY2(again.openButton()->isEnabled(), qPrintable(again.summary()));
        QCOMPARE(again.recipe(), dialog.recipe());
    }

    void adviceThatOnlyTheUserCanFollowLeadsToItsField()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("table.csv")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("a,kind\n1,x\n2,y\n");
        file.close();
        OpenDialog dialog(file.fileName(), Theme());
        dialog.show();
        dialog.regressionField()->setChecked(true); // of words
        QTRY_COMPARE(dialog.remedyButtons().size(), 1);
        QCOMPARE(dialog.remedyButtons()[0]->text(), QStringLiteral("Choose another label"));
        dialog.remedyButtons()[0]->click();
        QCOMPARE(dialog.focusWidget(), dialog.labelField());
    }

    void theTestSetBesideALibsvmFileIsAClickAway()
    {
        QTemporaryDir folder;
        for (const char *name : {"small.gz", "small.t"}) {
            QFile file(folder.filePath(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write("1 1:1 2:3\n-1 1:2\n1 2:1\n") > 0);
        }
        OpenDialog dialog(folder.filePath(QStringLiteral("small.gz")), Theme());
        dialog.show();
        QTRY_VERIFY2(dialog.openButton()->isEnabled(), qPrintable(dialog.summary()));
        QVERIFY2(dialog.summary().contains("<b>3 rows, 2 features</b>, 0 test rows"), qPrintable(dialog.summary()));
        QCOMPARE(dialog.remedyButtons().size(), 1);
        QCOMPARE(dialog.remedyButtons()[0]->text(), QStringLiteral("Test on small.t"));
        dialog.remedyButtons()[0]->click();
        QTRY_VERIFY(dialog.openButton()->isEnabled());
        QVERIFY2(dialog.summary().contains("3 test rows"), qPrintable(dialog.summary()));
        QCOMPARE(QString::fromStdString(dialog.recipe().testFile), folder.filePath(QStringLiteral("small.t")));
        QVERIFY(dialog.remedyButtons().isEmpty());
    }

    void aColumnWhoseNameHoldsACommaIsLeftOutAtAClick()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("table.csv")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("\"area, m2\",age,\"a \"\"b\"\", c\",y\n1,2,3,0\n4,5,6,1\n");
        file.close();
        OpenDialog dialog(file.fileName(), Theme());
        dialog.show();
        QTRY_COMPARE(dialog.headTable()->columnCount(), 4);
        QHeaderView *titles = dialog.headTable()->horizontalHeader();
        emit titles->sectionClicked(0);
        emit titles->sectionClicked(2);
        QCOMPARE(dialog.dropField()->text(), QStringLiteral(R"("area, m2","a ""b"", c")"));
        const std::vector<std::string> both = {"area, m2", R"(a "b", c)"};
        QCOMPARE(dialog.recipe().columns.dropped, both);
        QTRY_VERIFY2(dialog.summary().contains("1 features"), qPrintable(dialog.summary()));
        dialog.setRecipe(dialog.recipe());
        QCOMPARE(dialog.recipe().columns.dropped, both);
    }

    void manyWholeNumbersCanBeTakenAsReal()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("ages.csv")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("a,age\n");
        for (int i = 0; i < 60; ++i)
            file.write(QByteArray::number(i) + ',' + QByteArray::number(i) + '\n');
        file.close();
        OpenDialog dialog(file.fileName(), Theme());
        dialog.show();
        QTRY_VERIFY2(dialog.openButton()->isEnabled(), qPrintable(dialog.summary())); // it may be meant so
        QCOMPARE(dialog.remedyButtons().size(), 1);
        dialog.remedyButtons()[0]->click();
        QTRY_VERIFY(dialog.openButton()->isEnabled());
        QVERIFY(dialog.recipe().regression && dialog.remedyButtons().isEmpty());
    }

    void aListIsAsWideAsItsLongestItem()
    {
        // A style that, as the program's own, makes the list as wide as the box.
        const std::unique_ptr<QStyle> style(QStyleFactory::create(QStringLiteral("windows")));
        FormBox box;
        box.setStyle(style.get());
        box.addItem(QStringLiteral("short"));
        box.addItem(QString(30, u'M'));
        box.resize(100, box.sizeHint().height());
        box.show();
        box.showPopup();
        QVERIFY(box.view()->isVisible());
        QVERIFY(box.view()->viewport()->width() >= box.view()->sizeHintForColumn(0));
    }
};

QTEST_MAIN(TestForm)
#include "tst_ui_form.moc"
