"""The heat map and the pinned moment: its line, its keys, and what a point of the map tells."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from sessions.findings import Finding
from sessions.model import EntityRef
from sessions.times import TimeRange
from tests.widgets.axis_ink import columns_of, cut_labels
from viewmodels.heat_map import Heat, HeatRow
from viewmodels.time_labels import UTC_CLOCK
from widgets.heatmap import HeatmapView
from widgets.heatmap.geometry import Geometry
from widgets.heatmap.map import HeatMap
from widgets.heatmap.painting import longest_name, longest_worst
from widgets.heatmap.pointing import by_entity, tooltip_at
from widgets.theme import Theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

T0 = 1_700_000_000_000
WINDOW = TimeRange(T0, T0 + 1_000_000)
VM, OTHER = EntityRef("vm", "a"), EntityRef("vm", "b")
HEAT = Heat(
    "Ready", "%", WINDOW,
    [HeatRow(VM, "db-prod", "38 %", "critical", 1), HeatRow(OTHER, "web01", "1 %", "ok", 2)],
    np.array([[1.0, 38.0], [1.0, np.nan]]), 10.0, 20.0,
)  # fmt: skip


@pytest.fixture
def heat_map(theme: Theme, qtbot: QtBot) -> HeatMap:
    view = HeatMap(theme, UTC_CLOCK)
    qtbot.addWidget(view)
    view.resize(800, 200)
    view.show()
    view.show_heat(HEAT)
    return view


def finding(title: str, window: TimeRange) -> Finding:
    return Finding("cpu.limit", title, "critical", VM, "db-prod", (window,), 0.2, "", (), (), ())


def test_a_point_tells_value_and_findings_there(heat_map: HeatMap) -> None:
    geometry = Geometry.of(HEAT, heat_map.viewport().size(), 0, longest_name(HEAT), longest_worst(HEAT))
    found = by_entity(
        [finding("CPU limit holds it back", TimeRange(T0 + 600_000, WINDOW.end)), finding("Co-stop", WINDOW)]
    )

    def tooltip(part: float, row: int = 0) -> list[str]:
        point = QPoint(round(geometry.cells.left() + part * geometry.cells.width()), row * 18 + 9)
        return tooltip_at(point, HEAT, geometry, found, UTC_CLOCK).splitlines()

    early, late = tooltip(0.25), tooltip(0.75)
    assert early[0].startswith("db-prod  22:17:")
    assert early[0].endswith("UTC  1 %")
    assert early[1:] == ["▲ Co-stop"]
    assert late[0].endswith("38 %")
    assert late[1:] == ["▲ CPU limit holds it back", "▲ Co-stop"]
    assert len(tooltip(0.75, row=1)) == 1
    assert tooltip(-0.2) == ["db-prod: worst 38 %", "▲ CPU limit holds it back", "▲ Co-stop"]


def test_the_pinned_moment_is_drawn_while_it_is_in_sight(heat_map: HeatMap) -> None:
    without = heat_map.grab().toImage()
    heat_map.show_moment(T0 + 500_000)
    assert heat_map.grab().toImage() != without
    for at in (WINDOW.end + 1_000, None):
        heat_map.show_moment(at)
        assert heat_map.grab().toImage() == without


def test_its_keys_pin_move_and_let_go(heat_map: HeatMap) -> None:
    asked: list[int | None] = []
    steps: list[int] = []
    heat_map.pinned.connect(asked.append)
    heat_map.pinned.connect(heat_map.show_moment)
    heat_map.stepped.connect(steps.append)
    QTest.keyClick(heat_map, Qt.Key.Key_Space)
    QTest.keyClick(heat_map, Qt.Key.Key_Right)
    QTest.keyClick(heat_map, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(heat_map, Qt.Key.Key_Space)
    assert (asked, steps) == ([T0 + 500_000, None], [1, -10])


@pytest.mark.parametrize("part", [0.0, 0.3, 0.33, 0.5, 0.66, 1.0])
def test_its_flag_leaves_no_part_of_a_label_of_the_axis(heat_map: HeatMap, theme: Theme, part: float) -> None:
    geometry = Geometry.of(HEAT, heat_map.viewport().size(), 0, longest_name(HEAT), longest_worst(HEAT))
    strip = QRect(
        geometry.cells.left(), geometry.axis.top() + 4, geometry.cells.width(), geometry.axis.height() - 8
    )
    before = heat_map.viewport().grab().toImage()
    heat_map.show_moment(WINDOW.start + round(part * (WINDOW.end - WINDOW.start)))
    after = heat_map.viewport().grab().toImage()
    flag = columns_of(after, strip, theme.tokens.accent)
    assert cut_labels(before, after, strip, flag) == []


@pytest.mark.parametrize(("width", "text"), [(420, "2 rows"), (900, "2 rows, worst first · limit 10 %")])
def test_its_summary_is_short_rather_than_cut(theme: Theme, qtbot: QtBot, width: int, text: str) -> None:
    """The width of the page in a window of 960 pixels."""
    view = HeatmapView(theme, UTC_CLOCK)
    qtbot.addWidget(view)
    view.set_choices(["CPU ready of each VM"], ["Highest value"])
    view.show_heat(HEAT)
    view.resize(width, 300)
    view.show()
    QApplication.processEvents()
    assert view.summary.shown_in(view.summary.width()) == text


def test_in_a_narrow_pane_cells_have_half_of_the_width(qapp: QApplication) -> None:
    """Beside inventory and findings in a window of 1010 x 700 the pane has 430 pixels."""
    narrow = Geometry.of(HEAT, QSize(430, 300), 0, 400, longest_worst(HEAT))
    assert narrow.cells.width() >= 430 * 0.48
    wide = Geometry.of(HEAT, QSize(1200, 300), 0, 400, longest_worst(HEAT))
    assert wide.names_width == 400
