#include "views/TheoryView.h"

#include "RunController.h"
#include "theme/Format.h"

#include <QPointF>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace appa::ui {

namespace {

struct Erratum
{
    const char *where;
    const char *what;
};

// Each was confirmed numerically; the tests hold the corrected forms.
constexpr Erratum errata[] = {
    {"Gap lemma",
     "The printed identity fails for s ≠ x (a cross term is lost). What holds: gap(x, ŷ(x)) = |∇f<sub>s,λ</sub>(x)|² / "
     "(2λ)."},
    {"Initial dual error",
     "2κ<sub>λ</sub> is too small; nκ<sub>λ</sub> holds and is tight. (|∇f| in the proof is to be squared.)"},
    {"Dual error bounds primal error",
     "2(nκ<sub>λ</sub>)² holds but is loose; nκ<sub>λ</sub>, indeed L|A|²/λ, holds and is tight."},
    {"Accelerated APPA's oracle",
     "As printed it starts at y, while the lemma bounds the error at x. Here it starts at x."},
    {"Theorem 1.1",
     "The left side lacks the proximal term: as printed it fails for x²/2. A factor log(λ/μ) from ψ₀ is missing too."},
    {"Accelerated APPA's constants",
     "4ρ<sup>3/2</sup> suffices (8 is not needed), λ &gt; 2μ is not needed, and ψ₀ is 2κ + 2."},
    {"Dual APPA's proof",
     "n³ where n² is meant, c′μ where c′λ is meant, labels of the invariants exchanged; the printed σ still works."},
    {"Assumption 1", "It is F(y) ≥ …; x lies in R<sup>d</sup>; (γ/2n)|x|² is not a function of z."},
};

/// Each bound once, with the methods that have it, in the registry's order.
std::vector<std::pair<QString, std::vector<const MethodInfo *>>> boundsOfTable1()
{
    std::vector<std::pair<QString, std::vector<const MethodInfo *>>> out;
    for (const MethodInfo &m : methods()) {
        if (m.table1.empty())
            continue;
        const QString bound = QString::fromStdString(m.table1).section(QStringLiteral(": "), -1);
        const auto known = std::ranges::find(out, bound, &decltype(out)::value_type::first);
        if (known == out.end())
            out.push_back({bound, {&m}});
        else
            known->second.push_back(&m);
    }
    return out;
}

QString wholeNumber(double v)
{
    return v < 1e9 ? formatCount(static_cast<std::int64_t>(v)) : formatNumber(v, 3);
}

QString rateText(std::optional<double> rate)
{
    if (!rate)
        return QStringLiteral("–");
    if (*rate <= 0 || *rate >= 1)
        return *rate >= 1 ? TheoryView::tr("no decrease") : TheoryView::tr("at once");
    const double digit = std::log(0.1) / std::log(*rate);
    return TheoryView::tr("× %1 per pass (a digit in %2 passes)").arg(formatNumber(*rate, 4), formatNumber(digit, 3));
}

} // namespace

std::optional<double> measuredRate(const RunRecord &run)
{
    if (!run.problem || !run.problem->optimum || !run.problem->optimum->known)
        return std::nullopt;
    // The slope of log excess over passes, least squares over the points above the resolution floor since the last
    // change: the later half of them, so that the ripples of momentum even out, and at least eight.
    const double floor = std::max(run.problem->optimum->floor, 0.0);
    std::vector<QPointF> course;
    for (const TracePoint &p : pointsSinceLastChange(run.trace)) {
        const double excess = excessOf(run, p.loss);
        if (excess > 4 * floor && std::isfinite(excess) && excess > 0)
            course.emplace_back(passesOf(run, p.cost), std::log(excess));
    }
    const std::size_t last = std::min(course.size(), std::max<std::size_t>(8, course.size() / 2));
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (const QPointF &p : std::span(course).last(last))
        n += 1, sx += p.x(), sy += p.y(), sxx += p.x() * p.x(), sxy += p.x() * p.y();
    const double spread = n * sxx - sx * sx;
    if (n < 3 || !(spread > 0))
        return std::nullopt;
    return std::exp((n * sxy - sx * sy) / spread);
}

TheoryView::TheoryView(QWidget *parent) : QTextBrowser(parent)
{
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Theory"));
    setObjectName(QStringLiteral("theory"));
    setOpenLinks(false);
    document()->setDocumentMargin(20);
}

void TheoryView::setTheme(const Theme &theme)
{
    m_theme = theme;
    setFont(theme.font(TextRole::Body));
    m_shown.clear();
}

void TheoryView::showFor(const ProblemState *problem, const RunRecord *run)
{
    const QString text = html(problem, run);
    if (text == m_shown)
        return;
    m_shown = text;
    const int at = verticalScrollBar()->value();
    setHtml(text);
    verticalScrollBar()->setValue(at);
}

