"""Charts leave as pictures: with names, values, date, zone and session, and nothing of the window."""

from __future__ import annotations

import re
import threading
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from sessions.model import Mark
from sessions.times import TimeRange
from viewmodels.chart_spec import Band, ChartSpec, Limit
from viewmodels.curve import Curve, NamedCurve
from viewmodels.file_offer import FileOffer
from viewmodels.time_labels import clock_of
from widgets.charts.stack import ChartStack
from widgets.theme import DARK, LIGHT, Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
T0, HOUR = 1_700_000_000_000, 3_600_000
CTRL = Qt.KeyboardModifier.ControlModifier
HOSTILE = "<script>alert(1)</script> & db\x07"


@pytest.fixture
def stack(qtbot: QtBot, theme: Theme) -> ChartStack:
    """Two charts of an hour, with a limit, a band and a mark."""
    stack = ChartStack(theme, clock_of("Asia/Kolkata"))
    qtbot.addWidget(stack)
    times = T0 + np.arange(720, dtype=np.int64) * 5_000
    high, low = Curve(times, 30 + np.sin(np.arange(720.0))), Curve(times, np.full(720, 2.0))
    window = TimeRange(T0, T0 + HOUR)
    stack.name_session("lab-friday")
    stack.show_window(window)
    stack.show_events([], [Mark(T0 + HOUR // 2, "users call")])
    limits, bands = (Limit(10, "10 %"),), (Band(window, "critical"),)
    ready = ChartSpec("CPU ready", "%", (1, 2), "per vCPU", limits, bands, "CPU ready · web")
    stack.show_charts([
        (ready, [NamedCurve(HOSTILE, "%", high, series=1), NamedCurve("vCPU 1", "%", low, series=2)]),
        (ChartSpec("Latency", "ms", (3,)), [NamedCurve("Device latency", "ms", low, series=3)]),
    ])  # fmt: skip
    stack.resize(700, 500)
    stack.show()
    qtbot.waitUntil(lambda: stack.cards[0].plot.drawing.area.width() > 300)
    return stack


def offer(stack: ChartStack, text: str) -> FileOffer:
    """What an entry of the first chart's menu offers to save."""
    offers: list[FileOffer] = []
    stack.saved.connect(offers.append)
    [entry] = [one for one in stack.cards[0].menu.entries() if one is not None and one.text == text]
    entry.act()
    stack.saved.disconnect(offers.append)
    [found] = offers
    return found


def contents(offer: FileOffer) -> dict[str, bytes]:
    """The file in each of its forms, made in a worker as the window does."""
    made: dict[str, bytes] = {}

    def work() -> None:
        made.update({form.label: form.content() for form in offer.forms})

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    return made


def words(svg: bytes) -> str:
    """All texts of a drawing."""
    elements = (one for one in ElementTree.fromstring(svg).iter() if one.tag.endswith("text"))
    return " | ".join("".join(one.itertext()).strip() for one in elements)


def test_a_picture_says_what_when_and_of_which_session(stack: ChartStack) -> None:
    said = words(contents(offer(stack, "Save picture…"))["SVG drawing"])
    for text in (
        "CPU ready · web", "%, per vCPU", "<script>alert(1)</script> & db", "vCPU 1", "2 %",
        "10 %", "users call", "lab-friday · 2023-11-15 03:43:20 IST – 2023-11-15 04:43:20 IST",
    ):  # fmt: skip
        assert text in said, said
    assert "Device latency" not in said
    whole = words(contents(offer(stack, "Save a picture of all charts…"))["SVG drawing"])
    assert "CPU ready · web" in whole
    assert "Device latency" in whole


def test_values_of_the_legend_are_those_of_the_pinned_moment(stack: ChartStack) -> None:
    stack.crosshair.show_moment(T0 + 5_000)
    said = words(contents(offer(stack, "Save picture…"))["SVG drawing"])
    assert f"{30 + np.sin(1):.1f} %" in said
    assert "values at 03:43:25 IST" in said


def test_a_png_has_twice_the_pixels_and_the_colours_that_were_chosen(stack: ChartStack) -> None:
    made = contents(offer(stack, "Save picture…"))
    for label, tokens in (("PNG picture", DARK), ("PNG picture, light for reports", LIGHT)):
        image = QImage.fromData(made[label])
        assert image.width() == 2_000
        assert image.pixelColor(3, 3) == QColor(tokens.surface1)
        colours = {image.pixelColor(x, y).name() for x in range(200, 1900, 7) for y in range(100, 500, 3)}
        assert QColor(tokens.curve(0)).name() in colours


def test_focus_and_pointer_change_nothing(stack: ChartStack, qtbot: QtBot) -> None:
    before = contents(offer(stack, "Save picture…"))
    plot = stack.cards[0].plot
    plot.setFocus()
    QApplication.sendEvent(plot, QEvent(QEvent.Type.Enter))
    QTest.mouseMove(plot.viewport(), plot.drawing.area.center().toPoint())
    qtbot.wait(50)
    assert contents(offer(stack, "Save picture…")) == before


def test_nothing_is_drawn_beyond_the_plot_when_values_are_zoomed(stack: ChartStack) -> None:
    stack.cards[0].plot.navigation.zoom_values(0.2)
    svg = contents(offer(stack, "Save picture…"))["SVG drawing"].decode()
    lines = re.findall(r'<polyline[^>]*points="([^"]+)"', svg)
    ys = [float(point.partition(",")[2]) for line in lines for point in line.split()]
    assert ys
    assert max(ys) - min(ys) <= 221


def test_keys_copy_the_picture_and_offer_to_save_it(stack: ChartStack, qtbot: QtBot) -> None:
    said: list[str] = []
    offers: list[FileOffer] = []
    stack.copied.connect(said.append)
    stack.saved.connect(offers.append)
    QApplication.clipboard().clear()
    plot = stack.cards[0].plot
    plot.setFocus()
    qtbot.keyClick(plot, Qt.Key.Key_C, CTRL)
    assert said == ["CPU ready · web: copied as a picture."]
    assert QApplication.clipboard().image().width() == 2_000
    qtbot.keyClick(plot, Qt.Key.Key_S, CTRL)
    assert offers[0].name == "lab-friday CPU ready · web 2023-11-15 03.43"
    closed: list[int] = []
    stack.closed.connect(closed.append)
    qtbot.keyClick(plot, Qt.Key.Key_Delete)
    assert closed == [0]


def test_a_menu_of_charts_that_went_meanwhile_does_nothing(stack: ChartStack) -> None:
    """The monkey chose *Copy all* in the menu of a chart whose session had just been closed."""
    entries = [one for one in stack.cards[0].menu.entries() if one is not None and "all" in one.text]
    assert len(entries) >= 2
    pictured: list[object] = []
    stack.pictured.connect(lambda *_picture: pictured.append(_picture))
    stack.saved.connect(pictured.append)
    stack.show_charts([])
    for one in entries:
        one.act()
    assert not pictured
