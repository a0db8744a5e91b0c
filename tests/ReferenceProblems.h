#pragma once

#include "data/Dataset.h"
#include "problem/Problem.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <stdexcept>

/// The three small problems of data/reference.json, from their formulas, and the file's values.
namespace appa::reference {

enum class Storage { Double, Single, SparseDouble, SparseSingle };

inline const nlohmann::json &values()
{
    static const nlohmann::json json = [] {
        std::ifstream file(APPA_TEST_DATA "/reference.json");
        if (!file)
            throw std::runtime_error("reference.json is missing");
        return nlohmann::json::parse(file);
    }();
    return json;
}

template <class T> Features dense(const Eigen::MatrixXd &A)
{
    DenseMatrix<T> out(A.rows(), A.cols());
    for (Index i = 0; i < A.rows(); ++i)
        for (Index j = 0; j < A.cols(); ++j)
            out.row(i)[j] = static_cast<T>(A(i, j));
    return out;
}

template <class T> Features sparse(const Eigen::MatrixXd &A)
{
    std::vector<Index> starts = {0};
    std::vector<typename SparseMatrix<T>::Entry> entries;
    for (Index i = 0; i < A.rows(); ++i) {
        for (Index j = 0; j < A.cols(); ++j)
            if (A(i, j) != 0)
                entries.push_back({static_cast<std::uint32_t>(j), static_cast<T>(A(i, j))});
        starts.push_back(static_cast<Index>(entries.size()));
    }
    return SparseMatrix<T>(A.cols(), std::move(starts), std::move(entries));
}

inline Features features(const Eigen::MatrixXd &A, Storage storage)
{
    switch (storage) {
    case Storage::Double:
        return dense<double>(A);
    case Storage::Single:
        return dense<float>(A);
    case Storage::SparseDouble:
        return sparse<double>(A);
    case Storage::SparseSingle:
        return sparse<float>(A);
    }
    return {};
}

/// A data set from a matrix and targets; the test part (optional) is stored alike.
inline DatasetPtr dataset(std::string name, const Eigen::MatrixXd &A, const Eigen::VectorXd &b, TargetKind kind,
                          Storage storage = Storage::Double, const Eigen::MatrixXd &testA = {},
                          const Eigen::VectorXd &testB = {})
{
    Dataset data;
    data.name = std::move(name);
    data.kind = kind;
    data.train.features = features(A, storage);
    data.train.targets.assign(b.data(), b.data() + b.size());
    data.test.features = features(testA.rows() > 0 ? testA : Eigen::MatrixXd(0, A.cols()), storage);
    data.test.targets.assign(testB.data(), testB.data() + testB.size());
    if (kind == TargetKind::Binary)
        data.classNames = {"-1", "+1"};
    if (kind == TargetKind::Classes)
        for (int k = 0; k <= static_cast<int>(b.maxCoeff()); ++k)
            data.classNames.push_back(std::to_string(k));
    return finish(std::move(data));
}

inline ProblemPtr problem(DatasetPtr data, std::string_view loss, double ridge = 0)
{
    auto made = makeLoss(loss, data->train.rows(), data->classes());
    if (!made)
        throw std::invalid_argument(made.error().message);
    return std::make_shared<const Problem>(std::move(data), made.value(), ridge);
}

/// n = 60, d = 8: A_ij = sin(0.7 i j + 0.3 j)/j, b_i = sum_j (-1)^j A_ij + 0.5 cos(0.9 i), i and j from 1.
inline ProblemPtr sq(Storage storage = Storage::Double, double ridge = 0)
{
    Eigen::MatrixXd A(60, 8);
    Eigen::VectorXd b(60);
    for (int i = 1; i <= 60; ++i) {
        b[i - 1] = 0.5 * std::cos(0.9 * i);
        for (int j = 1; j <= 8; ++j) {
            A(i - 1, j - 1) = std::sin(0.7 * i * j + 0.3 * j) / j;
            b[i - 1] += (j % 2 ? -1 : 1) * A(i - 1, j - 1);
        }
    }
    return problem(dataset("sq", A, b, TargetKind::Real, storage), "squared", ridge);
}

/// n = 80, d = 6: A_ij = cos(0.37 i j + 0.2 i)/sqrt(j), b_i = sign(sin(2.3 i) + 0.8 A_i1).
inline ProblemPtr logi(Storage storage = Storage::Double, double ridge = 0, std::string_view loss = "logistic")
{
    Eigen::MatrixXd A(80, 6);
    Eigen::VectorXd b(80);
    for (int i = 1; i <= 80; ++i) {
        for (int j = 1; j <= 6; ++j)
            A(i - 1, j - 1) = std::cos(0.37 * i * j + 0.2 * i) / std::sqrt(j);
        b[i - 1] = std::sin(2.3 * i) + 0.8 * A(i - 1, 0) > 0 ? 1 : -1;
    }
    return problem(dataset("logi", A, b, TargetKind::Binary, storage), loss, ridge);
}

/// n = 40, d = 6: A_ij = sin(0.7 i j + 0.3 j) + 0.2, b = A x with x_j = (-1)^j/j.
inline ProblemPtr consistent(Storage storage = Storage::Double, double ridge = 0)
{
    Eigen::MatrixXd A(40, 6);
    Eigen::VectorXd x(6);
    for (int j = 1; j <= 6; ++j) {
        x[j - 1] = (j % 2 ? -1.0 : 1.0) / j;
        for (int i = 1; i <= 40; ++i)
            A(i - 1, j - 1) = std::sin(0.7 * i * j + 0.3 * j) + 0.2;
    }
    return problem(dataset("consistent", A, A * x, TargetKind::Real, storage), "squared", ridge);
}

} // namespace appa::reference