QString TheoryView::html(const ProblemState *problem, const RunRecord *run) const
{
    const QString muted = m_theme.textMuted.name();
    QString out =
        QStringLiteral(
            "<style>h3 { margin: 18px 0 8px 0; font-size: %1px; } td { padding: 4px 20px 4px 0; } .m { color: %2; } "
            ".on { font-weight: 600; color: %3; } p { margin: 4px 0; }</style>")
            .arg(m_theme.font(TextRole::Title).pixelSize())
            .arg(muted, m_theme.accent.name());
    const auto row = [&](const QString &symbol, const QString &value, const QString &meaning) {
        out += QStringLiteral("<tr><td><b>%1</b></td><td align='right'>%2</td><td class='m'>%3</td></tr>")
                   .arg(symbol, value, meaning);
    };
    const MethodInfo *info = run ? findMethod(run->method) : nullptr;
    out += QStringLiteral("<h3>%1</h3>").arg(tr("Constants of the problem"));
    if (!problem || !problem->problem) {
        out += QStringLiteral("<p class='m'>%1</p>")
                   .arg(problem ? tr("The data is not here; the curves are.") : tr("There is no problem yet."));
    } else if (!problem->constants) {
        out += QStringLiteral("<p class='m'>%1</p>").arg(tr("They are not known yet: they are computed after F_opt."));
    } else {
        const Constants &c = *problem->constants;
        const Problem &p = *problem->problem;
        out += QStringLiteral("<table>");
        row(QStringLiteral("n, d"), QStringLiteral("%1, %2").arg(formatCount(p.n()), formatCount(p.d())),
            tr("training rows and features"));
        row(QStringLiteral("L"), formatNumber(c.L),
            tr("curvature bound of a single term φ<sub>i</sub> (weight 1/n included)"));
        row(QStringLiteral("R"), formatNumber(c.R), tr("largest row norm"));
        row(QStringLiteral("M"), formatNumber(c.M), tr("smoothness of F: L|A|² + γ"));
        row(QStringLiteral("μ"), formatNumber(c.mu),
            c.muIsLocal ? tr("strong convexity, at the optimum only") : tr("strong convexity of F"));
        row(QStringLiteral("κ"), wholeNumber(c.kappa), tr("⌈LR²/μ⌉, the condition number of Table 1"));
        if (run && info && info->lambda != LambdaMeaning::StepSize && run->effective.real("lambda") > 0)
            row(QStringLiteral("κ<sub>λ</sub>"), wholeNumber(c.kappaAt(run->effective.real("lambda"))),
                tr("⌈LR²/λ⌉ at λ = %1").arg(formatPower(run->effective.real("lambda"))));
        if (problem->optimum)
            row(QStringLiteral("F<sub>opt</sub>"), QString::number(problem->optimum->value, 'g', 10),
                problem->optimum->attained
                    ? tr("certified to %1; differences below %2 mean nothing")
                          .arg(formatNumber(problem->optimum->certificate, 2), formatNumber(problem->optimum->floor, 2))
                    : prettyText(QString::fromStdString(problem->optimum->message)).toHtmlEscaped());
        out += QStringLiteral("</table>");
    }

    if (info) {
        out += QStringLiteral("<h3>%1: %2</h3>")
                   .arg(run->name.toHtmlEscaped(), QString::fromStdString(info->label).toHtmlEscaped());
        out += QStringLiteral("<p>%1</p><p class='m'>%2</p><p class='m'>%3</p><table>")
                   .arg(QString::fromStdString(info->summary).toHtmlEscaped(),
                        mathHtml(QString::fromStdString(info->update)),
                        QString::fromStdString(info->citation).toHtmlEscaped());
        const bool regularized = info->lambda == LambdaMeaning::RidgeWeight;
        const QString condition = RunController::theoryCondition(*run);
        row(tr("Predicted"), rateText(RunController::theoryRate(*run)),
            (regularized ? tr("what the corrected bounds promise for F + (λ/2)|x|², which the method minimizes")
                         : tr("what the corrected bounds promise for these parameters"))
                + (condition.isEmpty() ? QString() : QStringLiteral(", ") + condition));
        row(tr("Measured"), rateText(measuredRate(*run)),
            regularized ? tr("slope of F over the later points since the last change; F stays above the ridge floor")
                        : tr("slope over the later points since the last change"));
        out += QStringLiteral("</table>");
    }

    out += QStringLiteral("<h3>%1</h3><table>").arg(tr("Running times (Table 1)"));
    for (const auto &[bound, ids] : boundsOfTable1()) {
        QStringList names;
        bool on = false;
        bool ours = false;
        for (const MethodInfo *m : ids) {
            names << QString::fromStdString(m->label).toHtmlEscaped();
            on = on || m == info;
            ours = ours || m->family == MethodFamily::Reduction;
        }
        if (ours)
            names.last() += QStringLiteral(" <span class='m'>%1</span>").arg(tr("(this work)"));
        out +=
            QStringLiteral("<tr><td%1>%2</td><td%1>%3</td></tr>")
                .arg(on ? QStringLiteral(" class='on'") : QString(), names.join(QStringLiteral(", ")), mathHtml(bound));
    }
    out += QStringLiteral("</table><p class='m'>%1</p>")
               .arg(tr("Up to constants and logarithms; ε₀/ε is the factor by which the error shrinks. F: the method "
                       "minimizes the empirical risk itself; F + λr: only the regularized problem; Ax = b: only a "
                       "system that has a solution. This work: APPA and Dual APPA with APCG inside and λ = μ, "
                       "Accelerated APPA with SVRG inside."));

    out += QStringLiteral("<h3>%1</h3><p class='m'>%2</p><table>")
               .arg(tr("Corrections used here"),
                    tr("The statements this program relies on, where they differ from the printed ones."));
    for (const Erratum &e : errata)
        out += QStringLiteral("<tr><td style='white-space:nowrap'><b>%1</b></td><td>%2</td></tr>")
                   .arg(tr(e.where), tr(e.what));
    out += QStringLiteral("</table>");
    return out;
}

} // namespace appa::ui
