// The command that the window writes for a problem must mean that problem on the command line.

#include "CommandText.h"
#include "ProblemOptions.h"
#include "ShellText.h"
#include "run/TraceCsv.h"

#include <CLI/CLI.hpp>

#include <QTemporaryFile>
#include <QTest>

#include <algorithm>

using namespace appa;

Q_DECLARE_METATYPE(appa::DataRecipe)

class TestCommand final : public QObject
{
    Q_OBJECT

private slots:
    void namesTheProblemItself_data()
    {
        using Kind = Transform::Kind;
        QTest::addColumn<DataRecipe>("recipe");
        QTest::addColumn<QString>("has");
        const auto row = [](const char *name, DataRecipe recipe, const char *has) {
            if (recipe.source.empty())
                recipe.source = "gaussians-2d:n=100";
            QTest::newRow(name) << recipe << QString(has);
        };
        const auto transforms = [](std::vector<Transform> list) {
            DataRecipe recipe;
            recipe.transforms = std::move(list);
            return recipe;
        };
        row("as it is", {}, "--normalize none --features none");
        row("the usual order",
            transforms({{.kind = Kind::FirstRows, .count = 50},
                        {.kind = Kind::MeanNorm},
                        {.kind = Kind::FourierFeatures, .count = 20, .bandwidth = 0.7},
                        {.kind = Kind::Affine}}),
            "--rows 50 --normalize mean-norm --affine --features rff:20:0.7");
        row("features of a default size", transforms({{.kind = Kind::FourierFeatures}}), "--features rff");
        row("and a bandwidth", transforms({{.kind = Kind::FourierFeatures, .bandwidth = 1.0 / 3}}),
            "--features rff:auto");
        row("affine before the map", transforms({{.kind = Kind::Affine}, {.kind = Kind::FourierFeatures, .count = 20}}),
            "--transforms affine,rff:20:1");
        row("random rows", transforms({{.kind = Kind::RandomRows, .count = 20, .seed = 5}}),
            "--transforms random:20:5");
        row("scaled twice", transforms({{.kind = Kind::MeanNorm}, {.kind = Kind::NormalizeRows}}),
            "--transforms mean-norm,rows");
        row("another seed for the map", transforms({{.kind = Kind::FourierFeatures, .count = 20, .seed = 8}}),
            "--transforms rff:20:1:8");
        DataRecipe mapKeepsItsSeed = transforms({{.kind = Kind::FourierFeatures, .count = 20}});
        mapKeepsItsSeed.seed = 5;
        row("another seed for the hold-out", mapKeepsItsSeed, "--transforms rff:20:1:1");
        DataRecipe all = transforms({{.kind = Kind::FourierFeatures, .count = 20, .seed = 4}});
        all.source = "/no/such file.csv";
        all.testFile = "/no/such file.svm";
        all.format = "csv";
        all.label = "my label";
        all.columns = {.only = {"age", "3-7"},
                       .dropped = {"an id", "area, m2", R"(its "name")", "it's, too"},
                       .words = ColumnChoice::Words::Indicators,
                       .missing = ColumnChoice::Missing::Mean};
        all.positive = {"a", "b c", "yes, sir"};
        all.holdout = 1.0 / 3;
        all.precision = Precision::Double;
        all.seed = 4;
        row("everything else", all, "--data-seed 4");
        DataRecipe real;
        real.source = "/no/such/targets.csv";
        real.regression = true;
        row("regression", real, "--regression");
    }
    void namesTheProblemItself()
    {
        QFETCH(DataRecipe, recipe);
        QFETCH(QString, has);
        const ui::ProblemSpec spec{.recipe = recipe, .loss = "logistic", .ridge = 0.1 + 0.2};
        const QString text = problemText(spec);
        QVERIFY2(text.contains(has), qPrintable(text));
        CLI::App app;
        cli::ProblemOptions options;
        options.addTo(app);
        std::vector<std::string> words = shellWords(text.toStdString());
        std::ranges::reverse(words); // as the parser takes them
        app.parse(std::move(words));
        const auto read = options.recipe();
        QVERIFY2(read, qPrintable(text));
        QVERIFY2(read.value() == recipe, qPrintable(text));
        QCOMPARE(options.loss, spec.loss);
        QCOMPARE(options.ridge, spec.ridge);
        // So must the text that a study keeps.
        const auto kept = cli::ProblemOptions::fromText(options.text());
        QVERIFY2(kept, options.text().c_str());
        QVERIFY2(kept.value().recipe().value() == recipe, options.text().c_str());
    }

