#pragma once

#include "data/Recipe.h"
#include "problem/Problem.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace appa {

/// The problem to measure on: --data SOURCE [--features D] [--rows N] [--loss L] [--ridge G], scaled by the mean norm,
/// even digits against odd ones where there are classes.
struct DataOptions
{
    std::string source;
    std::string loss = "squared";
    double ridge = 0;
    Index rows = 0;
    Index features = 0;

    /// Takes the word at `k` and its value; false if it is somebody else's.
    bool take(int argc, char **argv, int &k)
    {
        const std::string word = argv[k];
        if (k + 1 >= argc)
            return false;
        const char *value = argv[k + 1];
        if (word == "--data")
            source = value;
        else if (word == "--features")
            features = std::atoll(value);
        else if (word == "--rows")
            rows = std::atoll(value);
        else if (word == "--loss")
            loss = value;
        else if (word == "--ridge")
            ridge = std::atof(value);
        else
            return false;
        ++k;
        return true;
    }

    DataRecipe recipe() const
    {
        DataRecipe recipe;
        recipe.source = source;
        if (rows > 0)
            recipe.transforms.push_back({.kind = Transform::Kind::FirstRows, .count = rows});
        recipe.transforms.push_back({.kind = Transform::Kind::MeanNorm});
        if (features > 0)
            recipe.transforms.push_back({.kind = Transform::Kind::FourierFeatures, .count = features});
        if (loss == "softmax")
            recipe.positive = {"classes"};
        else
            recipe.positive = {"0", "2", "4", "6", "8"};
        return recipe;
    }

    /// Ends the program with a sentence where it cannot be made.
    ProblemPtr load() const
    {
        const auto fail = [](const Error &error) {
            std::fprintf(stderr, "%s\n", error.message.c_str());
            std::exit(3);
        };
        const auto data = loadDataset(recipe());
        if (!data)
            fail(data.error());
        const auto made = makeLoss(loss, data.value()->train.rows(), data.value()->classes());
        if (!made)
            fail(made.error());
        return std::make_shared<const Problem>(data.value(), made.value(), ridge);
    }
};

} // namespace appa
