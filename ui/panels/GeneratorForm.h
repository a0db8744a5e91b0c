#pragma once

#include "base/Params.h"

#include <QWidget>

#include <map>
#include <string>

namespace appa::ui {

class ParamForm;

/// The keys of a made data set ("name:key=value,.."), built from the generator's own list of them.
class GeneratorForm final : public QWidget
{
    Q_OBJECT
public:
    explicit GeneratorForm(QWidget *parent = nullptr);

    /// Shows the keys of this source; hides itself if it is not a generator.
    void setSource(const std::string &source);
    ParamForm *form() const { return m_form; }

signals:
    void edited(const QString &source);

private:
    ParamForm *m_form;
    std::string m_name;
    std::map<std::string, double> m_values; ///< those that differ from their defaults
};

} // namespace appa::ui
