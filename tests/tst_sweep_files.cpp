// A study's files: torn, damaged, merged, in any locale.
#include "CommaLocale.h"
#include "SweepStudies.h"

#include "run/Labels.h"
#include "run/TraceCsv.h"

#include <QDir>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace appa;
using namespace appa::testing;

class TestSweepFiles : public QObject
{
    Q_OBJECT

private slots:
    void rowsReadBackAsWritten();
    void resumesAfterTruncationAtEveryByte();
    void refusesDamageThatIsNoTornEnd_data();
    void refusesDamageThatIsNoTornEnd();
    void protectsAnEarlierStudy();
    void aRefusalLeavesNothingBehind();
    void whatCannotBeReadIsNotWrittenOver_data();
    void whatCannotBeReadIsNotWrittenOver();
    void locksAFileThatStays();
    void solvesAnewForAnOptimumOfOlderArithmetic();
    void namesNeedNotBeText();
    void filesDoNotDependOnTheLocale();
    void mergeRefusesStrangersAndContradictions();
    void mergeTakesWhatWasMadeAgainForWhatFailed();
    void mergeTakesTheOptimumThatAPartHas();
};

void TestSweepFiles::rowsReadBackAsWritten()
{
    const SweepPlan plan = planOf("dual-appa:sdca:dual-start=paper,sgd", "1:10:4", "1..2", 3);
    const auto all = madeResults(plan);
    std::string text = resultsHeader();
    for (const SweepResult &r : all)
        text += rowsOf(plan, contextFor100(), r);
    const auto rows = parseResults(plan, text, "results.csv");
    QVERIFY2(rows.ok(), rows.ok() ? "" : rows.error().message.c_str());
    QCOMPARE(rows.value().intactBytes, text.size());
    QCOMPARE(rows.value().results.size(), all.size());
    std::string again = resultsHeader();
    for (const SweepResult &r : rows.value().results)
        again += rowsOf(plan, contextFor100(), r);
    QCOMPARE(QByteArray::fromStdString(again), QByteArray::fromStdString(text));
    QCOMPARE(rows.value().results[1].status, RunStatus::Diverged);
    QCOMPARE(rows.value().results[1].stage, Index(3));
    QCOMPARE(rows.value().results[1].points.size(), std::size_t(3));
    QCOMPARE(rows.value().results[1].note, all[1].note);
    QCOMPARE(rows.value().results[5].points[2].loss, all[5].points[2].loss);
}

void TestSweepFiles::resumesAfterTruncationAtEveryByte()
{
    const SweepPlan plan = planOf("sgd", "1:10:2", "1", 1);
    const SweepContext context = contextFor100();
    const auto all = madeResults(plan);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString() + "/study";
    {
        const auto folder = opened(path, plan, context, SweepFolder::Mode::New);
        for (const SweepResult &r : all)
            QVERIFY(!folder->append(r));
    }
    const std::string whole = readFile(path + "/results.csv");
    std::vector<std::size_t> ends = {resultsHeader().size()};
    for (const SweepResult &r : all)
        ends.push_back(ends.back() + rowsOf(plan, context, r).size());
    QCOMPARE(whole.size(), ends.back());

    for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) {
        writeFile(path + "/results.csv", std::string_view(whole).substr(0, bytes));
        const auto folder = opened(path, plan, context, SweepFolder::Mode::Resume);
        std::size_t complete = 0;
        while (complete < all.size() && ends[complete + 1] <= bytes)
            ++complete;
        QCOMPARE(folder->earlier().size(), complete);
        for (std::size_t k = complete; k < all.size(); ++k)
            QVERIFY(!folder->append(all[k]));
        QCOMPARE(readFile(path + "/results.csv"), whole);
    }
}

void TestSweepFiles::refusesDamageThatIsNoTornEnd_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("says");
    QTest::newRow("another header") << "method,inner"
                                    << "Method,inner"
                                    << "line 1";
    QTest::newRow("a number that is none") << "0.5,"
                                           << "0.5x,"
                                           << "line 2";
    QTest::newRow("a lambda not in the plan") << "sdca,,1,"
                                              << "sdca,,3,"
                                              << "not part of this plan";
    QTest::newRow("a run without its end") << "finished"
                                           << ""
                                           << "before the one above";
    QTest::newRow("an unknown status") << "finished"
                                       << "well"
                                       << "unknown status";
    QTest::newRow("a line cut") << ",finished,\n"
                                << "\n"
                                << "cells";
}

