// KDD Cup 2004, protein homology task (bio_train.dat): block id, example id, label 0 or 1, 74 features, separated by
// tabs.

#include "data/loaders/Table.h"

#include "base/Text.h"

#include <algorithm>

namespace appa {

Result<RawTable> readKdd(const Bytes &file, const LoadOptions &options, const ProgressRange &range)
{
    constexpr Index features = 74, fields = features + 3, labelField = 2;
    std::string_view text = file.text();
    text.remove_prefix(skipPreamble(text));
    const auto found = static_cast<Index>(firstRecord(text, '\t').fields.size());
    if (found != fields)
        return errorIn(file.name(),
                       "the first row has " + std::to_string(found) + " fields separated by tabs. Expected "
                           + std::to_string(fields)
                           + " as in bio_train.dat: block id, example id, label, 74 features. For other tables choose "
                             "the format csv.");
    TableLayout layout;
    layout.separator = '\t';
    layout.isZeroOne = true;
    layout.names = {"block id", "example id", "label"};
    for (Index k = 0; k < fields; ++k) {
        if (k >= 3)
            layout.names.push_back("feature " + std::to_string(k - labelField));
        layout.goesTo.push_back(k < labelField        ? TableLayout::isSkipped
                                    : k == labelField ? TableLayout::isLabel
                                                      : layout.features++);
    }
    auto table = readTable(file, layout, options, range);
    if (!table)
        return table;
    RawTable &raw = table.value();
    raw.steps.push_back({"read KDD Cup 2004 " + file.name(),
                         std::to_string(raw.labels.size()) + " rows of 74 features; block id and example id left out"});
    return table;
}

} // namespace appa
