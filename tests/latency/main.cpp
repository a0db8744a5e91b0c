// How soon does a run answer? Prints, as Markdown, for one data set and a list of methods:
//   the longest tick, the longest copy (a checkpoint), and the time from a command to what is seen of it: pause, a
//   change of lambda, cancel (the run removed) and quit (the runner destroyed in the middle of a stage).
//
//   appa-latency --data train-images-idx3-ubyte --features 12000 [--rows N] [--loss L] [--ridge G] [--times K]
//   [METHOD[:inner][,key=value..]]..

#include "LoadOptions.h"

#include "run/Runner.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using namespace appa;

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::time_point since)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

struct Options
{
    DataOptions data;
    int times = 20;
    std::vector<std::string> methods;
};

Options optionsOf(int argc, char **argv)
{
    Options options;
    for (int k = 1; k < argc; ++k) {
        const std::string word = argv[k];
        if (options.data.take(argc, argv, k))
            continue;
        if (word == "--times" && k + 1 < argc)
            options.times = std::atoi(argv[++k]);
        else
            options.methods.push_back(word);
    }
    if (options.methods.empty())
        options.methods = {"dual-appa",
                           "dual-appa,stages=certified",
                           "accelerated-appa",
                           "appa:svrg",
                           "appa:exact",
                           "sdca",
                           "svrg",
                           "saga",
                           "gd",
                           "agd"};
    return options;
}

/// "method:inner,key=value,.."
RunSpec specOf(const std::string &text)
{
    RunSpec spec;
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::size_t colon = text.find(':');
    spec.method = text.substr(0, std::min(colon, comma));
    if (colon < comma)
        spec.inner = text.substr(colon + 1, comma - colon - 1);
    for (std::size_t from = comma; from < text.size();) {
        const std::size_t to = std::min(text.find(',', from + 1), text.size());
        const std::string item = text.substr(from + 1, to - from - 1);
        const std::size_t equals = std::min(item.find('='), item.size());
        const MethodInfo *info = findMethod(spec.method);
        for (const ParamSpec &param : info ? paramsOf(*info, spec.inner) : std::vector<ParamSpec>())
            if (param.key == item.substr(0, equals) && equals < item.size())
                if (const auto value = parseParam(param, item.substr(equals + 1)))
                    spec.params.set(param.key, value.value());
        from = to;
    }
    return spec;
}

std::unique_ptr<Run> makeRun(const ProblemPtr &problem, const RunSpec &spec)
{
    auto run = Run::create(problem, spec, {.stages = 0});
    if (!run) {
        std::fprintf(stderr, "%s\n", run.error().message.c_str());
        std::exit(2);
    }
    return std::move(run).value();
}

struct Longest
{
    double tick = 0;
    double copy = 0;
};

/// The method alone, tick by tick, for some seconds; what it has to know is learnt before.
Longest longestTick(const ProblemPtr &problem, const RunSpec &spec, double seconds)
{
    Longest longest;
    auto engine = Engine::create(problem, spec);
    if (!engine)
        return longest;
    problem->learn(engine.value().missing());
    const auto begin = Clock::now();
    for (Index k = 0; milliseconds(begin) < 1000 * seconds; ++k) {
        Slice one = Slice::ticks(1);
        auto from = Clock::now();
        const Method::State state = engine.value().advance(one);
        longest.tick = std::max(longest.tick, milliseconds(from));
        if (k % 256 == 0 || state == Method::State::StageEnd) {
            from = Clock::now();
            const Engine copy = engine.value().clone();
            longest.copy = std::max(longest.copy, milliseconds(from));
        }
        if (engine.value().ended())
            break;
    }
    return longest;
}