void TestSweepFiles::refusesDamageThatIsNoTornEnd()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, says);
    const SweepPlan plan = planOf("dual-appa,sgd", "1:10:2", "1", 2);
    QString text = QString::fromStdString(resultsHeader());
    for (const SweepResult &r : madeResults(plan))
        text += QString::fromStdString(rowsOf(plan, contextFor100(), r));
    const qsizetype at = text.indexOf(from);
    QVERIFY(at >= 0);
    text.replace(at, from.size(), to);
    const auto rows = parseResults(plan, text.toStdString(), "results.csv");
    QVERIFY(!rows.ok());
    QVERIFY2(QString::fromStdString(rows.error().message).contains(says), rows.error().message.c_str());
    QVERIFY2(rows.error().message.find("remove the file") != std::string::npos, rows.error().message.c_str());
}

void TestSweepFiles::namesNeedNotBeText()
{
    QTemporaryDir folder;
    SweepContext context = contextFor100();
    context.dataset = "bad\xff.svm"; // a file system knows bytes only
    const auto study = SweepFolder::open(folder.path().toStdString(), planOf("sgd", "1:10:4", "1..2", 3), context,
                                         SweepFolder::Mode::New);
    QVERIFY2(study.ok(), study.ok() ? "" : study.error().message.c_str());
}

void TestSweepFiles::protectsAnEarlierStudy()
{
    const SweepPlan plan = planOf("sdca", "1:10:2", "1", 2);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString() + "/study";
    const SweepContext context = contextFor100();
    {
        const auto folder = opened(path, plan, context, SweepFolder::Mode::New);
        QVERIFY(!folder->append(madeResults(plan)[0]));
        // Nobody else while it is open.
        QVERIFY(!SweepFolder::open(path, plan, context, SweepFolder::Mode::Resume).ok());
        QVERIFY(SweepFolder::isLocked(path));
    }
    QVERIFY(!SweepFolder::isLocked(path));
    const std::string before = readFile(path + "/results.csv");
    const std::string planBefore = readFile(path + "/plan.json");
    QCOMPARE(SweepFolder::open(path, plan, context, SweepFolder::Mode::New).error().kind, Error::Kind::Usage);
    SweepContext other = context;
    other.dataHash ^= 1;
    const auto why = [&](const SweepPlan &p, const SweepContext &c) {
        const auto refused = SweepFolder::open(path, p, c, SweepFolder::Mode::Resume);
        return QString::fromStdString(refused ? std::string() : refused.error().message);
    };
    QVERIFY2(why(plan, other).contains("has other numbers"), qPrintable(why(plan, other)));
    other = context;
    other.ridge += 1;
    other.loss = "logistic";
    QVERIFY2(why(plan, other).contains("loss is") && why(plan, other).contains("ridge is"),
             qPrintable(why(plan, other)));
    SweepPlan longer = plan;
    longer.stages = 3;
    QVERIFY(!SweepFolder::open(path, longer, context, SweepFolder::Mode::Resume).ok());
    const QString narrower = why(planOf("sgd", "10:100:2", "1", 2), context);
    QVERIFY2(narrower.contains("method sdca, lambda 1."), qPrintable(narrower));
    // Also where the runs that are done are all asked for.
    QVERIFY2(why(planOf("sdca", "1", "1", 2), context).contains("lambda 10."),
             qPrintable(why(planOf("sdca", "1", "1", 2), context)));
    SweepContext part = context;
    part.task = "1/2";
    QVERIFY2(why(plan, part).contains("holds a whole study"), qPrintable(why(plan, part)));
    QCOMPARE(readFile(path + "/results.csv"), before);
    QCOMPARE(readFile(path + "/plan.json"), planBefore);
    // A larger plan takes over what is there, and F_opt with it.
    SweepContext without = context;
    without.fOpt = unknown;
    const auto grown = opened(path, planOf("sgd,sdca", "1:100:3", "1..2", 2), without, SweepFolder::Mode::Resume);
    QCOMPARE(grown->earlier().size(), std::size_t(1));
    QCOMPARE(grown->context().fOpt, context.fOpt);
}

void TestSweepFiles::aRefusalLeavesNothingBehind()
{
    const SweepPlan plan = planOf("sdca", "1:10:2", "1", 2);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString() + "/copied";
    (void)opened(path, plan, contextFor100(), SweepFolder::Mode::New);
    QVERIFY(QFile::remove(QString::fromStdString(path + "/.lock"))); // as where only the study's files were copied
    SweepContext other = contextFor100();
    other.ridge += 1;
    QVERIFY(!SweepFolder::open(path, plan, contextFor100(), SweepFolder::Mode::New).ok());
    QVERIFY(!SweepFolder::open(path, plan, other, SweepFolder::Mode::Resume).ok());
    QVERIFY(!QFile::exists(QString::fromStdString(path + "/.lock")));
    (void)opened(path, plan, contextFor100(), SweepFolder::Mode::Resume);
    QVERIFY(QFile::exists(QString::fromStdString(path + "/.lock")));
}

