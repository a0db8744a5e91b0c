// What does the window cost, and how soon does it show what was done? Needs a display (Xvfb serves).
//   frames: 40 runs of 2000 points, one more running on the given data, 60 s: the intervals between frames as the
//   window's own frame counter sees them
//   answer: from the key that moves lambda to the frame with its marker
//   solver: rows a second beside the window against the same run alone, in turns
//
//   appa-window-cost --data train-images-idx3-ubyte --features 12000 [--rows N] [--seconds S] [--times K] [--picture
//   FILE]

#include "Actions.h"
#include "LoadOptions.h"
#include "MainWindow.h"

#include "charts/CurvesView.h"
#include "charts/PlotView.h"
#include "problem/ProblemLoader.h"
#include "shell/FlatStyle.h"

#include <QAction>
#include <QApplication>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>
#include <unistd.h>

using namespace appa;
using namespace appa::ui;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int turns = 40;

double seconds(Clock::time_point since)
{
    return std::chrono::duration<double>(Clock::now() - since).count();
}

/// Milliseconds that the host of a virtual machine kept its processors to itself, summed over them: no program can
/// answer meanwhile. 0 where there is no such count.
double takenByHost()
{
    std::ifstream in("/proc/stat");
    std::string word;
    double ticks = 0;
    in >> word;
    for (int column = 0; column < 8; ++column)
        in >> ticks;
    return in ? ticks * 1000 / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0;
}

/// The window lives on for so long.
void live(double duration)
{
    QEventLoop loop;
    QTimer::singleShot(static_cast<int>(1000 * duration), Qt::PreciseTimer, &loop, &QEventLoop::quit);
    loop.exec();
}

template <class Condition> bool waitUntil(Condition &&condition, double limit)
{
    for (const auto from = Clock::now(); !condition();) {
        if (seconds(from) > limit)
            return false;
        live(0.002);
    }
    return true;
}

/// A finished run with a noisy course to about `floor`.
RunRecord finishedRun(const ProblemStatePtr &problem, int number, std::size_t points)
{
    RunRecord run;
    run.name = QStringLiteral("finished %1").arg(number);
    run.colour = number;
    run.problem = problem;
    run.method = run.spec.method = "sdca";
    run.status = RunStatus::Finished;
    std::mt19937 generator(static_cast<unsigned>(number));
    std::normal_distribution<double> noise(0, 0.1);
    for (std::size_t k = 0; k < points; ++k) {
        const double fall = std::exp(-(0.003 + 0.0001 * number) * static_cast<double>(k)) * std::exp(noise(generator));
        TracePoint point;
        point.stage = static_cast<Index>(k);
        point.cost.accesses = static_cast<Index>(k) * problem->rows() / 100;
        point.loss = problem->optimum->value + 0.4 * fall;
        point.testError = 0.05 + 0.4 * fall;
        point.seconds = 0.01 * static_cast<double>(k);
        run.trace.points.push_back(point);
    }
    run.stage = static_cast<Index>(points);
    run.cost = run.trace.points.back().cost;
    return run;
}

/// The same run without a window, for so many seconds: accesses a second.
double speedAlone(const ProblemPtr &problem, const RunSpec &spec, double duration)
{
    auto run = Run::create(problem, spec, {.stages = 0});
    if (!run)
        return 0;
    Runner runner;
    runner.add(1, std::move(run).value());
    runner.resume(1);
    Cost cost;
    const auto read = [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(16));
        for (const RunUpdate &update : runner.take())
            cost = update.cost;
    };
    for (const auto from = Clock::now(); seconds(from) < 1;)
        read();
    const Cost before = cost;
    const auto from = Clock::now();
    while (seconds(from) < duration)
        read();
    return static_cast<double>(cost.accesses - before.accesses) / seconds(from);
}

} // namespace

