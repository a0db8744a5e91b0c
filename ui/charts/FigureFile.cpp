#include "charts/FigureFile.h"

#include "base/AtomicFile.h"

#include <QBuffer>
#include <QClipboard>
#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>
#include <QMimeData>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace appa::ui {

namespace {

constexpr int unitsPerInch = 96; ///< sizes are given in pixels of 1/96 inch

QString descriptionOf(const FigureText &t)
{
    QString out = captionOf(t);
    if (!t.command.isEmpty())
        out += QStringLiteral("\n") + t.command;
    return out;
}

QByteArray toSvg(const Drawing &d)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setResolution(unitsPerInch);
    svg.setSize(d.size.toSize());
    svg.setViewBox(QRect(QPoint(), d.size.toSize()));
    svg.setTitle(d.text.title);
    svg.setDescription(descriptionOf(d.text));
    QPainter p(&svg);
    d.paint(p);
    p.end();
    return bytes;
}

QByteArray toPdf(const Drawing &d)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter pdf(&buffer);
    pdf.setResolution(unitsPerInch);
    pdf.setPageSize(QPageSize(d.size * 72.0 / unitsPerInch, QPageSize::Point, QString(), QPageSize::ExactMatch));
    pdf.setPageMargins(QMarginsF());
    pdf.setTitle(d.text.title);
    pdf.setCreator(QStringLiteral("APPA Lab"));
    const QString xmp =
        QStringLiteral("<?xpacket begin=\"\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?><x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
                       "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><rdf:Description "
                       "rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\">"
                       "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">%1</rdf:li></rdf:Alt></dc:title>"
                       "<dc:description><rdf:Alt><rdf:li xml:lang=\"x-default\">%2</rdf:li></rdf:Alt></dc:description>"
                       "</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end=\"w\"?>")
            .arg(d.text.title.toHtmlEscaped(), descriptionOf(d.text).toHtmlEscaped());
    pdf.setDocumentXmpMetadata(xmp.toUtf8());
    QPainter p(&pdf);
    d.paint(p);
    p.end();
    return bytes;
}

} // namespace

QString captionOf(const FigureText &t)
{
    QStringList parts;
    for (const QString &part : {t.dataset, t.parameters}) {
        if (!part.isEmpty())
            parts << part;
    }
    return parts.join(QStringLiteral("  ·  "));
}

QImage rasterize(const Drawing &d)
{
    QImage image((d.size * d.pixelRatio).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(std::max(1.0, d.pixelRatio));
    image.fill(Qt::white);
    {
        QPainter p(&image);
        if (d.pixelRatio < 1) // which a painter does not know
            p.scale(d.pixelRatio, d.pixelRatio);
        d.paint(p);
    }
    const int perMetre = static_cast<int>(std::lround(unitsPerInch * d.pixelRatio / 0.0254));
    image.setDotsPerMeterX(perMetre);
    image.setDotsPerMeterY(perMetre);
    image.setText(QStringLiteral("Title"), d.text.title);
    image.setText(QStringLiteral("Description"), descriptionOf(d.text));
    image.setText(QStringLiteral("Software"), QStringLiteral("APPA Lab"));
    return image;
}

std::optional<Error> writeDrawing(const QString &path, const Drawing &d)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    QByteArray bytes;
    if (suffix == QLatin1String("png")) {
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        rasterize(d).save(&buffer, "PNG");
    } else if (suffix == QLatin1String("svg")) {
        bytes = toSvg(d);
    } else if (suffix == QLatin1String("pdf")) {
        bytes = toPdf(d);
    } else {
        return Error{Error::Kind::Usage,
                     QCoreApplication::translate("Figure", "%1: a figure's name ends in .png, .svg or .pdf")
                         .arg(path)
                         .toStdString()};
    }
    return writeAtomically(QFile::encodeName(path).toStdString(), bytes.toStdString());
}

void copyDrawing(const Drawing &d)
{
    auto *mime = new QMimeData;
    mime->setImageData(rasterize(d));
    mime->setData(QStringLiteral("image/svg+xml"), toSvg(d));
    QGuiApplication::clipboard()->setMimeData(mime);
}

} // namespace appa::ui