/// From a command to what is seen of it.
class Session
{
public:
    Session(const ProblemPtr &problem, const RunSpec &spec)
    {
        m_runner = std::make_unique<Runner>(2);
        m_runner->add(1, makeRun(problem, spec));
        m_runner->resume(1);
    }
    void goOn(double ms)
    {
        const auto from = Clock::now();
        while (milliseconds(from) < ms) {
            read();
            std::this_thread::sleep_for(std::chrono::microseconds(500));
        }
    }
    double pause()
    {
        const auto from = Clock::now();
        m_runner->pause(1);
        wait([&] { return m_last.status != RunStatus::Running; });
        const double ms = milliseconds(from);
        m_runner->resume(1);
        wait([&] { return m_last.status == RunStatus::Running || m_last.status == RunStatus::Finished; });
        return ms;
    }
    double change(double lambda)
    {
        const std::size_t before = m_events;
        const auto from = Clock::now();
        m_runner->change(1, "lambda", lambda);
        wait([&] { return m_events > before || !m_last.message.empty(); });
        return milliseconds(from);
    }
    double remove()
    {
        const auto from = Clock::now();
        m_runner->remove(1);
        while (m_runner->pointOf(1))
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        return milliseconds(from);
    }
    double quit()
    {
        const auto from = Clock::now();
        m_runner.reset();
        return milliseconds(from);
    }
    const RunUpdate &last() const { return m_last; }
    bool hasLambda() const { return m_last.effective.contains("lambda"); }

private:
    void read()
    {
        for (RunUpdate &update : m_runner->take()) {
            m_events = update.keepEvents + update.events.size();
            m_last = std::move(update);
        }
    }
    template <class Condition> void wait(Condition &&condition)
    {
        for (const auto from = Clock::now(); read(), !condition() && milliseconds(from) < 20000;)
            std::this_thread::sleep_for(std::chrono::microseconds(200));
    }

    std::unique_ptr<Runner> m_runner;
    RunUpdate m_last;
    std::size_t m_events = 0;
};

void report(const ProblemPtr &fresh, const Options &options, const std::string &name)
{
    const RunSpec spec = specOf(name);
    // A problem of which nothing is known: the first commands find the method learning, if it has to.
    double learningPause = 0, learningQuit = 0;
    bool learns = false;
    {
        Session session(fresh, spec);
        session.goOn(30);
        learns = session.last().learning;
        learningPause = session.pause();
        session.goOn(20);
        learningQuit = session.quit();
    }
    const Longest longest = longestTick(fresh, spec, 8);
    double pause = 0, change = 0, cancel = 0, quit = 0;
    double lambda = 0;
    {
        Session session(fresh, spec);
        session.goOn(300);
        for (int k = 0; k < options.times; ++k) {
            session.goOn(5 + 37 * (k % 7));
            pause = std::max(pause, session.pause());
            if (!session.hasLambda())
                continue;
            if (lambda == 0)
                lambda = std::max(1e-9, session.last().effective.real("lambda"));
            session.goOn(3 + 41 * (k % 5));
            change = std::max(change, session.change(lambda * (k % 2 ? 1.0 : 0.5)));
        }
        cancel = session.remove();
    }
    for (int k = 0; k < 5; ++k) {
        Session session(fresh, spec);
        session.goOn(60 + 70 * k);
        quit = std::max(quit, session.quit());
    }
    std::printf("| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |", name.c_str(), longest.tick, longest.copy, pause,
                change, cancel, quit);
    if (learns)
        std::printf(" %.1f / %.1f |", learningPause, learningQuit);
    else
        std::printf(" |");
    std::printf("\n");
    std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
    const Options options = optionsOf(argc, argv);
    const ProblemPtr loaded = options.data.load();
    std::printf("%s, %lld x %lld, %s loss, ridge %g; milliseconds, the worst of %d\n\n", loaded->data().name.c_str(),
                static_cast<long long>(loaded->n()), static_cast<long long>(loaded->d()), options.data.loss.c_str(),
                options.data.ridge, options.times);
    std::printf("| method | tick | copy | pause | change | cancel | quit | while learning: pause / quit |\n"
                "|---|---|---|---|---|---|---|---|\n");
    for (const std::string &method : options.methods)
        report(std::make_shared<const Problem>(loaded->dataPtr(), loaded->loss(), options.data.ridge), options, method);
    return 0;
}
