#pragma once

#include "MainWindow.h"
#include "OwnFolders.h"

#include "charts/CurvesView.h"
#include "charts/PlotView.h"
#include "form/ParamField.h"
#include "form/ParamForm.h"
#include "panels/MethodPanel.h"

#include <QComboBox>
#include <QObject>
#include <QTest>

#include <memory>

/// A window with a small problem and one run that is ready, in folders of its own.
class WindowTest : public QObject
{
protected:
    std::unique_ptr<appa::MainWindow> m_window;
    OwnFolders m_folder;

    appa::ui::RunController &controller() { return m_window->controller(); }
    const appa::ui::RunRecord &run(appa::RunId id) { return *controller().model().find(id); }
    const appa::ui::RunRecord &current() { return run(m_window->currentRun()); }
    appa::ui::ParamField *lambda() { return m_window->methodPanel().form()->field(QStringLiteral("lambda")); }
    qsizetype drawn(appa::RunId id)
    {
        m_window->curves().flush();
        return m_window->curves().plot(appa::ui::CurvePanel::Loss)->drawnPoints(id).size();
    }

    static appa::ui::ProblemSpec smallProblem()
    {
        appa::ui::ProblemSpec spec;
        spec.recipe.source = "ill-conditioned:n=400,d=30,seed=3";
        return spec;
    }
    static appa::ui::ProblemSpec otherProblem()
    {
        appa::ui::ProblemSpec spec = smallProblem();
        spec.ridge = 1e-3;
        return spec;
    }
    void load(const appa::ui::ProblemSpec &spec)
    {
        controller().setProblem(spec);
        QTRY_VERIFY_WITH_TIMEOUT(controller().problem() && controller().problem()->spec == spec, 20000);
        QTRY_VERIFY(m_window->currentRun() > 0 && current().live && current().problem == controller().problem());
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(m_window.get(), key, modifiers); }
    /// One stage of the current run; its id.
    appa::RunId stepped()
    {
        const appa::RunId id = m_window->currentRun();
        const std::size_t points = run(id).trace.points.size();
        controller().stepStage(id);
        [&] { QTRY_VERIFY(run(id).trace.points.size() > std::max<std::size_t>(1, points) && !run(id).isRunning()); }();
        return id;
    }
    void pickMethod(const char *id)
    {
        QComboBox *box = m_window->methodPanel().methodBox();
        const int at = box->findData(QString::fromLatin1(id));
        QVERIFY2(at >= 0, id);
        box->setCurrentIndex(at);
        emit box->activated(at);
    }

    void openWindow()
    {
        m_window = std::make_unique<appa::MainWindow>();
        m_window->resize(1200, 800);
        m_window->setSpeed(0);
        m_window->show();
        load(smallProblem());
    }
    void closeWindow()
    {
        if (m_window)
            m_window->close();
        m_window.reset();
    }
};
