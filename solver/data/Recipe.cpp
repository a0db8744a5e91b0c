#include "data/Recipe.h"

#include "data/Finish.h"
#include "data/Generators.h"

#include <new>

namespace appa {

Result<DatasetPtr> loadDataset(const DataRecipe &recipe, const Progress &progress)
{
    try {
        if (!isGenerator(recipe.source))
            return Error{Error::Kind::Data, "There is no data set or file \"" + recipe.source + "\"."};
        auto made = generate(recipe.source, recipe.precision, progress);
        if (!made)
            return made.error();
        auto data = finish(std::move(made).value(), progress);
        if (!data)
            return Error{Error::Kind::Cancelled, "Loading was cancelled."};
        return data;
    } catch (const std::bad_alloc &) {
        return Error{Error::Kind::Data, "Not enough memory for this data set. Take fewer rows or fewer features."};
    }
}

} // namespace appa
