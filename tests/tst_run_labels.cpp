// Numbers and changes as they are called on a board.
#include "RunDriving.h"

#include "run/Labels.h"

#include <QTest>

using namespace appa;
using namespace appa::testing;

class TestRunLabels final : public QObject
{
    Q_OBJECT

private slots:
    void labelsSayWhatChanged();
    void shortNumbersAreAsOnABoard_data();
    void shortNumbersAreAsOnABoard();
};

void TestRunLabels::labelsSayWhatChanged()
{
    const MethodInfo info = fake::info();
    const RunPtr run = fakeRun(info);
    run->stepStage();
    QVERIFY(!run->change("lambda", 1e-5));
    QCOMPARE(run->trace().events.back().label, std::string("λ 0.01 → 1e-5"));
    QVERIFY(!run->switchMethod("svrg", ""));
    QCOMPARE(run->trace().events.back().label, "Fake → " + findMethod("svrg")->label);
    QCOMPARE(std::get<std::string>(run->trace().events.back().to), std::string("svrg"));
}

void TestRunLabels::shortNumbersAreAsOnABoard_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("thousandth") << 1e-3 << "1e-3";
    QTest::newRow("hundred-thousandth") << 1e-5 << "1e-5";
    QTest::newRow("quarter") << 0.25 << "0.25";
    QTest::newRow("million") << 2.5e6 << "2.5e6";
    QTest::newRow("forty") << 40.0 << "40";
    QTest::newRow("zero") << 0.0 << "0";
    QTest::newRow("negative") << -1.25e-7 << "-1.25e-7";
}

void TestRunLabels::shortNumbersAreAsOnABoard()
{
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(shortNumber(value)), text);
}

QTEST_GUILESS_MAIN(TestRunLabels)
#include "tst_run_labels.moc"
