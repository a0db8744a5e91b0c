#pragma once

#include "RunController.h"
#include "theme/Theme.h"

#include <QFrame>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <vector>

class QBoxLayout;
class QLabel;
class QPushButton;
class QTabWidget;
class QToolButton;

namespace appa::ui {

/// A sentence to the user: no dialog, nothing to answer before going on. It stands in the row of the tabs, where
/// nothing is covered and nothing moves; what is too long for that has a strip of its own below the page. The focus
/// stays where it is; only Tab goes to the buttons, and when the bar goes, back to where it was.
///
/// Information goes by itself; what was true of something goes when it no longer is; the rest stays until it is closed.
class MessageBar final : public QFrame
{
    Q_OBJECT
public:
    explicit MessageBar(QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    /// The tabs in whose row it stands, and what makes room for it elsewhere; both below its parent.
    void setPlaces(QTabWidget *tabs, QWidget *strip);
    /// `holds`: whether it is still worth saying; asked by `review`. Without: until it is closed, or its time is over.
    void say(Level level, const QString &sentence, std::function<bool()> holds = {});
    void dismiss(); ///< as the button in its corner
    void forget();  ///< what asks nothing: something newer goes well
    void review();  ///< something has changed: what no longer holds goes
    /// With one thing the user can do about it; the bar then stays until it is answered or closed. What is said
    /// meanwhile is shown first, and the offer again after it.
    void offer(Level level, const QString &sentence, const QString &action, std::function<void()> act,
               const QString &otherAction = {}, std::function<void()> other = {});
    /// A short cut to what there is another way to: it goes by itself and is not shown again.
    void offerBriefly(const QString &sentence, const QString &action, std::function<void()> act);
    /// While people look on, what can wait does: the offers that are no warnings.
    void holdOffers(bool hold);
    void withdraw(const QString &action); ///< goes if this is what it offers
    QString text() const;
    Level level() const { return m_level; }
    QPushButton *actionButton() const { return m_action; }
    void setVisible(bool visible) override;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    struct Offer
    {
        Level level;
        QString sentence;
        QString action;
        std::function<void()> act;
        QString otherAction;
        std::function<void()> other;
    };

    void showAction(const QString &action, std::function<void()> act, const QString &otherAction,
                    std::function<void()> other);
    void restyle();
    void place();
    QRect roomInTabRow() const;
    void next(); ///< the offer that had to wait, or nothing
    bool hasToWait(Level level) const { return m_holdsOffers && level == Level::Info; }

    Theme m_theme;
    Level m_level = Level::Info;
    QLabel *m_text;
    QPushButton *m_action;
    QPushButton *m_other;
    QBoxLayout *m_rows = nullptr;
    QBoxLayout *m_buttons = nullptr;
    QToolButton *m_close;
    std::function<void()> m_act;
    std::function<void()> m_otherAct;
    std::function<bool()> m_holds;
    std::vector<Offer> m_waiting;
    bool m_holdsOffers = false;
    QTimer m_hide;
    QTabWidget *m_tabs = nullptr;
    QWidget *m_strip = nullptr;
    QPointer<QWidget> m_focusBefore; ///< where the keys went before one of the buttons was reached
};

} // namespace appa::ui
