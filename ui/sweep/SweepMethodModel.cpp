#include "sweep/SweepMethodModel.h"

#include <QComboBox>

#include <algorithm>

namespace appa::ui {

namespace {

/// The paper's four.
const char *const initialMethods[] = {"dual-appa", "sdca", "svrg", "sgd"};

} // namespace

SweepMethodModel::SweepMethodModel(QObject *parent) : QAbstractTableModel(parent)
{
    for (const char *id : initialMethods) {
        if (const MethodInfo *info = findMethod(id))
            m_rows.push_back({info->id, info->inners.empty() ? std::string() : info->inners.front(), {}, true, {}});
    }
    for (const MethodInfo &info : methods()) {
        const bool there = std::any_of(m_rows.begin(), m_rows.end(), [&](const Row &r) { return r.method == info.id; });
        if (info.lambda != LambdaMeaning::Unused && !there)
            m_rows.push_back({info.id, info.inners.empty() ? std::string() : info.inners.front(), {}, false, {}});
    }
}

int SweepMethodModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int SweepMethodModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(ColumnCount);
}

QVariant SweepMethodModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Method:
        return tr("Method");
    case Inner:
        return tr("Inner");
    case Settings:
        return tr("Settings");
    default:
        return {};
    }
}

QVariant SweepMethodModel::data(const QModelIndex &index, int role) const
{
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    const MethodInfo *info = findMethod(row.method);
    if (role == Qt::ToolTipRole) {
        if (!row.whyNot.isEmpty())
            return row.whyNot;
        if (index.column() == Settings) {
            QStringList keys;
            for (const ParamSpec &spec : paramsOf(*info, row.inner)) {
                if (spec.key != "lambda")
                    keys << QString::fromStdString(spec.key);
            }
            return tr("Parameters other than the default, as key=value key=value.\nThis method has: %1.")
                .arg(keys.join(u", "));
        }
        return QString::fromStdString(info->summary);
    }
    switch (index.column()) {
    case Method:
        if (role == Qt::DisplayRole)
            return QString::fromStdString(info->label)
                + (row.settings.isEmpty() ? QString() : QStringLiteral(", ") + row.settings);
        if (role == Qt::CheckStateRole)
            return row.checked ? Qt::Checked : Qt::Unchecked;
        break;
    case Inner:
        if (role == Qt::DisplayRole) {
            const InnerInfo *inner = findInner(row.inner);
            return QString::fromStdString(inner ? inner->label : row.inner);
        }
        if (role == Qt::EditRole)
            return QString::fromStdString(row.inner);
        if (role == ChoicesRole) {
            QStringList ids;
            for (const std::string &id : info->inners)
                ids << QString::fromStdString(id);
            return ids;
        }
        break;
    case Settings:
        if (role == Qt::DisplayRole || role == Qt::EditRole)
            return row.settings;
        break;
    }
    return {};
}

bool SweepMethodModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    Row &row = m_rows[static_cast<std::size_t>(index.row())];
    if (index.column() == Method && role == Qt::CheckStateRole) {
        row.checked = value.toInt() == Qt::Checked;
    } else if (index.column() == Inner && role == Qt::EditRole) {
        row.inner = value.toString().toStdString();
        updateWhyNot(row);
    } else if (index.column() == Settings && role == Qt::EditRole) {
        row.settings = value.toString().simplified();
        row.checked = row.checked || !row.settings.isEmpty();
    } else {
        return false;
    }
    emit dataChanged(this->index(index.row(), 0), this->index(index.row(), ColumnCount - 1));
    emit edited();
    return true;
}

Qt::ItemFlags SweepMethodModel::flags(const QModelIndex &index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    Qt::ItemFlags flags = Qt::ItemIsSelectable;
    // A method that cannot run here may still be given another inner solver.
    const MethodInfo *info = findMethod(row.method);
    const bool hasChoice = index.column() == Inner && info->inners.size() > 1;
    if (row.whyNot.isEmpty() || hasChoice)
        flags |= Qt::ItemIsEnabled;
    if (index.column() == Method)
        flags |= Qt::ItemIsUserCheckable;
    if (hasChoice || index.column() == Settings)
        flags |= Qt::ItemIsEditable;
    return flags;
}

void SweepMethodModel::updateWhyNot(Row &row) const
{
    row.whyNot = m_problem ? QString::fromStdString(whyNot(*m_problem, row.method, row.inner)) : QString();
}

