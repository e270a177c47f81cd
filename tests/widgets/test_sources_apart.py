"""What two sources have of one quantity: a line of text in the chart, and the area between the curves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from sessions.model import EntityRef, Series, SeriesSpec
from sessions.times import TimeRange
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import Curve, NamedCurve
from viewmodels.joined_sources import SourcesApart, side_by_side
from viewmodels.time_labels import UTC_CLOCK
from widgets.charts.apart import boxes
from widgets.charts.card_menu import picture_of
from widgets.charts.decorations import Frame
from widgets.charts.picture import image_of
from widgets.charts.stack import ChartStack
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
FINE, COARSE = np.arange(0, 601, 5, dtype=np.int64) * 1000, np.arange(20, 601, 20, dtype=np.int64) * 1000
SENTENCE = "vCenter 10.0 %, esxtop 40.0 % at the same times: 300 % apart (30 intervals of 20 s)"
READY = ChartSpec("CPU ready", "%", (1, 2))


def apart(fine: float = 40.0, coarse: float = 10.0) -> SourcesApart:
    compared = side_by_side((FINE, np.full(FINE.size, fine)), (COARSE, np.full(COARSE.size, coarse)))
    assert compared is not None
    spec = SeriesSpec(EntityRef("vm", "db"), "cpu.ready", "%")
    measured = compared.disagreement(Series(1, 1, spec), Series(2, 2, spec))
    assert measured is not None
    return SourcesApart(1, 2, measured, compared, "CPU ready", SENTENCE)


def curves(*found: SourcesApart) -> list[NamedCurve]:
    fine, coarse = Curve(FINE, np.full(FINE.size, 40.0)), Curve(COARSE, np.full(COARSE.size, 10.0))
    return [
        NamedCurve("esxtop", "%", fine, series=1),
        NamedCurve("vCenter", "%", coarse, series=2, apart=tuple(found)),
    ]


@pytest.fixture
def stack(qtbot: QtBot, theme: Theme) -> ChartStack:
    stack = ChartStack(theme, UTC_CLOCK)
    qtbot.addWidget(stack)
    stack.show_window(TimeRange(0, 600_000))
    stack.show_charts([(READY, curves(apart()))])
    stack.resize(900, 400)
    stack.show()
    qtbot.waitUntil(lambda: stack.cards[0].plot.drawing.area.width() > 300)
    return stack


def tinted(stack: ChartStack) -> bool:
    """True if the ground between the two curves has another colour than below both."""
    card = stack.cards[0]
    drawing = card.plot.drawing
    image = card.plot.grab().toImage()
    ratio = image.devicePixelRatio()
    low, high = drawing.scale.values
    x = drawing.area.center().x()

    def colour(value: float) -> QColor:
        part = (value - low) / (high - low)
        y = drawing.area.bottom() - part * drawing.area.height()
        found: QColor = image.pixelColor(round(x * ratio), round(y * ratio))
        return found

    return colour(23.0) != colour(4.0)


def test_a_chart_says_and_shows_how_far_its_sources_are_apart(stack: ChartStack, qtbot: QtBot) -> None:
    card = stack.cards[0]
    assert card.apart.isVisible()
    assert card.apart.text_shown == card.apart.text() == SENTENCE
    assert tinted(stack)
    stack.show_charts([(READY, curves())])
    assert not card.apart.isVisible()
    assert not tinted(stack)


def test_a_narrow_chart_keeps_the_sentence_in_its_tooltip(stack: ChartStack, qtbot: QtBot) -> None:
    card = stack.cards[0]
    stack.resize(320, 400)
    qtbot.waitUntil(lambda: card.apart.text() != SENTENCE)
    assert card.apart.text().endswith("…")
    assert SENTENCE in card.apart.toolTip()
    assert card.width() <= 320


def test_of_several_quantities_the_one_furthest_apart_is_named(stack: ChartStack) -> None:
    costop = replace(apart(fine=11.0), counter="Co-stop", sentence="vCenter 10.0 %, esxtop 11.0 %")
    stack.show_charts([(READY, curves(costop, apart()))])
    assert stack.cards[0].apart.text_shown == f"CPU ready: {SENTENCE}"
    assert "Co-stop: vCenter 10.0 %, esxtop 11.0 %" in stack.cards[0].apart.toolTip()


def test_a_picture_has_both(stack: ChartStack, theme: Theme) -> None:
    with_it = image_of(picture_of(stack.cards, theme))
    stack.show_charts([(READY, curves())])
    without = image_of(picture_of(stack.cards, theme))
    assert with_it.height() > without.height()


def test_the_area_has_a_box_for_each_interval_and_no_more_than_pixels() -> None:
    frame = Frame(QRectF(0, 0, 600_000, 50), QRectF(0, 0, 600, 100))
    found = boxes(apart(), frame)
    assert len(found) == 30
    assert found[0].tolist() == [0.0, 20.0, 20.0, 80.0]
    narrow = Frame(QRectF(0, 0, 600_000, 50), QRectF(0, 0, 10, 100))
    assert len(boxes(apart(), narrow)) == 10
    assert not len(boxes(apart(), Frame(QRectF(10_000_000, 0, 1000, 50), QRectF(0, 0, 600, 100))))


def test_a_chart_says_what_it_leaves_out(stack: ChartStack) -> None:
    first, *others = curves()
    left_out = "1 sample that no host can have is left out: 1.00×10¹⁵ %"
    stack.show_charts([(READY, [replace(first, left_out=left_out), *others])])
    assert stack.cards[0].apart.text_shown == f"{first.full_name}: {left_out}."