void TestSweepFiles::whatCannotBeReadIsNotWrittenOver_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("plan") << "plan.json";
    QTest::newRow("results") << "results.csv";
}

void TestSweepFiles::whatCannotBeReadIsNotWrittenOver()
{
    QFETCH(QString, name);
    const SweepPlan plan = planOf("sdca", "1:10:2", "1", 2);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString() + "/study";
    (void)opened(path, plan, contextFor100(), SweepFolder::Mode::New);
    // A link to itself: it is there, and reading it is an error, also for root.
    const QString file = QString::fromStdString(path) + "/" + name;
    QVERIFY(QFile::remove(file));
    QCOMPARE(::symlink(qPrintable(name), qPrintable(file)), 0);
    for (const auto mode : {SweepFolder::Mode::New, SweepFolder::Mode::Resume}) {
        const auto refused = SweepFolder::open(path, plan, contextFor100(), mode);
        QVERIFY(!refused.ok());
        QVERIFY2(refused.error().message.starts_with("Cannot read"), refused.error().message.c_str());
    }
    const auto study = readStudy(path);
    QVERIFY(!study.ok());
    QVERIFY2(study.error().message.starts_with("Cannot read"), study.error().message.c_str());
    QVERIFY(QFileInfo(file).isSymLink());
}

void TestSweepFiles::locksAFileThatStays()
{
    const SweepPlan plan = planOf("sdca", "1:10:2", "1", 2);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString() + "/study";
    const auto lockedElsewhere = [&] {
        // A lock that NFS, too, takes to the server: a file, open for writing.
        const int lock = ::open((path + "/.lock").c_str(), O_RDWR);
        const bool isFree = lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) == 0;
        if (lock >= 0)
            ::close(lock);
        return lock >= 0 && !isFree;
    };
    {
        const auto folder = opened(path, plan, contextFor100(), SweepFolder::Mode::New);
        QVERIFY(lockedElsewhere());
        QVERIFY(SweepFolder::isLocked(path));
    }
    QVERIFY(!lockedElsewhere());
    QVERIFY(!SweepFolder::isLocked(path));
    // Where none can be made, it is told.
    QVERIFY(QFile::remove(QString::fromStdString(path + "/.lock")));
    QVERIFY(QDir().mkdir(QString::fromStdString(path + "/.lock")));
    const auto refused = SweepFolder::open(path, plan, contextFor100(), SweepFolder::Mode::Resume);
    QVERIFY(!refused.ok());
    QVERIFY2(refused.error().message.find(".lock") != std::string::npos, refused.error().message.c_str());
    QVERIFY(readStudy(path).ok()); // to look at it needs no lock
}

void TestSweepFiles::solvesAnewForAnOptimumOfOlderArithmetic()
{
    const SweepPlan plan = planOf("sdca", "1:10:2", "1", 2);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString() + "/study";
    const SweepContext context = contextFor100();
    SweepContext without = context;
    without.fOpt = unknown;
    const auto knownToday = [&] {
        return opened(path, plan, without, SweepFolder::Mode::Resume)->context().fOpt == context.fOpt;
    };
    (void)opened(path, plan, context, SweepFolder::Mode::New);
    QVERIFY(knownToday());
    // Its version is another, or from before there was one.
    const QString now = QString("\"arithmetic\": %1").arg(optimumArithmetic);
    for (const QString &old : {QString("\"arithmetic\": %1").arg(optimumArithmetic - 1), QString("\"other\": 0")}) {
        QString json = QString::fromStdString(readFile(path + "/plan.json"));
        QVERIFY2(json.contains(now), qPrintable(json));
        writeFile(path + "/plan.json", json.replace(now, old).toStdString());
        QCOMPARE(readStudy(path).value().context.fOpt, context.fOpt); // for those who only look
        QVERIFY(!knownToday());
        // The new one stays.
        QVERIFY(!opened(path, plan, without, SweepFolder::Mode::Resume)->setContext(context));
        QVERIFY(knownToday());
    }
}