void SweepMethodModel::setProblem(const ProblemPtr &problem)
{
    m_problem = problem;
    for (Row &row : m_rows)
        updateWhyNot(row);
    if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    emit edited();
}

void SweepMethodModel::setMethods(const std::vector<SweepVariant> &wanted)
{
    beginResetModel();
    for (Row &row : m_rows)
        row.checked = false;
    for (const SweepVariant &variant : wanted) {
        const auto same = std::find_if(m_rows.begin(), m_rows.end(), [&](const Row &row) {
            const auto parsed = variantOf(row);
            return parsed && parsed.value() == variant;
        });
        if (same != m_rows.end()) {
            same->checked = true;
            continue;
        }
        // Beside the first of its method.
        auto after =
            std::find_if(m_rows.begin(), m_rows.end(), [&](const Row &row) { return row.method == variant.method; });
        Row row{variant.method, variant.inner, QString::fromStdString(variant.settings()), true, {}};
        updateWhyNot(row);
        m_rows.insert(after == m_rows.end() ? after : after + 1, std::move(row));
    }
    endResetModel();
    emit edited();
}

Result<SweepVariant> SweepMethodModel::variantOf(const Row &row)
{
    std::string text = row.method;
    if (!row.inner.empty())
        text += ":" + row.inner;
    for (const QString &setting : row.settings.split(u' ', Qt::SkipEmptyParts))
        text += ":" + setting.toStdString();
    auto parsed = parseSweepMethods(text);
    if (!parsed)
        return parsed.error();
    if (parsed.value().size() != 1)
        return Error{Error::Kind::Usage, "\"" + row.settings.toStdString() + "\": write key=value key=value."};
    return parsed.value().front();
}

Result<std::vector<SweepVariant>> SweepMethodModel::chosen() const
{
    std::vector<SweepVariant> out;
    for (const Row &row : m_rows) {
        if (!row.checked || !row.whyNot.isEmpty())
            continue;
        auto variant = variantOf(row);
        if (!variant)
            return variant.error();
        if (std::find(out.begin(), out.end(), variant.value()) == out.end())
            out.push_back(std::move(variant).value());
    }
    return out;
}

int SweepMethodModel::duplicate(int row)
{
    Row copy = m_rows[static_cast<std::size_t>(row)];
    copy.checked = true;
    beginInsertRows({}, row + 1, row + 1);
    m_rows.insert(m_rows.begin() + row + 1, std::move(copy));
    endInsertRows();
    emit edited();
    return row + 1;
}

bool SweepMethodModel::canRemove(int row) const
{
    if (row < 0 || row >= rowCount())
        return false;
    const std::string &method = m_rows[static_cast<std::size_t>(row)].method;
    return std::count_if(m_rows.begin(), m_rows.end(), [&](const Row &r) { return r.method == method; }) > 1;
}

void SweepMethodModel::remove(int row)
{
    if (!canRemove(row))
        return;
    beginRemoveRows({}, row, row);
    m_rows.erase(m_rows.begin() + row);
    endRemoveRows();
    emit edited();
}

QWidget *InnerDelegate::createEditor(QWidget *parent, const QStyleOptionViewItem &, const QModelIndex &index) const
{
    auto *combo = new QComboBox(parent);
    for (const QString &id : index.data(SweepMethodModel::ChoicesRole).toStringList()) {
        const InnerInfo *info = findInner(id.toStdString());
        combo->addItem(info ? QString::fromStdString(info->label) : id, id);
    }
    connect(combo, &QComboBox::activated, this, [this, combo] {
        emit const_cast<InnerDelegate *>(this)->commitData(combo);
        emit const_cast<InnerDelegate *>(this)->closeEditor(combo);
    });
    return combo;
}

void InnerDelegate::setEditorData(QWidget *editor, const QModelIndex &index) const
{
    auto *combo = static_cast<QComboBox *>(editor);
    combo->setCurrentIndex(combo->findData(index.data(Qt::EditRole)));
    combo->showPopup();
}

void InnerDelegate::setModelData(QWidget *editor, QAbstractItemModel *model, const QModelIndex &index) const
{
    model->setData(index, static_cast<QComboBox *>(editor)->currentData(), Qt::EditRole);
}

} // namespace appa::ui
