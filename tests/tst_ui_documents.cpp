// Sessions in the window: what is saved where, what a crash or a quit leaves behind, and how it comes back.
#include "Actions.h"
#include "Documents.h"
#include "LittleMemory.h"
#include "SensitivityWiring.h"
#include "SweepStudies.h"
#include "WindowTest.h"

#include "panels/ProblemPanel.h"
#include "run/Autosave.h"
#include "shell/MessageBar.h"
#include "sweep/SensitivityTab.h"

#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QMenu>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>

#include <map>

using namespace appa;
using namespace appa::ui;

class TestDocuments : public WindowTest
{
    Q_OBJECT

    Documents &documents() { return m_window->documents(); }
    static QStringList autosaves(qint64 pid = QCoreApplication::applicationPid())
    {
        const QDir folder(QString::fromStdString(stateFolder()));
        QStringList paths;
        for (const QString &name : folder.entryList({QStringLiteral("autosave-%1-*.appa").arg(pid)}, QDir::Files))
            paths << folder.filePath(name);
        return paths;
    }
    QString saveAs(const QString &name)
    {
        const QString path = m_folder.filePath(name);
        QSignalSpy saved(&documents(), &Documents::saved);
        documents().save(path);
        [&] { QTRY_COMPARE(saved.count(), 1); }();
        return path;
    }
    static Session sessionAt(const QString &path)
    {
        auto read = readSession(path.toStdString());
        return read.ok() ? std::move(read).value() : Session{};
    }
    static void write(const QString &path, const Session &session)
    {
        QVERIFY(!writeSession(path.toStdString(), session, Replace::Anything));
    }
    /// Autosaves the window's work as if by a process that died: none has this number.
    QString leftBehind()
    {
        documents().autosaveNow();
        [&] { QTRY_VERIFY(!autosaves().isEmpty()); }();
        const QString theirs = QString::fromStdString(autosavePath(1, 4194399));
        QFile::copy(autosaves().constFirst(), theirs);
        return theirs;
    }

private slots:
    void init() { openWindow(); }
    void cleanup()
    {
        closeWindow();
        QDir(QString::fromStdString(stateFolder())).removeRecursively();
    }

    void savesAndReopensASession()
    {
        const RunId id = m_window->currentRun();
        press(Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(run(id).status, RunStatus::Finished, 20000);
        controller().model().setData(controller().model().index(0, RunModel::Name), QStringLiteral("my run"));
        const auto points = run(id).trace.points;
        const QString path = m_folder.filePath(QStringLiteral("work.appa"));
        QSignalSpy saved(&m_window->documents(), &Documents::saved);
        m_window->documents().save(path);
        QTRY_COMPARE(saved.count(), 1);

        m_window = std::make_unique<MainWindow>();
        m_window->show();
        QSignalSpy opened(&m_window->documents(), &Documents::opened);
        QSignalSpy heard(&controller(), &RunController::runUpdated);
        m_window->openFiles({path});
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, 20000);
        QVERIFY2(opened[0][1].toString().isEmpty(), qPrintable(opened[0][1].toString()));
        QCOMPARE(controller().model().rowCount(), 1); // and nothing beside it
        QCOMPARE(current().name, QStringLiteral("my run"));
        QCOMPARE(current().trace.points.size(), points.size());
        QCOMPARE(current().trace.points.back().loss, points.back().loss);
        QVERIFY(drawn(m_window->currentRun()) > 5);
        const auto isCurrent = [&](const QVariantList &news) { return news[0].toInt() == m_window->currentRun(); };
        QTRY_VERIFY(std::ranges::any_of(heard, isCurrent)); // the run that was made for it has spoken
        QCOMPARE(current().status, RunStatus::Finished);
        // And it goes on from there.
        const RunId again = m_window->currentRun();
        controller().change(again, QStringLiteral("stages"), 25.0);
        controller().resume(again);
        QTRY_COMPARE_WITH_TIMEOUT(run(again).stage, Index(25), 20000);
        QTRY_COMPARE(run(again).trace.points.size(), points.size() + 5);
    }

