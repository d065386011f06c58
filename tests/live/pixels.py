"""The mat's picture in a browser, pixel by pixel, and colours as eyes see them."""

BEYOND_MM = 29  # what the page shows beyond the circle


def pixel(page, x_mm, y_mm, canvas="#mat > canvas"):
    """(r, g, b) of the mat's picture there."""
    return page.evaluate(
        """([selector, x, y, half]) => {
            const canvas = document.querySelector(selector), s = canvas.width / 2 / half;
            const at = [Math.round((x + half) * s), Math.round((half - y) * s), 1, 1];
            return [...canvas.getContext("2d").getImageData(...at).data.slice(0, 3)];
        }""",
        [canvas, x_mm, y_mm, 225 + BEYOND_MM],
    )


def light(page, x_mm, y_mm, **where):
    return sum(pixel(page, x_mm, y_mm, **where)) / 3


DEUTERANOPE = (
    (0.367322, 0.860646, -0.227968),
    (0.280085, 0.672501, 0.047413),
    (-0.01182, 0.04294, 0.968881),
)
PROTANOPE = (
    (0.152286, 1.052583, -0.204868),
    (0.114503, 0.786281, 0.099216),
    (-0.003882, -0.048116, 1.051998),
)


def linear(value):
    value /= 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def seen_by(matrix, colour):
    rgb = [linear(v) for v in colour]
    mixed = [min(1, max(0, sum(m * v for m, v in zip(row, rgb)))) for row in matrix]
    return [255 * (12.92 * v if v <= 0.0031308 else 1.055 * v ** (1 / 2.4) - 0.055) for v in mixed]


def lab(colour):
    """CIE 1976 L*a*b*, white D65."""
    r, g, b = (linear(v) for v in colour)
    xyz = (
        (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047,
        0.2126 * r + 0.7152 * g + 0.0722 * b,
        (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883,
    )
    x, y, z = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
