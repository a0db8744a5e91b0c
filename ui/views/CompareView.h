#pragma once

#include "runs/RunModel.h"
#include "theme/Theme.h"

#include <QDialog>

class QTableWidget;
class QComboBox;

namespace appa::ui {

/// The parameters and results of two runs side by side; what differs stands out. Stays open beside the work.
class CompareView final : public QDialog
{
    Q_OBJECT
public:
    explicit CompareView(RunModel &model, QWidget *parent = nullptr);

    void setTheme(const Theme &theme);
    void compare(RunId left, RunId right);
    QTableWidget *table() const { return m_table; }

private:
    void fill();
    void refreshNames();

    RunModel &m_model;
    Theme m_theme = Theme::light();
    QComboBox *m_left;
    QComboBox *m_right;
    QTableWidget *m_table;
};

} // namespace appa::ui
