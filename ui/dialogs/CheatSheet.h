#pragma once

#include "theme/Theme.h"

#include <QAction>
#include <QDialog>
#include <QList>

namespace appa::ui {

/// All keys and gestures on one page, made from the actions themselves.
class CheatSheet final : public QDialog
{
    Q_OBJECT
public:
    struct Group
    {
        QString title;
        QList<QAction *> actions;
    };
    CheatSheet(const QList<Group> &groups, const Theme &theme, QWidget *parent = nullptr);
};

} // namespace appa::ui