void TestSweepFiles::filesDoNotDependOnTheLocale()
{
    const CommaLocale locale;
    if (!locale.isMade())
        QSKIP("there is no localedef");
    const SweepPlan plan = planOf("sdca,svrg", "1e-2:1:4", "1..2", 3);
    SweepTable table(plan, contextFor100());
    for (const SweepResult &result : madeResults(plan))
        table.add(result);
    const auto texts = [&] {
        std::string all = summaryText(table) + summaryCsv(table) + shortNumber(0.5) + shortNumber(2.5e-7);
        for (const SweepResult &result : madeResults(plan))
            all += rowsOf(plan, contextFor100(), result);
        Trace trace;
        trace.points = {pointOf(1, 0.375)};
        all += traceCsv(trace, {}, 100, 0.25);
        for (const double lambda : logGrid(0.01, 1, 4))
            all += formatParam(lambda);
        return all;
    };
    const std::string plain = texts();
    const CommaLocale::InUse comma(locale);
    QVERIFY(comma.holds());
    QCOMPARE(QByteArray::number(0.5), QByteArray("0.5"));
    char text[8];
    std::snprintf(text, sizeof text, "%.1f", 0.5);
    QCOMPARE(text, "0,5");
    QCOMPARE(texts(), plain);
}

void TestSweepFiles::mergeRefusesStrangersAndContradictions()
{
    const SweepPlan plan = planOf("sdca", "1:10:2", "1", 2);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString();
    const auto write = [&](const char *name, const SweepPlan &p, const SweepContext &context, double firstLoss) {
        auto results = madeResults(p);
        results[0].points[1].loss = firstLoss;
        const auto folder = opened(path + "/" + name, p, context, SweepFolder::Mode::New);
        (void)folder->append(results[0]);
    };
    write("a", plan, contextFor100(), 0.1);
    write("same", plan, contextFor100(), 0.1);
    write("contradicts", plan, contextFor100(), 0.2);
    write("other plan", planOf("sgd", "1:10:2", "1", 2), contextFor100(), 0.1);
    SweepContext otherData = contextFor100();
    otherData.dataHash = 1;
    write("other data", plan, otherData, 0.1);
    QVERIFY(mergeStudies({path + "/a", path + "/same"}).ok());
    for (const char *name : {"contradicts", "other plan", "other data", "missing"})
        QVERIFY(!mergeStudies({path + "/a", path + "/" + name}).ok());
    QVERIFY(!mergeStudies({}).ok());
}

void TestSweepFiles::mergeTakesWhatWasMadeAgainForWhatFailed()
{
    const SweepPlan plan = planOf("sdca", "1:10:2", "1", 2);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString();
    for (const bool failed : {true, false}) {
        SweepResult result = madeResults(plan)[0];
        if (failed) {
            result.status = RunStatus::Failed;
            result.points.resize(1);
            result.stage = 0;
        }
        const auto folder =
            opened(path + (failed ? "/failed" : "/again"), plan, contextFor100(), SweepFolder::Mode::New);
        QVERIFY(!folder->append(result));
    }
    for (const auto &parts :
         {std::vector{path + "/failed", path + "/again"}, std::vector{path + "/again", path + "/failed"}}) {
        const auto merged = mergeStudies(parts);
        QVERIFY2(merged.ok(), merged.ok() ? "" : merged.error().message.c_str());
        QCOMPARE(merged.value().results.size(), std::size_t(1));
        QCOMPARE(merged.value().results[0].status, RunStatus::Finished);
    }
}

void TestSweepFiles::mergeTakesTheOptimumThatAPartHas()
{
    const SweepPlan plan = planOf("sdca", "1:10:2", "1", 2);
    const QTemporaryDir temporary;
    const std::string path = temporary.path().toStdString();
    SweepContext without = contextFor100(), with = contextFor100();
    without.fOpt = unknown;
    without.floor = 0;
    without.optimumNote.clear();
    with.fOpt = 0.25;
    with.floor = 1e-16;
    with.optimumNote = "solved";
    (void)opened(path + "/without", plan, without, SweepFolder::Mode::New);
    (void)opened(path + "/with", plan, with, SweepFolder::Mode::New);
    with.fOpt = 0.5;
    (void)opened(path + "/later", plan, with, SweepFolder::Mode::New);
    const auto merged = mergeStudies({path + "/without", path + "/with", path + "/later"});
    QVERIFY2(merged.ok(), merged.ok() ? "" : merged.error().message.c_str());
    const SweepContext &context = merged.value().context;
    QCOMPARE(context.fOpt, 0.25);
    QCOMPARE(context.floor, 1e-16);
    QCOMPARE(context.optimumNote, std::string("solved"));
    QCOMPARE(context.arithmetic, optimumArithmetic);
}

QTEST_GUILESS_MAIN(TestSweepFiles)
#include "tst_sweep_files.moc"
