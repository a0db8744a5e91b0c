#pragma once

#include "runs/RunRecord.h"

#include <QTimer>
#include <QWidget>

#include <vector>

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace appa::ui {

class GeneratorForm;
class ParamField;
class TransformEditor;

/// A data set that can be chosen by name.
struct DataSource
{
    QString name;          ///< as in DataRecipe::source
    QString title;         ///< one line
    bool available = true; ///< false: it has to be downloaded first
    DataRecipe recipe;     ///< what choosing it means (transforms, positive classes)
};

/// Data set, transforms, loss and ridge. A change builds a new problem in the background; until that is there, and if
/// it fails, what is shown as being in effect is the old one.
class ProblemPanel final : public QWidget
{
    Q_OBJECT
public:
    explicit ProblemPanel(QWidget *parent = nullptr);

    void setSources(std::vector<DataSource> sources, const QStringList &recentFiles);
    void setProblem(const ProblemState *problem); ///< in effect now
    void setSpec(const ProblemSpec &spec);        ///< what the fields say, without a signal
    const ProblemSpec &spec() const { return m_spec; }
    void setLoading(bool loading);
    void setProgress(double fraction, const QString &what);

    QComboBox *dataBox() const { return m_data; }
    QComboBox *lossBox() const { return m_loss; }
    TransformEditor *transforms() const { return m_transforms; }
    ParamField *ridgeField() const { return m_ridge; }
    QPushButton *standardizeButton() const { return m_standardize; } ///< shown where it would help

signals:
    void specEdited(const appa::ui::ProblemSpec &spec);
    void openRequested();
    void fileRequested(const QString &path); ///< one opened before; how it is read is asked again
    void downloadRequested(const QString &name);
    void cancelRequested();

private:
    void pickData(int index);
    void fillLosses(const Dataset *data);
    void showData(const ProblemState *problem);
    void changed();
    void emitSpec();
    void showSpec(const ProblemSpec &spec);

    ProblemSpec m_spec;
    ProblemSpec m_base; ///< what an edit that waits was made to
    std::vector<DataSource> m_sources;
    QComboBox *m_data;
    QComboBox *m_loss;
    GeneratorForm *m_generator;
    TransformEditor *m_transforms;
    ParamField *m_ridge;
    QLabel *m_summary;
    QLabel *m_uneven; ///< why the columns had better be standardized
    QPushButton *m_standardize;
    QLabel *m_provenance;
    QToolButton *m_more;
    QWidget *m_details;
    QWidget *m_busy;
    QProgressBar *m_bar;
    QLabel *m_doing;
    QTimer m_pause; ///< several edits in a row make one problem
};

} // namespace appa::ui
