// What a lesson's file may say, and what is said of one that says something else.
#include "lessons/Lesson.h"

#include <QTest>

using namespace appa;
using namespace appa::ui;

class TestLessonFile : public QObject
{
    Q_OBJECT

private slots:
    void whatIsWrongIsSaidWithItsLine_data()
    {
        QTest::addColumn<QString>("commands");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("verb") << "jump high"
                              << "There is no command \"jump\"";
        QTest::newRow("data set") << "problem"
                                  << "needs the name of a data set";
        QTest::newRow("unknown data set") << "problem mnist-6K"
                                          << "Did you mean \"mnist-6k\"?";
        QTest::newRow("loss") << "problem mnist-6k loss=cubic"
                              << "\"cubic\" is none of squared";
        QTest::newRow("transform") << "problem mnist-6k transforms=upside-down"
                                   << "upside-down";
        QTest::newRow("ridge") << "problem mnist-6k ridge=-1"
                               << "\"ridge=-1\" is none of";
        QTest::newRow("method") << "new a: apa"
                                << "There is no method \"apa\". Did you mean";
        QTest::newRow("inner") << "new a: appa:sgd"
                               << "\"sgd\" is not an inner solver of APPA";
        QTest::newRow("inner of one alone") << "new a: sgd:sdca"
                                            << "stands alone";
        QTest::newRow("parameter") << "new a: appa lamda=1"
                                   << "APPA has no parameter \"lamda\". Did you mean \"lambda\"?";
        QTest::newRow("value") << "new a: appa lambda=much"
                               << "lambda";
        QTest::newRow("seed") << "new a: appa seed=1.5"
                              << "whole number";
        QTest::newRow("no name") << "new : appa"
                                 << "needs a name";
        QTest::newRow("twice") << "new a: appa\nnew a: appa"
                               << "line 6: There is a run \"a\" already";
        QTest::newRow("unknown run") << "go a: 3"
                                     << "There is no run \"a\" yet";
        QTest::newRow("other run") << "new a: appa\ngo b"
                                   << "There is no run \"b\". There is \"a\"";
        QTest::newRow("stage") << "new a: appa\ngo a: soon"
                               << "A stage is a whole number";
        QTest::newRow("half a stage") << "new a: appa\ngo a: 2.5"
                                      << "A stage is a whole number";
        QTest::newRow("no stage") << "new a: appa\ngo a: nan"
                                  << "A stage is a whole number";
        QTest::newRow("endless seed") << "new a: appa seed=inf"
                                      << "whole number";
        QTest::newRow("endless ridge") << "problem mnist-6k ridge=inf"
                                       << "is none of";
        QTest::newRow("nothing set") << "new a: appa\nset a:"
                                     << "changes something";
        QTest::newRow("parameter of the method before") << "new a: appa\nswitch a: sgd\nset a: stages=certified"
                                                        << "SGD has no parameter \"stages\"";
        QTest::newRow("view") << "show me"
                              << "\"me\" is none of curves";
        QTest::newRow("axis") << "axis years"
                              << "\"years\" is none of passes";
        QTest::newRow("speed") << "speed -1"
                               << "A speed is a number";
        QTest::newRow("claim") << "new a: appa\nexpect a: luck"
                               << "Expected is";
        QTest::newRow("claim of another") << "new a: appa\nexpect a: excess < 2 b"
                                          << "There is no run \"b\"";
    }
    void whatIsWrongIsSaidWithItsLine()
    {
        QFETCH(const QString, commands);
        QFETCH(const QString, sentence);
        const QString text = QStringLiteral("# T\n\n## S\n```do\n%1\n```\n").arg(commands);
        const auto lesson = parseLesson(text.toStdString(), "my.md");
        QVERIFY(!lesson);
        const QString said = QString::fromStdString(lesson.error().message);
        QVERIFY2(said.startsWith(QStringLiteral("my.md, line ")) && said.contains(sentence), qPrintable(said));
    }

    void aLessonHasATitleAndSteps()
    {
        QVERIFY(!parseLesson("", "my.md"));
        QVERIFY(!parseLesson("# Only a title\n", "my.md"));
        QVERIFY(!parseLesson("## Only a step\n", "my.md"));
        QVERIFY(!parseLesson("# T\n```do\nspeed 1\n```\n", "my.md"));
        QVERIFY(!parseLesson("# T\n## S\n```do\nspeed 1\n", "my.md"));
        const auto lesson =
            parseLesson("# T\r\nof\r\nthis\r\n\r\n## S\r\none *two*\r\n```do\r\nspeed full\r\n```\r\nthree\r\n",
                        "my.md"); // as some editors end lines
        QVERIFY(lesson.ok());
        QCOMPARE(lesson.value().title, QStringLiteral("T"));
        QCOMPARE(lesson.value().steps.size(), std::size_t(1));
        QVERIFY(lesson.value().steps[0].text.startsWith(QStringLiteral("one *two*")));
        QVERIFY(lesson.value().steps[0].text.endsWith(QStringLiteral("three")));
        QCOMPARE(lesson.value().steps[0].commands.size(), std::size_t(1));
    }
};

QTEST_GUILESS_MAIN(TestLessonFile)
#include "tst_ui_lesson_file.moc"
