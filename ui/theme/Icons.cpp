#include "theme/Icons.h"

#include "theme/Theme.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QSvgRenderer>

// The resources live in a static library: without this the linker drops their registration.
static void initResources()
{
    Q_INIT_RESOURCE(appa);
}

namespace appa::ui {

namespace {

/// Renders on demand, so that one QIcon serves every size.
class SvgIconEngine final : public QIconEngine
{
public:
    SvgIconEngine(QByteArray normal, QByteArray disabled) : m_normal(std::move(normal)), m_disabled(std::move(disabled))
    {
    }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        QSvgRenderer renderer(mode == QIcon::Disabled ? m_disabled : m_normal);
        const int side = std::min(rect.width(), rect.height());
        renderer.render(
            painter,
            QRectF(rect.x() + (rect.width() - side) / 2.0, rect.y() + (rect.height() - side) / 2.0, side, side));
    }
    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap out(size);
        out.fill(Qt::transparent);
        QPainter painter(&out);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return out;
    }
    QIconEngine *clone() const override { return new SvgIconEngine(*this); }

private:
    QByteArray m_normal;
    QByteArray m_disabled;
};

QByteArray read(const QString &path)
{
    initResources();
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

QIcon icon(const QString &name, const Theme &theme, const QColor &colour)
{
    const QByteArray svg = read(QStringLiteral(":/icons/%1.svg").arg(name));
    if (svg.isEmpty())
        return {};
    const auto recoloured = [&svg](const QColor &c) {
        QByteArray out = svg;
        return out.replace("#000", c.name().toLatin1());
    };
    return QIcon(new SvgIconEngine(recoloured(colour.isValid() ? colour : theme.text), recoloured(theme.textFaint)));
}

QIcon applicationIcon()
{
    const QByteArray svg = read(QStringLiteral(":/org.appalab.AppaLab.svg"));
    return svg.isEmpty() ? QIcon() : QIcon(new SvgIconEngine(svg, svg));
}

} // namespace appa::ui