int main(int argc, char **argv)
{
    QTemporaryDir folder;
    for (const char *name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"})
        qputenv(name, folder.filePath(QString::fromLatin1(name)).toLocal8Bit());
    QApplication app(argc, argv);
    QApplication::setOrganizationName(QStringLiteral("appa-lab-measured"));

    DataOptions options;
    double duration = 60;
    int times = 20;
    QString picture;
    for (int k = 1; k < argc; ++k) {
        const std::string word = argv[k];
        if (options.take(argc, argv, k))
            continue;
        if (word == "--seconds" && k + 1 < argc)
            duration = std::atof(argv[++k]);
        else if (word == "--times" && k + 1 < argc)
            times = std::atoi(argv[++k]);
        else if (word == "--picture" && k + 1 < argc)
            picture = QString::fromLocal8Bit(argv[++k]);
    }
    auto state = std::make_shared<ProblemState>();
    state->spec.recipe = options.recipe();
    state->problem = options.load();
    state->title = titleOf(state->spec, &state->problem->data());
    // An optimum that is known: what is measured is a run, not the search for F_opt beside it.
    state->optimum = Optimum{.value = 0.02, .x = {}, .message = {}};

    auto *style = new FlatStyle;
    QApplication::setStyle(style);
    MainWindow window(style);
    window.resize(1440, 900);
    window.setSpeed(0);
    window.actions().floors->setChecked(false); // ls(lambda) is a solve of its own
    window.show();
    if (!QTest::qWaitForWindowExposed(&window)) {
        std::fprintf(stderr, "the window did not come up: is there a display?\n");
        return 1;
    }
    RunController &controller = window.controller();
    controller.adoptProblem(state);
    controller.reference().cancel();
    for (int k = 0; k < 39; ++k)
        controller.restore(finishedRun(state, k, 2000), nullptr);
    const RunId id = window.currentRun();
    const auto record = [&]() -> const RunRecord & { return *controller.model().find(id); };
    waitUntil([&] { return record().live; }, 60);
    controller.change(id, QStringLiteral("stages"), 0.0);
    std::printf("%s, %lld x %lld; window %d x %d, %d runs\n\n", state->title.toUtf8().constData(),
                static_cast<long long>(state->problem->n()), static_cast<long long>(state->problem->d()),
                window.width(), window.height(), controller.model().rowCount());

    // --- frames
    controller.resume(id);
    waitUntil([&] { return record().cost.accesses > 0; }, 60);
    live(2);
    window.actions().frames->setChecked(true);
    live(duration);
    const FrameClock::Statistics frames = window.curves().frameStatistics();
    std::printf("frames over %.0f s: %d, 99 %% within %.1f ms, longest %.1f ms, painting %.1f ms\n", duration,
                frames.frames, frames.p99, frames.max, frames.paint);
    if (!picture.isEmpty())
        window.grab().save(picture);

    // --- answer
    PlotView *plot = window.curves().plot(CurvePanel::Loss);
    std::size_t painted = 0; // events in the newest frame
    QObject::connect(plot, &PlotView::painted, &window, [&] { painted = plot->content().events.size(); });
    struct Answer
    {
        double ms, taken;
        auto operator<=>(const Answer &) const = default;
    };
    std::vector<Answer> answers;
    for (int k = 0; k < times; ++k) {
        live(0.3 + 0.037 * (k % 7));
        const std::size_t before = painted;
        const double taken = takenByHost();
        const auto from = Clock::now();
        QTest::keyClick(&window, k % 2 ? Qt::Key_Up : Qt::Key_Down, Qt::ControlModifier);
        if (!waitUntil([&] { return painted > before; }, 5))
            std::printf("a marker did not come\n");
        const double ms = 1000 * seconds(from);
        answers.push_back({ms, takenByHost() - taken});
    }
    std::sort(answers.begin(), answers.end());
    if (!answers.empty())
        std::printf("lambda moved to marker painted, %d times: median %.0f ms, longest %.0f ms (the host took %.0f ms "
                    "of processor time meanwhile)\n",
                    times, answers[answers.size() / 2].ms, answers.back().ms, answers.back().taken);

    window.actions().frames->setChecked(false);

    // --- solver: many short turns, because a shared machine's memory is not equally fast from second to second
    std::vector<double> ratios;
    for (int k = 0; k < turns; ++k) {
        controller.pause(id);
        waitUntil([&] { return record().status != RunStatus::Running; }, 5);
        window.hide();
        const double alone = speedAlone(state->problem, record().spec, duration / 30);
        window.show();
        controller.resume(id);
        live(1);
        const Index before = record().cost.accesses;
        const auto from = Clock::now();
        live(duration / 30);
        ratios.push_back(static_cast<double>(record().cost.accesses - before) / seconds(from) / alone);
    }
    std::sort(ratios.begin(), ratios.end());
    double mean = 0, square = 0;
    for (const double ratio : ratios) {
        mean += std::log(ratio) / turns;
        square += std::log(ratio) * std::log(ratio) / turns;
    }
    std::printf("rows a second beside the window / alone, %d turns: %.3f +- %.3f (median %.3f)\n", turns,
                std::exp(mean), std::exp(mean) * std::sqrt((square - mean * mean) / turns), ratios[turns / 2]);
    return 0;
}
