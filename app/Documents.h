#pragma once

#include "Background.h"
#include "RunController.h"
#include "run/Session.h"

#include <QObject>
#include <QStringList>
#include <QTimer>

namespace appa {

/// Sessions: saving, opening, the autosave that survives a crash, and the files used lately. Files are read and written
/// in the background.
class Documents final : public QObject
{
    Q_OBJECT
public:
    explicit Documents(ui::RunController &controller, QObject *parent = nullptr);
    ~Documents() override;

    /// The runs of the problem shown, as they are now.
    Session snapshot() const;
    void setShownProblem(const ui::ProblemStatePtr &problem) { m_shown = problem; }

    QString path() const { return m_path; } ///< of the session saved or opened last; "" if there is none
    void save(const QString &path);
    void openSession(const QString &path);
    void cancel() { m_reading.cancel(); }
    static bool isSession(const QString &path);

    QStringList recentFiles() const;
    void addRecent(const QString &path);

    /// Offers what a crash left behind, if there is any.
    void lookForLeftOvers();
    void discard(const QString &leftOver);
    /// The work is safe: the next start need not offer it.
    void removeAutosave();
    void autosaveNow();

signals:
    void saved(const QString &path);
    void opened(const QString &path, const QString &warning, int firstRun);
    void failed(const QString &sentence);
    void foundLeftOver(const QString &path, const QString &when);
    void recentChanged();

private:
    struct Opened;
    void finishOpening(const QString &path, Opened opened);

    ui::RunController &m_controller;
    ui::ProblemStatePtr m_shown;
    QString m_path;
    ui::Background m_writing;
    ui::Background m_reading;
    ui::Background m_autosaving;
    QTimer m_autosave;
    bool m_changed = false; ///< since the last autosave
};

} // namespace appa
