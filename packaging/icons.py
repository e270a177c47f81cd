"""Makes the program's icon in each system's form from the one drawing, ``resources/hyperscope.svg``.

    python packaging/icons.py FOLDER     hyperscope.ico, .icns, .png and .svg in FOLDER

An .ico has pictures of 16 to 256 pixels, of which those up to 64 are bitmaps, as old installers read no
others; an .icns has PNGs up to 1024 pixels.
"""

from __future__ import annotations

import shutil
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

DRAWING = Path(__file__).resolve().parent.parent / "resources" / "hyperscope.svg"
PNG_PIXELS = 256
ICO_PIXELS = (16, 20, 24, 32, 40, 48, 64, 256)
LARGEST_BITMAP = 64
PICTURE_PIXELS = (164, 314)
"""What NSIS shows beside the text of its last page."""

LARGE = 96
GROUND = "#d9dfe8"
ICNS_PIXELS = {
    b"icp4": 16, b"icp5": 32, b"ic07": 128, b"ic08": 256, b"ic09": 512,
    b"ic11": 32, b"ic12": 64, b"ic13": 256, b"ic14": 512, b"ic10": 1024,
}  # fmt: skip
"""Pixels of each type of picture in an .icns: those of a place, then those of screens with twice as many."""


def main(arguments: list[str]) -> int:
    """Make the icons in the folder that the arguments name; return the exit code."""
    if len(arguments) != 1:
        print("icons: say in which folder to make them", file=sys.stderr)
        return 2
    make_icons(Path(arguments[0]))
    return 0


def make_icons(folder: Path) -> None:
    """Make all forms of the icon in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(DRAWING, folder / "hyperscope.svg")
    (folder / "hyperscope.png").write_bytes(png(PNG_PIXELS))
    (folder / "hyperscope.ico").write_bytes(ico(ICO_PIXELS))
    (folder / "hyperscope.icns").write_bytes(icns())


def drawn(pixels: int) -> QImage:
    """Return the drawing at this width and height, on a transparent ground."""
    image = QImage(pixels, pixels, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(DRAWING.read_bytes())).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    return image.convertToFormat(QImage.Format.Format_ARGB32)


def installer_picture() -> bytes:
    """Return the bitmap that stands beside the text of the installer's last page."""
    image = QImage(*PICTURE_PIXELS, QImage.Format.Format_RGB888)  # older readers know no transparency
    image.fill(QColor(GROUND))
    painter = QPainter(image)
    painter.drawImage((PICTURE_PIXELS[0] - LARGE) // 2, LARGE // 2, drawn(LARGE))
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "BMP")
    return bytes(buffer.data().data())


def png(pixels: int) -> bytes:
    """Return the icon as a PNG."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    drawn(pixels).save(buffer, "PNG")
    return bytes(buffer.data().data())


def ico(sizes: Iterable[int]) -> bytes:
    """Return the icon as Windows reads it, with pictures of these widths."""
    pictures = [(size, _bitmap(size) if size <= LARGEST_BITMAP else png(size)) for size in sizes]
    at = 6 + 16 * len(pictures)
    entries = b""
    for size, data in pictures:
        entries += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(data), at)
        at += len(data)
    return struct.pack("<HHH", 0, 1, len(pictures)) + entries + b"".join(data for _, data in pictures)


def icns() -> bytes:
    """Return the icon as macOS reads it."""
    drawings = {pixels: png(pixels) for pixels in set(ICNS_PIXELS.values())}
    body = b"".join(
        kind + struct.pack(">I", 8 + len(drawings[pixels])) + drawings[pixels]
        for kind, pixels in ICNS_PIXELS.items()
    )
    return b"icns" + struct.pack(">I", 8 + len(body)) + body


def _bitmap(size: int) -> bytes:
    """A picture without a file header: its colours from the lowest row up, then a mask that hides nothing."""
    image = drawn(size)
    rows = [bytes(image.constScanLine(row)) for row in range(size - 1, -1, -1)]
    mask = bytes((size + 31) // 32 * 4 * size)
    return struct.pack("<IiiHHIIiiII", 40, size, 2 * size, 1, 32, 0, 0, 0, 0, 0, 0) + b"".join(rows) + mask


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
