#pragma once

#include "base/Params.h"
#include "data/Recipe.h"

#include <QWidget>

#include <vector>

class QListWidget;
class QMenu;
class QToolButton;

namespace appa::ui {

class ParamForm;

QString transformText(const Transform &transform);

/// The ordered list of transforms: add, remove, move, and the parameters of the selected one.
class TransformEditor final : public QWidget
{
    Q_OBJECT
public:
    explicit TransformEditor(QWidget *parent = nullptr);

    const std::vector<Transform> &transforms() const { return m_transforms; }
    void setTransforms(const std::vector<Transform> &transforms); ///< without a signal
    QListWidget *list() const { return m_list; }

signals:
    void edited();

private:
    void refresh(int select);
    void showParameters();
    void apply(const QString &key, const ParamValue &value);
    int current() const;

    std::vector<Transform> m_transforms;
    QListWidget *m_list;
    QToolButton *m_add;
    QToolButton *m_remove;
    QToolButton *m_up;
    QToolButton *m_down;
    ParamForm *m_form;
    int m_shown = -1; ///< whose parameters are shown: edits are of this one
};

} // namespace appa::ui