    void exportedCurvesAreTracesOfSeveralRuns()
    {
        const auto point = [](Index stage, Index accesses, Index full) {
            TracePoint p;
            p.stage = stage;
            p.cost = {.ticks = stage, .steps = accesses, .accesses = accesses, .fullAccesses = full};
            p.loss = 1.0 / static_cast<double>(stage + 3);
            p.stageEnd = stage != 1;
            return p;
        };
        ui::RunRecord first, second;
        first.name = QStringLiteral("a, \"b\"");
        first.spec.method = "svrg";
        first.trace.points = {point(0, 0, 0), point(1, 20, 10), point(2, 40, 20)};
        second.name = QStringLiteral("plain");
        second.spec.method = "sdca";
        second.trace.points = {point(0, 0, 0), point(1, 10, 0)};
        QTemporaryFile file;
        QVERIFY(file.open());
        file.write(csvText({&first, &second}));
        file.close();
        const auto read = readTraceCsv(file.fileName().toStdString());
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().message.c_str());
        QCOMPARE(read.value().size(), std::size_t(2));
        for (const ui::RunRecord *run : {&first, &second}) {
            const ReadTrace &trace = read.value()[run == &first ? 0 : 1];
            QCOMPARE(QString::fromStdString(trace.name), run->name);
            QCOMPARE(trace.method, run->spec.method);
            QCOMPARE(trace.trace.points.size(), run->trace.points.size());
            for (std::size_t k = 0; k < trace.trace.points.size(); ++k) {
                QCOMPARE(trace.trace.points[k].loss, run->trace.points[k].loss);
                QCOMPARE(trace.trace.points[k].stageEnd, run->trace.points[k].stageEnd);
                QCOMPARE(trace.trace.points[k].cost.fullAccesses, run->trace.points[k].cost.fullAccesses);
            }
        }
    }

    void linesOfWordsComeBack_data()
    {
        QTest::addColumn<QByteArray>("word");
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("plain") << QByteArray("a/b-1.svm") << QByteArray("a/b-1.svm");
        QTest::newRow("empty") << QByteArray() << QByteArray("''");
        QTest::newRow("blanks and quotes") << QByteArray(R"(it's a \ $')") << QByteArray(R"('it'\''s a \ $'\''')");
        QTest::newRow("UTF-8") << QByteArray("grün") << QByteArray("'grün'");
        QTest::newRow("Latin-1") << QByteArray("it's a caf\xe9\\\n") << QByteArray(R"($'it\'s a caf\xe9\\\x0a')");
    }
    void linesOfWordsComeBack()
    {
        QFETCH(QByteArray, word);
        QFETCH(QByteArray, line);
        QCOMPARE(QByteArray::fromStdString(shellQuoted(word.toStdString())), line);
        const std::vector<std::string> words =
            shellWords("--data " + line.toStdString() + " x" + line.toStdString() + " z");
        QCOMPARE(words, (std::vector<std::string>{"--data", word.toStdString(), "x" + word.toStdString(), "z"}));
    }

    void namesTheTickOfAChangeInsideAStage()
    {
        ui::RunRecord run;
        RunEvent event;
        event.key = "lambda";
        event.to = 0.5;
        event.stage = 3;
        event.at.ticks = 70;
        event.midStage = true;
        run.trace.events.push_back(event);
        event.midStage = false;
        event.to = 0.25;
        run.trace.events.push_back(event);
        const QString text = commandText(run);
        QVERIFY2(text.contains("--at 3@70:lambda=0.5 --at 3:lambda=0.25"), qPrintable(text));
    }
};

QTEST_GUILESS_MAIN(TestCommand)
#include "tst_app_command.moc"
