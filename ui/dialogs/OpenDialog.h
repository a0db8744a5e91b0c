#pragma once

#include "Background.h"
#include "data/Catalogue.h"
#include "data/Preview.h"
#include "data/Recipe.h"
#include "theme/Theme.h"

#include <QDialog>
#include <QTimer>

#include <functional>
#include <optional>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QScrollArea;
class QTableWidget;

namespace appa::ui {

/// A data file before it is opened: its first lines, what format it seems to have, its labels and what will be done
/// with them. The preview is a real load, in the background, so that nothing is a guess once it is there.
class OpenDialog final : public QDialog
{
    Q_OBJECT
public:
    OpenDialog(const QString &path, const Theme &theme, QWidget *parent = nullptr);

    DataRecipe recipe() const;
    /// How the file was to be read so far.
    void setRecipe(const DataRecipe &recipe);
    QString summary() const;
    QPushButton *openButton() const { return m_open; }
    QLineEdit *positiveField() const { return m_positive; }
    QLineEdit *dropField() const { return m_drop; }
    QComboBox *wordsField() const { return m_words; }
    QComboBox *missingField() const { return m_missing; }
    QCheckBox *standardizeField() const { return m_standardize; }
    QLineEdit *labelField() const { return m_label; }
    QCheckBox *regressionField() const { return m_regression; }
    QCheckBox *doubleField() const { return m_double; }
    QTableWidget *headTable() const { return m_head; }
    QList<QPushButton *> remedyButtons() const; ///< those offered now

signals:
    void chosen(const appa::DataRecipe &recipe);

protected:
    void showEvent(QShowEvent *event) override;
    void moveEvent(QMoveEvent *event) override;

private:
    void keepTitleOnScreen();
    void preview();
    void examine();
    void present(const DatasetInfo &info, TargetKind kind);
    void showHead(const DataPreview &preview);
    void setTable(bool isTable);
    void toggleColumn(int column);

    /// What a remedy is in this dialog.
    struct Way
    {
        QString text;
        QWidget *field;            ///< where it is done; the focus goes there
        std::function<void()> act; ///< null: how, only the user knows
    };
    std::optional<Way> wayOf(Remedy remedy) const;
    void showAdvice();

    QString m_path;
    DataRecipe m_given; ///< what the fields do not say is as here
    Background m_work;
    Background m_glance;
    QTimer m_pause;
    QTimer m_placing; ///< active until it has been placed
    QLineEdit *m_test;
    QComboBox *m_format;
    QLineEdit *m_label;
    QLineEdit *m_drop;
    QComboBox *m_words;
    QComboBox *m_missing;
    QCheckBox *m_standardize;
    QLineEdit *m_positive;
    QCheckBox *m_regression;
    QDoubleSpinBox *m_holdout;
    QCheckBox *m_double;
    QTableWidget *m_head;
    QLabel *m_guess;
    QScrollArea *m_fields;
    QFormLayout *m_form;
    DataPreview m_seen;                   ///< what the table shows
    bool m_isTable = false;               ///< a CSV file, whose columns can be chosen
    std::optional<DataRecipe> m_examined; ///< what the summary is of
    QLabel *m_summary;
    QScrollArea *m_found; ///< the room of the summary
    QLabel *m_error;      ///< right below the file's name: what keeps it from being opened
    QWidget *m_remedies;  ///< a button for each thing that can be done about it
    Error m_advice;       ///< what they show; without a message if the file can be opened all the same
    QProgressBar *m_bar;
    QPushButton *m_open;
    Theme m_theme;
};

} // namespace appa::ui
