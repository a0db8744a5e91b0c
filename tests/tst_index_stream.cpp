#include "MethodRuns.h"
#include "ReferenceProblems.h"

#include "methods/IndexStream.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <set>

using namespace appa;

/// The order of rows: what each word means, and what "auto" stands for.
class TestIndexStream : public QObject
{
    Q_OBJECT

private slots:
    void permutationsTakeEveryRowOnceAPass_data()
    {
        QTest::addColumn<int>("n");
        for (const int n : {1, 2, 5, 31, 32, 33, 127, 128, 129, 1000})
            QTest::addRow("%d", n) << n;
    }
    void permutationsTakeEveryRowOnceAPass()
    {
        QFETCH(const int, n);
        IndexStream stream(n, IndexStream::Order::Permutation, IndexStream::baseOf(3));
        stream.beginStage(0);
        std::set<std::vector<Index>> orders;
        for (int pass = 0; pass < 3; ++pass) {
            std::vector<Index> order;
            for (int k = 0; k < n; ++k)
                order.push_back(stream.next());
            orders.insert(order);
            std::ranges::sort(order);
            for (int k = 0; k < n; ++k)
                QCOMPARE(order[static_cast<std::size_t>(k)], Index(k));
        }
        if (n > 30)
            QCOMPARE(orders.size(), std::size_t(3)); // reshuffled
    }

    void everyPermutationIsAsLikely()
    {
        // 24 orders of four rows in 24000 stages: chi-square with 23 degrees of freedom, 49.7 is exceeded once in 1000.
        IndexStream stream(4, IndexStream::Order::Permutation, IndexStream::baseOf(8));
        std::map<std::vector<Index>, int> seen;
        for (Index stage = 0; stage < 24000; ++stage) {
            stream.beginStage(stage);
            std::vector<Index> order;
            for (int k = 0; k < 4; ++k)
                order.push_back(stream.next());
            ++seen[order];
        }
        QCOMPARE(seen.size(), std::size_t(24));
        double chi2 = 0;
        for (const auto &[order, count] : seen)
            chi2 += (count - 1000.0) * (count - 1000.0) / 1000;
        QVERIFY2(chi2 < 49.7, qPrintable(QString::number(chi2)));
    }

    void whatIsToComeIsKnownAhead_data()
    {
        QTest::addColumn<int>("order");
        QTest::newRow("random") << static_cast<int>(IndexStream::Order::Random);
        QTest::newRow("permutation") << static_cast<int>(IndexStream::Order::Permutation);
        QTest::newRow("cyclic") << static_cast<int>(IndexStream::Order::Cyclic);
    }
    void whatIsToComeIsKnownAhead()
    {
        QFETCH(const int, order);
        constexpr Index n = 300;
        IndexStream stream(n, static_cast<IndexStream::Order>(order), IndexStream::baseOf(5));
        stream.beginStage(2);
        stream.next();
        for (Index at = 1; at + 16 < n; ++at) {
            IndexStream copy = stream;
            for (Index k = 0; k < 16; ++k)
                QCOMPARE(stream.ahead(k), copy.next());
            stream.next();
        }
    }

    void aStageDependsOnItsNumberAlone_data() { whatIsToComeIsKnownAhead_data(); }
    void aStageDependsOnItsNumberAlone()
    {
        QFETCH(const int, order);
        const auto draws = [&](IndexStream stream) {
            stream.beginStage(7);
            std::vector<Index> rows;
            for (int k = 0; k < 500; ++k)
                rows.push_back(stream.next());
            return rows;
        };
        const IndexStream fresh(200, static_cast<IndexStream::Order>(order), IndexStream::baseOf(5));
        IndexStream used = fresh;
        used.beginStage(1);
        for (int k = 0; k < 333; ++k)
            used.next();
        QVERIFY(draws(fresh) == draws(used));
    }

    void autoIsTheMethodsChoice_data()
    {
        QTest::addColumn<QString>("method");
        QTest::addColumn<QString>("inner");
        QTest::addColumn<QString>("order");
        QTest::newRow("Dual APPA") << "dual-appa"
                                   << "sdca"
                                   << "permutation";
        QTest::newRow("SDCA") << "sdca"
                              << ""
                              << "permutation";
        QTest::newRow("APPA") << "appa"
                              << "sdca"
                              << "random"; // its short stages may stall with permutations
        QTest::newRow("Accelerated APPA") << "accelerated-appa"
                                          << "sdca"
                                          << "random";
        QTest::newRow("SGD") << "sgd"
                             << ""
                             << "random";
    }
    void autoIsTheMethodsChoice()
    {
        QFETCH(const QString, method);
        QFETCH(const QString, inner);
        QFETCH(const QString, order);
        const ProblemPtr problem = reference::sq(reference::Storage::Double, 0.1);
        const auto points = [&](const char *word) {
            const auto run =
                testing::started(problem, method.toStdString(), inner.toStdString(), {{"order", std::string(word)}});
            testing::stage(*run);
            return std::pair(testing::pointOf(*run), run->effective().word("order"));
        };
        const auto [automatic, effective] = points("auto");
        QCOMPARE(QString::fromStdString(effective), order);
        QVERIFY(automatic == points(qPrintable(order)).first);
    }
};

QTEST_GUILESS_MAIN(TestIndexStream)
#include "tst_index_stream.moc"
