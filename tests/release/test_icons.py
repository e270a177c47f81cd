"""The program's icon in each system's form: what was drawn can be read again, in every size."""

from __future__ import annotations

import importlib
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from PySide6.QtGui import QImage

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def icons(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    yield importlib.import_module("icons")
    sys.modules.pop("icons")


def _is_drawn(picture: QImage) -> bool:
    """Whether the drawing's ground is near the upper edge, and nothing in a corner."""
    middle = picture.pixelColor(picture.width() // 2, picture.height() // 8)
    return middle.alpha() == 255 and picture.pixelColor(0, 0).alpha() == 0


def test_all_forms_are_made(icons: ModuleType, tmp_path: Path) -> None:
    icons.make_icons(tmp_path / "new")

    assert sorted(path.suffix for path in (tmp_path / "new").iterdir()) == [".icns", ".ico", ".png", ".svg"]
    assert QImage(str(tmp_path / "new" / "hyperscope.png")).width() == 256


def test_an_ico_holds_bitmaps_and_one_png(icons: ModuleType) -> None:
    data = icons.ico((16, 32, 256))

    assert struct.unpack_from("<HHH", data) == (0, 1, 3)
    entries = [struct.unpack_from("<BBBBHHII", data, 6 + 16 * at) for at in range(3)]
    assert [(entry[0], entry[5]) for entry in entries] == [(16, 32), (32, 32), (0, 32)]
    assert sum(entry[6] for entry in entries) + entries[0][7] == len(data)
    for *_, length, at in entries[:2]:
        size, width, height = struct.unpack_from("<Iii", data, at)
        assert (size, height, length) == (
            40,
            2 * width,
            40 + 4 * width * width + (width + 31) // 32 * 4 * width,
        )
    assert data[entries[2][7] :].startswith(b"\x89PNG")


def test_what_qt_reads_of_an_ico_is_the_drawing(icons: ModuleType) -> None:
    picture = QImage.fromData(icons.ico((48,)))

    assert (picture.width(), picture.height()) == (48, 48)
    assert _is_drawn(picture)


def test_the_installers_picture_is_a_bitmap_without_transparency(icons: ModuleType) -> None:
    data = icons.installer_picture()

    assert data[:2] == b"BM"
    assert struct.unpack_from("<iiHH", data, 18) == (164, 314, 1, 24)
    picture = QImage.fromData(data)
    assert picture.pixelColor(0, 0).name() == icons.GROUND
    assert picture.pixelColor(82, 96).name() != icons.GROUND


def test_an_icns_names_the_length_of_each_picture(icons: ModuleType) -> None:
    data = icons.icns()

    assert data[:4] == b"icns"
    assert struct.unpack_from(">I", data, 4) == (len(data),)
    at, found = 8, {}
    while at < len(data):
        kind, length = struct.unpack_from(">4sI", data, at)
        found[kind] = QImage.fromData(data[at + 8 : at + length]).width()
        at += length
    assert found == icons.ICNS_PIXELS
