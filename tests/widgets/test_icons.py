"""The icons: one drawing for each meaning, in the theme's colours, sharp where a line can be."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon, QImage
from PySide6.QtWidgets import QApplication

import resources
from widgets.theme import Theme, program_icon
from widgets.theme.icons import NAMES, Icons

FOLDER = Path(resources.__file__).parent / "icons"


def test_every_drawing_is_used_and_every_meaning_has_one() -> None:
    drawings = {path.stem for path in FOLDER.glob("*.svg")}

    assert drawings == set(NAMES.values())


@pytest.mark.parametrize("name", NAMES)
def test_an_icon_shows_something_in_its_colour_only(theme: Theme, name: str) -> None:
    inks = _inks(Icons(theme.tokens).get(name, "#ff0000").pixmap(128, 128).toImage())

    assert inks == {"#ff0000"}


def test_states_have_colours_of_their_own(theme: Theme) -> None:
    icon, tokens = Icons(theme.tokens).get("stop"), theme.tokens

    def ink(mode: QIcon.Mode) -> set[str]:
        return _inks(icon.pixmap(QSize(64, 64), mode).toImage())

    assert ink(QIcon.Mode.Normal) == {tokens.muted}
    assert ink(QIcon.Mode.Active) == {tokens.text}
    assert ink(QIcon.Mode.Selected) == {tokens.text}
    assert len(ink(QIcon.Mode.Disabled) | {tokens.muted, tokens.text}) == 3


@pytest.mark.parametrize("size", [16, 18, 20])
def test_a_straight_line_of_a_small_icon_is_one_sharp_row(theme: Theme, size: int) -> None:
    image = Icons(theme.tokens).get("remove", "#ffffff").pixmap(size, size).toImage()
    middle = size // 2
    column = [QColor(image.pixelColor(middle, y)).alpha() for y in range(size)]

    assert [alpha for alpha in column if alpha] == [255]


def test_drawings_are_shapes_and_nothing_else() -> None:
    for path in FOLDER.glob("*.svg"):
        text = path.read_text(encoding="ascii")
        assert text.count("<") == 3, path.name  # svg, path, the end of svg
        assert "currentColor" in text


def _inks(image: QImage) -> set[str]:
    """The colours of all pixels that are not see-through at all."""
    return {
        image.pixelColor(x, y).name()
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() == 255
    }


def test_the_programs_own_icon_is_there_in_every_size(qapp: QApplication) -> None:
    icon = program_icon()

    assert [size.width() for size in icon.availableSizes()] == [16, 24, 32, 48, 64, 128, 256]
    picture = icon.pixmap(48, 48).toImage()
    assert picture.pixelColor(0, 0).alpha() == 0
    assert picture.pixelColor(24, 6).alpha() == 255
