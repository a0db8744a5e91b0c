#pragma once

#include "theme/Theme.h"

#include <QWidget>

class QLineEdit;
class QTableView;
class QToolButton;

namespace appa::ui {

class SweepMethodModel;

/// Which methods a study compares, and with what settings.
class SweepMethodsForm final : public QWidget
{
    Q_OBJECT
public:
    explicit SweepMethodsForm(QWidget *parent = nullptr);

    void setTheme(const Theme &theme);

    SweepMethodModel &model() const { return *m_model; }
    QTableView *view() const { return m_view; }
    QLineEdit *settingsEdit() const { return m_settings; } ///< of the current method

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void makeView();
    void addVariant();
    void showCurrent();

    SweepMethodModel *m_model;
    QTableView *m_view;
    QLineEdit *m_settings;
    QToolButton *m_add;
    QToolButton *m_remove;
};

} // namespace appa::ui