    void aSessionComesBackWithTheRunThatWasChosen()
    {
        stepped();
        m_window->actions().newRun->trigger();
        stepped();
        const RunId chosen = stepped();
        m_window->actions().newRun->trigger();
        stepped();
        controller().model().setData(controller().model().index(1, RunModel::Name), QStringLiteral("the one"));
        m_window->setCurrentRun(chosen);
        const QString path = saveAs(QStringLiteral("chosen.appa"));
        const auto opensIn = [&](MainWindow &window) {
            QSignalSpy opened(&window.documents(), &Documents::opened);
            window.openFiles({path});
            [&] { QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, 20000); }();
        };
        m_window->setCurrentRun(controller().model().runs().front()->id);
        opensIn(*m_window); // they are open already
        QCOMPARE(m_window->currentRun(), chosen);
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        opensIn(*m_window);
        QCOMPARE(controller().model().rowCount(), 3);
        QCOMPARE(current().name, QStringLiteral("the one"));
    }

    void aSessionIsKnownByItsContentToo()
    {
        stepped();
        const QString path = m_folder.filePath(QStringLiteral("lambda 0.1"));
        QVERIFY(QFile::rename(saveAs(QStringLiteral("known.appa")), path));
        closeWindow();
        m_window = std::make_unique<MainWindow>();
        QSignalSpy opened(&documents(), &Documents::opened);
        m_window->openFiles({path});
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, 20000);
        QCOMPARE(current().trace.points.size(), std::size_t(2));
    }

    void aNameWithADotHasTheSessionsEndingAsWell()
    {
        stepped();
        QSignalSpy saved(&documents(), &Documents::saved);
        const auto choose = [this](const QString &name) {
            m_window->actions().saveAs->trigger();
            auto *where = m_window->findChild<QFileDialog *>();
            emit where->fileSelected(m_folder.filePath(name));
            delete where;
        };
        choose(QStringLiteral("lambda 0.1"));
        QTRY_COMPARE(saved.count(), 1);
        const QString path = m_folder.filePath(QStringLiteral("lambda 0.1.appa"));
        QCOMPARE(saved[0][0].toString(), path);
        choose(QStringLiteral("lambda 0.2.APPA"));
        QTRY_COMPARE(saved.count(), 2);
        QCOMPARE(saved[1][0].toString(), m_folder.filePath(QStringLiteral("lambda 0.2.APPA")));

        // The dialog asked whether to replace "lambda 0.1", which is not there.
        stepped();
        const auto answer = [this](QMessageBox::ButtonRole role) {
            auto *question = m_window->findChild<QMessageBox *>();
            QVERIFY(question);
            for (QAbstractButton *button : question->buttons())
                if (question->buttonRole(button) == role)
                    button->click();
            delete question;
        };
        choose(QStringLiteral("lambda 0.1"));
        answer(QMessageBox::RejectRole);
        choose(QStringLiteral("lambda 0.1"));
        QCOMPARE(sessionAt(path).runs.front().trace.points.size(), std::size_t(2));
        answer(QMessageBox::AcceptRole);
        QTRY_COMPARE(saved.count(), 3);
        QCOMPARE(sessionAt(path).runs.front().trace.points.size(), std::size_t(3));
    }

    void whatAnotherProgramHasWrittenIsNotSavedOverUnasked()
    {
        stepped();
        const QString path = saveAs(QStringLiteral("shared.appa"));
        const auto writeTheirs = [&] {
            Session theirs = sessionAt(path);
            theirs.runs.front().name = "theirs";
            write(path, theirs);
        };
        const auto question = [this] { return m_window->findChild<QMessageBox *>(); };
        const auto answer = [&](const QString &choice) {
            QTRY_VERIFY(question());
            QMessageBox *box = question();
            QVERIFY2(box->text().contains(path), qPrintable(box->text()));
            const QString when = QLocale().toString(QFileInfo(path).lastModified(), QLocale::ShortFormat);
            QVERIFY2(box->text().contains(when), qPrintable(box->text()));
            for (QAbstractButton *button : box->buttons())
                if (button->text().remove(u'&') == choice)
                    button->click();
            delete box;
        };
        QAction *save = m_window->actions().save;
        QSignalSpy saved(&documents(), &Documents::saved);
        writeTheirs();
        stepped();
        for (const QString &choice : {QStringLiteral("Cancel"), QStringLiteral("Save as …")}) {
            save->trigger();
            answer(choice);
            QCOMPARE(sessionAt(path).runs.front().name, std::string("theirs"));
        }
        auto *where = m_window->findChild<QFileDialog *>();
        QVERIFY(where);
        delete where;
        QCOMPARE(saved.count(), 0);
        save->trigger();
        answer(QStringLiteral("Overwrite"));
        QTRY_COMPARE(saved.count(), 1);
        QCOMPARE(sessionAt(path).runs.front().trace.points.size(), std::size_t(3));
        for (int times = 2; times <= 3; ++times) // one's own work is no other's, nor is what is not there
        {
            stepped();
            save->trigger();
            save->trigger();
            QTRY_COMPARE(saved.count(), 2 * times - 1);
            QVERIFY(!question());
            QVERIFY(QFile::remove(path) || times == 3);
        }
    }

    void aWindowThatClosesInsteadOfAnsweringKeepsBothWorks()
    {
        stepped();
        const QString path = saveAs(QStringLiteral("both.appa"));
        Session theirs = sessionAt(path);
        theirs.runs.front().name = "theirs";
        write(path, theirs);
        stepped();
        m_window->actions().save->trigger();
        QVERIFY(m_window->close());
        m_window.reset();
        QCOMPARE(sessionAt(path).runs.front().name, std::string("theirs"));
        QCOMPARE(autosaves().size(), 1); // offered at the next start
        QCOMPARE(sessionAt(autosaves().constFirst()).runs.front().trace.points.size(), std::size_t(3));
    }

    void aSessionIsSavedOverAsItWasWhenItWasOpened()
    {
        stepped();
        const QString path = saveAs(QStringLiteral("opened.appa"));
        closeWindow();
        m_window = std::make_unique<MainWindow>();
        QSignalSpy opened(&documents(), &Documents::opened);
        QSignalSpy saved(&documents(), &Documents::saved);
        QSignalSpy overtaken(&documents(), &Documents::overtaken);
        m_window->openFiles({path});
        QTRY_COMPARE(opened.count(), 1);
        QTRY_VERIFY(current().live);
        documents().save(path);
        QTRY_COMPARE(saved.count(), 1);
        Session theirs = sessionAt(path);
        theirs.runs.front().name = "theirs";
        write(path, theirs);
        documents().save(path);
        QTRY_COMPARE(overtaken.count(), 1);
        // Once it is here as well it is no longer lost.
        m_window->openFiles({path});
        QTRY_COMPARE(opened.count(), 2);
        documents().save(path);
        QTRY_COMPARE(saved.count(), 2);
        QCOMPARE(sessionAt(path).runs.size(), std::size_t(2));
    }

    void aStoppedRunComesBackAsStopped()
    {
        const RunId id = m_window->currentRun();
        controller().change(id, QStringLiteral("stages"), 1e6);
        press(Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(run(id).stage > 1, 20000);
        controller().stop(id);
        QTRY_COMPARE(run(id).status, RunStatus::Paused);
        const QString path = m_folder.filePath(QStringLiteral("stopped.appa"));
        QSignalSpy saved(&m_window->documents(), &Documents::saved);
        m_window->documents().save(path);
        QTRY_COMPARE(saved.count(), 1);

        m_window = std::make_unique<MainWindow>();
        m_window->show();
        QSignalSpy opened(&m_window->documents(), &Documents::opened);
        m_window->openFiles({path});
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, 20000);
        QTRY_VERIFY_WITH_TIMEOUT(current().live && !current().catchingUp, 20000);
        QCOMPARE(current().status, RunStatus::Paused);
        QVERIFY(current().stopped);
        controller().stepStage(m_window->currentRun());
        QVERIFY(!current().stopped);
    }

    void aDamagedSessionIsReportedAndNotOverwritten()
    {
        const QString path = m_folder.filePath(QStringLiteral("damaged.appa"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"format\": \"appa");
        file.close();
        QSignalSpy failed(&m_window->documents(), &Documents::failed);
        m_window->documents().openSession(path);
        QTRY_COMPARE(failed.count(), 1);
        m_window->documents().save(path);
        QTRY_COMPARE(failed.count(), 2);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("{\"format\": \"appa"));
    }

    void aStartWithASessionThatCannotBeOpenedStillHasAProblem()
    {
        closeWindow();
        m_window = std::make_unique<MainWindow>();
        m_window->show();
        m_window->begin({QStringLiteral("/nonexistent/a.appa")});
        QTRY_VERIFY(m_window->messages().text().contains(QStringLiteral("/nonexistent/a.appa")));
        QTRY_VERIFY_WITH_TIMEOUT(controller().problem() && m_window->currentRun() > 0, 30000);
    }

    void aSessionWhoseProblemCannotBeMadeShowsItsCurvesAndSaysWhy()
    {
        stepped();
        const QString path = saveAs(QStringLiteral("impossible.appa"));
        Session session = sessionAt(path);
        session.ridge = -1;
        write(path, session);
        documents().openSession(path);
        QTRY_VERIFY2(m_window->messages().text().contains(QStringLiteral("ridge")),
                     qPrintable(m_window->messages().text()));
        QVERIFY(!current().live);
        QCOMPARE(current().trace.points.size(), std::size_t(2));
    }

    void sessionsOfDataThatIsNotHereJoinOnlyIfItIsTheSame()
    {
        stepped();
        Session session = sessionAt(saveAs(QStringLiteral("lost.appa")));
        session.data.source = "/nonexistent/data.csv";
        QSignalSpy opened(&documents(), &Documents::opened);
        const auto problemOf = [&](const QString &name, std::uint64_t hash, const char *runName) {
            session.dataHash = hash;
            session.runs[0].name = runName;
            write(m_folder.filePath(name), session);
            documents().openSession(m_folder.filePath(name));
            const qsizetype before = opened.count();
            [&] { QTRY_VERIFY_WITH_TIMEOUT(opened.count() > before, 20000); }();
            return current().problem;
        };
        const ProblemStatePtr first = problemOf(QStringLiteral("first.appa"), 1, "first");
        QVERIFY(first && !first->problem);
        QVERIFY(problemOf(QStringLiteral("again.appa"), 1, "again") == first);
        // The same path, loss and ridge, but the file was another one then.
        QVERIFY(problemOf(QStringLiteral("other.appa"), 2, "other") != first);
    }

    void onlyAPastThatIsSharedIsMarkedAtTheOtherRun()
    {
        const RunId id = stepped();
        controller().change(id, QStringLiteral("lambda"), 1e-3);
        QTRY_COMPARE(run(id).trace.events.size(), std::size_t(1));
        stepped();
        Session session = sessionAt(saveAs(QStringLiteral("past.appa")));
        QVERIFY(!session.runs.empty());
        session.runs.resize(1);
        session.runs.insert(session.runs.end(), 3, session.runs[0]);
        session.runs[1].name = "fork";
        session.runs[2].name = "began otherwise";
        session.runs[2].spec.params.set("passes", 7.0);
        session.runs[3].name = "went otherwise";
        session.runs[3].trace.points[1].loss += 1e-3;
        session.data.source = "/nonexistent/data.csv"; // as they are in the file
        const QString path = m_folder.filePath(QStringLiteral("pasts.appa"));
        write(path, session);
        QSignalSpy opened(&documents(), &Documents::opened);
        documents().openSession(path);
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 1, 20000);
        std::map<std::string, std::size_t> shared;
        for (const auto &record : controller().model().runs())
            shared[record->name.toStdString()] = record->sharedEvents;
        QCOMPARE(shared.at("fork"), std::size_t(1));
        QCOMPARE(shared.at("began otherwise"), std::size_t(0));
        QCOMPARE(shared.at("went otherwise"), std::size_t(0));
    }

    void offeringAnUnfinishedStudyLeavesItAsItIs()
    {
        const SweepPlan plan = testing::planOf("sdca", "1:10:2", "1..2", 2);
        const auto made = [&](const QString &name) {
            const std::string path = m_folder.filePath(name).toStdString();
            const auto folder = testing::opened(path, plan, testing::contextFor100(), SweepFolder::Mode::New);
            std::vector<SweepResult> results = testing::madeResults(plan);
            results[0].status = RunStatus::Failed;
            (void)folder->append(results[0]);
            (void)folder->append(results[2]);
            return path;
        };
        const std::string unfinished = made(QStringLiteral("unfinished"));
        const QString key = QStringLiteral("unfinishedStudy");
        const auto remembered = [&] { return QSettings().value(key).toString().toStdString(); };
        QSettings().setValue(key, QString::fromStdString(unfinished));
        const std::string before = testing::readFile(unfinished + "/results.csv");
        offerUnfinishedStudies(*m_window);
        QVERIFY2(m_window->messages().text().contains(QStringLiteral("not finished")),
                 qPrintable(m_window->messages().text()));
        QCOMPARE(testing::readFile(unfinished + "/results.csv"), before);
        // Looking at another one does not forget it.
        const QString other = QString::fromStdString(made(QStringLiteral("other")));
        QCOMPARE(m_window->sensitivity().open(other), QString());
        QCOMPARE(remembered(), unfinished);
        QSettings().remove(key);
    }

    void everyUnfinishedStudyIsOffered()
    {
        const SweepPlan plan = testing::planOf("sdca", "1:10:2", "1..2", 2);
        SweepController &study = m_window->sensitivity().controller();
        study.setStudiesFolder(m_folder.filePath(QStringLiteral("several")));
        const QString before = m_folder.filePath(QStringLiteral("earlier"));
        testing::opened(before.toStdString(), plan, testing::contextFor100(), SweepFolder::Mode::New);
        const QString key = QStringLiteral("unfinishedStudy");
        QSettings().setValue(key, before);
        SweepPlan longer = plan;
        longer.stages = 100000;
        QCOMPARE(study.start(longer, 1), QString());
        QTRY_COMPARE(QSettings().value(key).toStringList(), QStringList({before, study.folder()}));
        study.cancel();
        QTRY_VERIFY(!study.isActive());
        QTRY_COMPARE(QSettings().value(key).toStringList(), QStringList(before));
        const QString later = m_folder.filePath(QStringLiteral("later"));
        testing::opened(later.toStdString(), plan, testing::contextFor100(), SweepFolder::Mode::New);
        QSettings().setValue(key, QStringList({before, later}));
        offerUnfinishedStudies(*m_window);
        for (const QString &folder : {later, before}) {
            QCOMPARE(m_window->messages().actionButton()->text(), QStringLiteral("Show it"));
            m_window->messages().actionButton()->click();
            QCOMPARE(study.folder(), folder);
        }
        QVERIFY(QSettings().value(key).toStringList().isEmpty());
    }

    void showingAnUnfinishedStudyEndsNoOther()
    {
        const SweepPlan plan = testing::planOf("sdca", "1:10:2", "1..2", 2);
        const std::string unfinished = m_folder.filePath(QStringLiteral("before")).toStdString();
        testing::opened(unfinished, plan, testing::contextFor100(), SweepFolder::Mode::New);
        QSettings().setValue(QStringLiteral("unfinishedStudy"), QString::fromStdString(unfinished));
        offerUnfinishedStudies(*m_window);
        SweepController &study = m_window->sensitivity().controller();
        study.setStudiesFolder(m_folder.filePath(QStringLiteral("studies")));
        SweepPlan longer = plan;
        longer.stages = 100000;
        QCOMPARE(study.start(longer, 1), QString());
        const QString folder = study.folder();
        m_window->messages().actionButton()->click();
        QVERIFY(study.isActive());
        QCOMPARE(study.folder(), folder);
        QCOMPARE(m_window->messages().actionButton()->text(), QStringLiteral("Show it")); // later
        study.cancel();
        QTRY_VERIFY(!study.isActive());
        m_window->messages().actionButton()->click();
        QCOMPARE(study.folder().toStdString(), unfinished);
        QSettings().remove(QStringLiteral("unfinishedStudy"));
    }

    void aRunWithoutItsDataShowsWhatWasChangedLast()
    {
        const RunId id = stepped();
        controller().change(id, QStringLiteral("lambda"), 0.125); // after the last point
        QTRY_COMPARE(run(id).trace.events.size(), std::size_t(1));
        const QString path = saveAs(QStringLiteral("changed.appa"));
        Session session = sessionAt(path);
        session.data.source = "/nonexistent/data.svm";
        write(path, session);
        QSignalSpy opened(&documents(), &Documents::opened);
        documents().openSession(path);
        QTRY_COMPARE(opened.count(), 1);
        QVERIFY(!current().live);
        QCOMPARE(current().effective.real("lambda"), 0.125);
    }

    void recentFilesAndSessionsCanBeOpenedFromTheMenu()
    {
        press(Qt::Key_Period);
        QTRY_COMPARE(current().trace.points.size(), std::size_t(2));
        const QString path = m_folder.filePath(QStringLiteral("recent.appa"));
        QSignalSpy saved(&m_window->documents(), &Documents::saved);
        m_window->documents().save(path);
        QTRY_COMPARE(saved.count(), 1);
        auto *menu = m_window->findChild<QMenu *>(QStringLiteral("recentMenu"));
        QVERIFY(menu);
        emit menu->aboutToShow();
        QVERIFY(!menu->actions().isEmpty());
        QCOMPARE(menu->actions().front()->toolTip(), path);
        QSignalSpy opened(&m_window->documents(), &Documents::opened);
        menu->actions().front()->trigger();
        QTRY_COMPARE(opened.count(), 1);
    }

    void anotherProblemIsNotSavedOverTheFirst()
    {
        const RunId first = stepped();
        const QString path = saveAs(QStringLiteral("first.appa"));
        QCOMPARE(documents().path(), path);
        load(otherProblem());
        QCOMPARE(documents().path(), QString()); // Save asks where to
        m_window->setCurrentRun(first);
        QCOMPARE(documents().path(), path);
        m_window->setCurrentRun(controller().model().runs().back()->id);
        stepped();
        const QString other = saveAs(QStringLiteral("second.appa"));
        QCOMPARE(documents().path(), other);
        QCOMPARE(sessionAt(path).ridge, smallProblem().ridge);
        QCOMPARE(sessionAt(other).ridge, otherProblem().ridge);
    }

    void whatIsWrittenOverOnPurposeIsNoLongerSaved()
    {
        const RunId first = stepped();
        const QString path = saveAs(QStringLiteral("shared.appa"));
        load(otherProblem());
        stepped();
        saveAs(QStringLiteral("shared.appa"));
        m_window->setCurrentRun(first);
        QCOMPARE(documents().path(), QString());
        closeWindow();
        QCOMPARE(autosaves().size(), 1);
        QCOMPARE(sessionAt(autosaves().front()).ridge, smallProblem().ridge);
        QCOMPARE(sessionAt(path).ridge, otherProblem().ridge);
    }

    void theLastOfTwoSavesIsWhatIsInTheFile()
    {
        const RunId id = stepped();
        const QString path = m_folder.filePath(QStringLiteral("twice.appa"));
        QSignalSpy saved(&documents(), &Documents::saved);
        documents().save(path);
        controller().model().setData(controller().model().index(0, RunModel::Name), QStringLiteral("renamed"));
        documents().save(path);
        QTRY_COMPARE(saved.count(), 2);
        QCOMPARE(sessionAt(path).runs.front().name, run(id).name.toStdString());
    }

    void quittingKeepsWhatWasNotSaved()
    {
        const RunId id = stepped();
        const auto points = run(id).trace.points.size();
        closeWindow();
        QCOMPARE(autosaves().size(), 1);
        QCOMPARE(sessionAt(autosaves().front()).runs.front().trace.points.size(), points);
    }

    void quittingLeavesNothingBehindOnceAllIsSaved()
    {
        stepped();
        documents().autosaveNow();
        QTRY_COMPARE(autosaves().size(), 1);
        documents().save(m_folder.filePath(QStringLiteral("saved.appa")));
        closeWindow(); // which waits for the save
        QCOMPARE(autosaves(), QStringList());
        QCOMPARE(sessionAt(m_folder.filePath(QStringLiteral("saved.appa"))).runs.size(), std::size_t(1));
    }

    void quittingAnUntouchedSessionLeavesNothingBehind()
    {
        stepped();
        const QString path = saveAs(QStringLiteral("untouched.appa"));
        closeWindow();
        m_window = std::make_unique<MainWindow>();
        QSignalSpy opened(&documents(), &Documents::opened);
        m_window->openFiles({path});
        QTRY_COMPARE(opened.count(), 1);
        QTRY_VERIFY(current().live);
        QCOMPARE(documents().path(), path);
        closeWindow();
        QCOMPARE(autosaves(), QStringList());
    }

    void everyProblemHasAnAutosaveOfItsOwn()
    {
        stepped();
        load(otherProblem());
        stepped();
        documents().autosaveNow();
        QTRY_COMPARE(autosaves().size(), 2);
        QList<double> ridges;
        for (const QString &path : autosaves())
            ridges << sessionAt(path).ridge;
        QVERIFY(ridges.contains(smallProblem().ridge));
        QVERIFY(ridges.contains(otherProblem().ridge));
    }

    void anAutosaveThatIsAlreadyThereIsNotWrittenOver()
    {
        // A process of this number was there before, and left something behind.
        const QString theirs = QString::fromStdString(autosavePath(1));
        QFile file(theirs);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.close();
        stepped();
        documents().autosaveNow();
        QTRY_COMPARE(autosaves().size(), 2);
        QCOMPARE(file.size(), 0);
    }

    void workLeftBehindIsOfferedAgain()
    {
        stepped();
        const QString theirs = leftBehind();
        QVERIFY(theirs.startsWith(m_folder.path()));
        QVERIFY(QFile::copy(theirs, QString::fromStdString(autosavePath(2, 4194399)))); // of the same process
        QVERIFY(QFile::copy(theirs, QString::fromStdString(autosavePath(1, 4194398))));
        QSignalSpy found(&documents(), &Documents::foundLeftOvers);
        documents().lookForLeftOvers();
        QCOMPARE(found.count(), 1);
        const QStringList paths = found[0][0].toStringList();
        QVERIFY(!paths.isEmpty());
        for (const QString &path : paths)
            QCOMPARE(path.contains(QStringLiteral("4194399")), paths.front().contains(QStringLiteral("4194399")));
        QSignalSpy opened(&documents(), &Documents::opened);
        m_window->openFiles(paths);
        QTRY_COMPARE(opened.count(), paths.size());
        QCOMPARE(current().trace.points.size(), std::size_t(2));
        for (const QString &path : paths)
            QTRY_VERIFY(!QFile::exists(path));
    }

    void aLeftOverStaysUntilItIsSavedAgain()
    {
        stepped();
        const QString theirs = leftBehind();
        const QString mine = autosaves().constFirst();
        stepped();                                          // further than what was left behind
        QVERIFY(QFile::remove(mine) && QDir().mkdir(mine)); // where nothing can be written
        QStringList log;
        connect(&controller(), &RunController::logged, this,
                [&log](Level, int, const QString &sentence) { log << sentence; });
        QSignalSpy opened(&documents(), &Documents::opened);
        m_window->openFiles({theirs});
        QTRY_COMPARE(opened.count(), 1);
        QTRY_VERIFY(!log.filter(QStringLiteral("Autosave")).isEmpty());
        QVERIFY(QFile::exists(theirs));
        QVERIFY(QDir().rmdir(mine));
        documents().autosaveNow();
        QTRY_VERIFY(!QFile::exists(theirs));
        QCOMPARE(sessionAt(mine).runs.size(), std::size_t(2));
    }

    void anAutosaveThatFailsIsSaidOnce()
    {
        stepped();
        documents().autosaveNow();
        QTRY_COMPARE(autosaves().size(), 1);
        const QString mine = autosaves().constFirst();
        QVERIFY(QFile::remove(mine) && QDir().mkdir(mine)); // where nothing can be written
        QSignalSpy said(&controller(), &RunController::said);
        stepped();
        documents().autosaveNow();
        QTRY_COMPARE(said.count(), 1);
        QVERIFY2(m_window->messages().text().contains(QStringLiteral("Autosave failed")),
                 qPrintable(m_window->messages().text()));
        QCOMPARE(m_window->messages().level(), Level::Warning);
        documents().finish(); // again
        QVERIFY(QDir().rmdir(mine));
        documents().finish();
        QVERIFY(QFile::exists(mine));
        QCOMPARE(said.count(), 1);
    }

    void anAutosaveThatThrowsIsSaidAndTheNextOneIsMade()
    {
        QTRY_VERIFY_WITH_TIMEOUT(current().problem->optimum, 20000); // which needs memory, too
        for (int stages = 0; stages < 10; ++stages)
            stepped();
        const QFileInfo text(saveAs(QStringLiteral("long.appa")));
        stepped();
        hasMemoryOfItsOwn = true;
        {
            const LittleMemory little(static_cast<std::size_t>(text.size()) / 2);
            QVERIFY(documents().finish()); // nothing of it was written
        }
        QVERIFY2(m_window->messages().text().contains(QStringLiteral("Autosave failed: The memory did not suffice")),
                 qPrintable(m_window->messages().text()));
        documents().autosaveNow();
        QTRY_COMPARE(autosaves().size(), 1);
    }

    void aWindowWhoseWorkCannotBeKeptAsksBeforeItCloses()
    {
        closeWindow();
        const QByteArray state = qgetenv("XDG_STATE_HOME");
        qputenv("XDG_STATE_HOME", "/dev/null");
        openWindow();
        const RunId id = stepped();
        load(otherProblem());
        const bool untouched = m_window->currentRun() != id;
        const bool closed = m_window->close();
        const RunId shown = m_window->currentRun();
        const QString asked = m_window->messages().text();
        documents().save(m_folder.filePath(QStringLiteral("kept.appa")));
        const bool closedThen = m_window->close();
        m_window->show();
        stepped();
        const bool closedAgain = m_window->close();
        for (QPushButton *button : m_window->messages().findChildren<QPushButton *>())
            if (button->text() == QStringLiteral("Close all the same"))
                button->click();
        const bool closedAllTheSame = !m_window->isVisible();
        qputenv("XDG_STATE_HOME", state);
        QVERIFY(untouched && !closed && closedThen && !closedAgain && closedAllTheSame);
        QVERIFY2(asked.contains(QStringLiteral("not saved")), qPrintable(asked));
        QCOMPARE(shown, id); // whose work it is
    }

    void aRunGoesOnWhereItsWindowDoesNotClose()
    {
        closeWindow();
        const QByteArray state = qgetenv("XDG_STATE_HOME");
        qputenv("XDG_STATE_HOME", "/dev/null");
        openWindow();
        const RunId idle = stepped();
        m_window->actions().newRun->trigger();
        const RunId id = m_window->currentRun();
        controller().change(id, QStringLiteral("stages"), 1e6);
        press(Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(run(id).stage > 1, 20000);
        const bool closed = m_window->close();
        qputenv("XDG_STATE_HOME", state);
        QVERIFY(!closed);
        const Index reached = run(id).stage;
        QTRY_VERIFY_WITH_TIMEOUT(run(id).stage > reached + 10, 20000);
        QVERIFY(run(id).isRunning());
        QVERIFY(!run(idle).isRunning());
    }

    void aLeftOverWithoutItsDataIsKeptAsItIs()
    {
        stepped();
        const QString theirs = leftBehind();
        Session session = sessionAt(theirs);
        session.data.source = "/nonexistent/data.svm";
        session.fOpt = 1.25;
        session.fOptFloor = 1e-9;
        write(theirs, session);
        QSignalSpy opened(&documents(), &Documents::opened);
        m_window->openFiles({theirs});
        QTRY_COMPARE(opened.count(), 1);
        QVERIFY(!opened[0][1].toString().isEmpty());
        QCOMPARE(current().problem->optimum->floor, 1e-9);
        QVERIFY(!m_window->actions().step->isEnabled()); // there is nothing to step
        QTRY_VERIFY(!QFile::exists(theirs));
        const QStringList mine = autosaves();
        QVERIFY(std::ranges::any_of(mine, [&](const QString &path) {
            const Session copy = sessionAt(path);
            return copy.data.source == session.data.source && copy.dataHash == session.dataHash
                && copy.columns == session.columns && copy.fOptFloor == session.fOptFloor && copy.runs.size() == 1;
        }));
    }

    void severalSessionsAreOpenedOneAfterTheOther()
    {
        stepped();
        const QString first = saveAs(QStringLiteral("one.appa"));
        load(otherProblem());
        stepped();
        const QString second = saveAs(QStringLiteral("two.appa"));
        closeWindow();
        m_window = std::make_unique<MainWindow>();
        QSignalSpy opened(&documents(), &Documents::opened);
        m_window->openFiles({first, second});
        const auto *progress = m_window->problemPanel().findChild<QProgressBar *>();
        QVERIFY(documents().isReading());
        QVERIFY(progress->isVisibleTo(&m_window->problemPanel()));
        emit m_window->problemPanel().cancelRequested();
        QVERIFY(!documents().isReading());
        QVERIFY(!progress->isVisibleTo(&m_window->problemPanel()));
        m_window->openFiles({first, second});
        QTRY_COMPARE(opened.count(), 2);
        QCOMPARE(controller().model().rowCount(), 2);
        QCOMPARE(controller().model().runs()[0]->problem->spec.ridge, smallProblem().ridge);
        QCOMPARE(controller().model().runs()[1]->problem->spec.ridge, otherProblem().ridge);
        QCOMPARE(documents().path(), second);
    }

    void aSessionTakesThePlaceOfTheRunThatNeverBegan()
    {
        stepped();
        const QString path = saveAs(QStringLiteral("place.appa"));
        closeWindow();
        openWindow(); // the same problem, with a run that is ready
        QSignalSpy opened(&documents(), &Documents::opened);
        m_window->openFiles({path});
        QTRY_COMPARE(opened.count(), 1);
        QCOMPARE(controller().model().rowCount(), 1);
        stepped();
        m_window->openFiles({path}); // but it joins those that have
        QTRY_COMPARE(opened.count(), 2);
        QCOMPARE(controller().model().rowCount(), 2);
    }

    void aSecondSessionOfAProblemLeavesWhereTheFirstIsSaved()
    {
        stepped();
        const QString first = saveAs(QStringLiteral("first of two.appa"));
        closeWindow();
        openWindow();
        stepped();
        stepped();
        const QString second = saveAs(QStringLiteral("second of two.appa"));
        closeWindow();
        m_window = std::make_unique<MainWindow>();
        QSignalSpy opened(&documents(), &Documents::opened);
        m_window->openFiles({first, second});
        QTRY_COMPARE_WITH_TIMEOUT(opened.count(), 2, 20000);
        QCOMPARE(controller().model().rowCount(), 2);
        QCOMPARE(documents().path(), first);
    }

    void aSessionThatIsOpenIsShownInsteadOfOpenedAgain()
    {
        const RunId id = stepped();
        const QString path = saveAs(QStringLiteral("open.appa"));
        load(otherProblem());
        const RunId other = stepped();
        QSignalSpy opened(&documents(), &Documents::opened);
        m_window->openFiles({path});
        QTRY_COMPARE(opened.count(), 1);
        QCOMPARE(m_window->currentRun(), id);
        QCOMPARE(controller().problem(), run(id).problem);
        QCOMPARE(controller().model().rowCount(), 2);
        QVERIFY(m_window->messages().text().contains(QStringLiteral("open already")));
        // Also without the data.
        Session session = sessionAt(path);
        session.data.source = "/nonexistent/data.csv";
        write(path, session);
        for (int times = 1; times <= 2; ++times) {
            m_window->openFiles({path});
            QTRY_COMPARE(opened.count(), 1 + times);
            QCOMPARE(controller().model().rowCount(), 3);
        }
        QVERIFY(controller().model().find(other));
    }

    void aSessionThatIsOpenedLastIsWhatIsShown()
    {
        stepped();
        const QString path = saveAs(QStringLiteral("last.appa"));
        QSignalSpy opened(&documents(), &Documents::opened);
        ProblemSpec slow = smallProblem();
        slow.recipe.source = "ill-conditioned:n=200000,d=200";
        controller().setProblem(slow);
        m_window->openFiles({path});
        QTRY_COMPARE(opened.count(), 1);
        QVERIFY(!controller().isLoading());
        QCOMPARE(current().problem->spec, smallProblem());
    }

    void aNameIsSuggestedAfterTheData()
    {
        QCOMPARE(documents().suggestedPath(), QStringLiteral("ill-conditioned.appa"));
        stepped();
        const QString path = saveAs(QStringLiteral("mine.appa"));
        QCOMPARE(documents().suggestedPath(), path);
    }

    void whatTheWindowDoesNotChangeStaysInTheFile()
    {
        stepped();
        const QString path = saveAs(QStringLiteral("measured.appa"));
        Session session = sessionAt(path);
        session.runs.front().measuresPerPass = 3;
        session.view.replace(session.view.find("\"colour\":0"), 10, "\"colour\":-5");
        write(path, session);
        closeWindow();
        m_window = std::make_unique<MainWindow>();
        QSignalSpy opened(&documents(), &Documents::opened);
        m_window->openFiles({path});
        QTRY_COMPARE(opened.count(), 1);
        QVERIFY(current().colour >= 0);
        saveAs(QStringLiteral("measured.appa"));
        QCOMPARE(sessionAt(path).runs.front().measuresPerPass, 3);
    }
};

QTEST_MAIN(TestDocuments)
#include "tst_ui_documents.moc"
