// What can be done about data that is not read as it was meant: the one place that knows which field does it.
#include "dialogs/OpenDialog.h"

#include "base/Text.h"
#include "data/Sources.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>

namespace appa::ui {

std::optional<OpenDialog::Way> OpenDialog::wayOf(Remedy remedy) const
{
    const QString column = QString::fromStdString(m_advice.column);
    const QString called = column.size() > 24 ? column.left(23) + u'…' : column;
    const auto choose = [](const QString &text, QComboBox *box, auto choice) -> std::optional<Way> {
        const int index = static_cast<int>(choice);
        if (box->currentIndex() == index)
            return std::nullopt;
        return Way{text, box, [box, index] { box->setCurrentIndex(index); }};
    };
    const auto tick = [](const QString &text, QCheckBox *box) -> std::optional<Way> {
        if (box->isChecked())
            return std::nullopt;
        return Way{text, box, [box] { box->setChecked(true); }};
    };
    switch (remedy) {
    case Remedy::Regression:
        return tick(tr("Take them as real numbers"), m_regression);
    case Remedy::PositiveClasses:
        return Way{tr("Name the positive classes"), m_positive, {}};
    case Remedy::DoublePrecision:
        return tick(tr("Store in double precision"), m_double);
    case Remedy::TakeTestFile: {
        const QString file = QString::fromStdString(testFileBeside(m_path.toStdString()));
        return Way{tr("Test on %1").arg(QFileInfo(file).fileName()), m_test, [this, file] { m_test->setText(file); }};
    }
    default:
        break;
    }
    if (!m_isTable) // all others are about the columns of a CSV file
        return std::nullopt;
    switch (remedy) {
    case Remedy::ChooseLabel:
        if (column.isEmpty())
            return Way{tr("Choose another label"), m_label, {}};
        return Way{tr("Take column “%1” as the label").arg(called), m_label,
                   [this, column] { m_label->setText(column); }};
    case Remedy::WordsAsColumns:
        return choose(tr("Words to zeros and ones"), m_words, ColumnChoice::Words::Indicators);
    case Remedy::SkipRows:
        return choose(tr("Leave such rows out"), m_missing, ColumnChoice::Missing::SkipRows);
    case Remedy::FillMeans:
        return choose(tr("Fill in the mean"), m_missing, ColumnChoice::Missing::Mean);
    case Remedy::DropColumn:
        if (column.isEmpty())
            return Way{tr("Choose columns to leave out"), m_drop, {}};
        return Way{tr("Leave out column “%1”").arg(called), m_drop, [this, column] {
                       std::vector<std::string> columns = listItems(m_drop->text().toStdString());
                       columns.push_back(column.toStdString());
                       m_drop->setText(QString::fromStdString(listText(columns)));
                   }};
    default:
        return std::nullopt;
    }
}

void OpenDialog::showAdvice()
{
    m_error->setText(QString::fromStdString(m_advice.message));
    m_error->setVisible(!m_advice.message.empty());
    m_found->setVisible(m_advice.message.empty()); // else there is nothing to say in it
    for (QPushButton *button : remedyButtons()) {
        button->hide();
        button->setParent(nullptr);
        button->deleteLater(); // it may be the one that was pressed
    }
    auto *row = static_cast<QHBoxLayout *>(m_remedies->layout());
    while (QLayoutItem *item = row->takeAt(0))
        delete item;
    for (const Remedy remedy : m_advice.remedies) {
        const std::optional<Way> way = wayOf(remedy);
        if (!way)
            continue;
        auto *button = new QPushButton(way->text, m_remedies);
        button->setAutoDefault(false); // Return opens, or does nothing
        connect(button, &QPushButton::clicked, this, [way = *way] {
            way.field->setFocus(Qt::OtherFocusReason); // where it can be seen, and taken back
            if (way.act)
                way.act();
        });
        row->addWidget(button);
    }
    m_remedies->setVisible(row->count() > 0);
    m_remedies->setEnabled(true);
    row->addStretch();
}

QList<QPushButton *> OpenDialog::remedyButtons() const
{
    return m_remedies->findChildren<QPushButton *>(Qt::FindDirectChildrenOnly);
}

} // namespace appa::ui
