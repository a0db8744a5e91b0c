#pragma once

#include "Background.h"
#include "RunController.h"
#include "base/AtomicFile.h"
#include "run/Session.h"

#include <QDateTime>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace appa {

/// Sessions: saving, opening, the autosave that survives a crash, and the files used lately. A session is one problem
/// and its runs; the window can hold several. Files are read and written in the background.
class Documents final : public QObject
{
    Q_OBJECT
public:
    explicit Documents(ui::RunController &controller, QObject *parent = nullptr);
    ~Documents() override;

    void setShown(const ui::ProblemStatePtr &problem, RunId chosen)
    {
        m_shown = problem;
        m_chosen = chosen;
    }
    /// The file in which the problem shown was saved, or from which it was opened; "" if there is none.
    QString path() const;
    /// Where it is saved, or a name for it after its data set.
    QString suggestedPath() const;
    /// The problem shown and its runs, as they are now. Not over what somebody else has written to its file meanwhile.
    void save(const QString &path) { write(shown(), path); }

    void openSession(const QString &path); ///< after those that are still to be read
    void cancel();                         ///< what is being read, and what was to be
    bool isReading() const { return m_reading.busy(); }
    static bool isSession(const QString &path); ///< by its name or, if that is another's, by its content

    QStringList recentFiles() const;
    void addRecent(const QString &path);

    /// Offers what was not saved when the program ended last, if there is any.
    void lookForLeftOvers();
    void discard(const QStringList &leftOvers);
    void autosaveNow();
    /// The window closes: what is not saved stays behind, for the next start to offer. A problem whose work could not
    /// be written; null if all is on disk.
    ui::ProblemStatePtr finish();

signals:
    void saved(const QString &path, qsizetype others); ///< how many runs belong to other problems
    /// Nothing was saved: another program has written the file since it was opened or saved here. `overwrite` saves
    /// over that all the same.
    void overtaken(const QString &path, const QDateTime &when, const std::function<void()> &overwrite);
    void opened(const QString &path, const QString &warning, int chosenRun);
    void failed(const QString &sentence);
    void readingChanged(bool reading);
    void progressed(double fraction, const QString &what);
    void foundLeftOvers(const QStringList &paths, const QString &when);
    void recentChanged();

private:
    /// What tells one state of a run that has begun from another.
    struct RunMark
    {
        RunId id = 0;
        QString name;
        std::size_t points = 0;
        std::size_t events = 0;
        Index ticks = 0;
        double loss = 0;

        bool operator==(const RunMark &) const = default;
    };
    using Mark = std::vector<RunMark>;

    struct Document
    {
        std::weak_ptr<ui::ProblemState> problem;
        QString autosave;      ///< the file of its own; "": there is nowhere to put it
        QString autosaveError; ///< said once, not every few seconds
        QString path;
        std::optional<FileMark> file; ///< what there was at `path` when it was opened or saved last
        Mark saved;                   ///< as in `path`
        Mark autosaved;               ///< as in `autosave`; empty: there is no such file
        QStringList leftOvers;        ///< it was restored from these: needed until it is saved itself
        Session known;                ///< what the file said of data that is not here
    };
    struct Copy
    {
        QString path;
        Mark mark;
        Session session;
    };
    struct Opened;

    Mark markOf(const ui::ProblemStatePtr &problem) const;
    Session sessionOf(const Document &document) const;
    ui::ProblemStatePtr shown() const { return m_shown ? m_shown : m_controller.problem(); }
    Document &documentOf(const ui::ProblemStatePtr &problem);
    std::optional<FileMark> known(const QString &path) const; ///< what may be replaced there; empty: anything
    /// `theirs`: somebody else's work that may be replaced.
    void write(const ui::ProblemStatePtr &problem, const QString &path, const std::optional<FileMark> &theirs = {});
    QString freeAutosave() const;
    std::vector<Copy> dueCopies();
    void noteAutosaveError(Document &document, const QString &why); ///< "": it went well
    void noteCopied(const Copy &copy, const std::optional<Error> &error);
    void readNext();
    void finishOpening(const QString &path, Opened opened);

    ui::RunController &m_controller;
    ui::ProblemStatePtr m_shown;
    RunId m_chosen = 0; ///< the run that is looked at: so it is when its session is opened again
    std::vector<Document> m_documents;
    QStringList m_toRead;
    ui::Background m_writing;
    ui::Background m_reading;
    ui::Background m_autosaving;
    QTimer m_autosave;
};

} // namespace appa
