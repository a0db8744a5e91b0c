#include "DataFiles.h"

#include "data/Catalogue.h"
#include "data/Preview.h"

#include <QTest>

using namespace appa;

class TestPreview final : public QObject
{
    Q_OBJECT

    DataFiles m_files;

private slots:
    void csvShowsColumnsRowsAndLabels()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("p.csv", "age,\"height, cm\",kind\n1,2,cat\n3,4,dog\n5,6,cat\n");
        const auto preview = previewData(recipe);
        QVERIFY2(preview.ok(), preview ? "" : preview.error().message.c_str());
        const auto &p = preview.value();
        QCOMPARE(p.format, std::string("csv"));
        QCOMPARE(p.columns, (std::vector<std::string>{"age", "height, cm", "kind"}));
        QCOMPARE(p.labelColumn, std::string("kind"));
        QCOMPARE(p.rows.size(), std::size_t{3});
        QCOMPARE(p.rows[1], (std::vector<std::string>{"3", "4", "dog"}));
        QCOMPARE(p.labels, (std::vector<std::string>{"cat", "dog"}));
        QVERIFY(p.steps[0].find("cat becomes -1") != std::string::npos);
    }

    void onlyTheHeadOfALargeFileIsRead()
    {
        // The mistake far behind the head is not seen, and the line that the head cuts is no mistake.
        QByteArray text;
        for (int i = 0; i < 100000; ++i)
            text += (i % 2 ? "1" : "-1") + QByteArray(" 1:0.5 7:0.25\n");
        DataRecipe recipe;
        recipe.source = m_files.write("large.txt", text + "junk\n");
        for (const QByteArray &content : {text + "junk\n", gzipped(text + "junk\n")}) {
            recipe.source = m_files.write("large.txt", content);
            const auto preview = previewData(recipe);
            QVERIFY2(preview.ok(), preview ? "" : preview.error().message.c_str());
            QCOMPARE(preview.value().format, std::string("libsvm"));
            QCOMPARE(preview.value().labels, (std::vector<std::string>{"-1", "1"}));
            QCOMPARE(preview.value().rows[0], (std::vector<std::string>{"-1", "1:0.5", "7:0.25"}));
        }
        QVERIFY(!loadDataset(recipe));
    }

    void picturesShowTheirShapeAndFiles()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("train-images-idx3-ubyte", idx({3, 2, 2}, "abcdefghijkl"));
        m_files.write("train-labels-idx1-ubyte", idx({3}, QByteArray("\1\2\1", 3)));
        const auto preview = previewData(recipe);
        QVERIFY(preview);
        QCOMPARE(preview.value().rows[0], (std::vector<std::string>{"shape", "3", "2", "2"}));
        QCOMPARE(preview.value().labels, (std::vector<std::string>{"1", "2"}));
        QCOMPARE(preview.value().files.size(), std::size_t{2});
        m_files.write("c/data_batch_1.bin", QByteArray(3073, '\1'));
        recipe.source = m_files.path("c");
        const auto cifar = previewData(recipe);
        QVERIFY(cifar);
        QCOMPARE(cifar.value().labels, (std::vector<std::string>{"1 automobile"}));
    }

    void planNamesEveryStep()
    {
        auto recipe = defaultRecipe();
        recipe.positive = {"1", "2"};
        recipe.holdout = 0.25;
        const auto preview = previewData(recipe);
        QVERIFY(preview);
        std::string all;
        for (const auto &step : preview.value().steps)
            all += step + "\n";
        for (const char *part : {"labels 1, 2 become +1", "25 %", "mean row norm", "Fourier", "single precision"})
            QVERIFY2(all.find(part) != std::string::npos, part);
    }

    void rowsAreShownDespiteAMistakeInThem()
    {
        DataRecipe recipe;
        recipe.source = m_files.write("bad.csv", "1,2,0\n3,,1\n");
        const auto preview = previewData(recipe);
        QVERIFY(preview);
        QCOMPARE(preview.value().rows[1], (std::vector<std::string>{"3", "", "1"}));
        QVERIFY(preview.value().labels.empty());
    }
};

QTEST_GUILESS_MAIN(TestPreview)
#include "tst_preview.moc"
