"""What the looks must keep: contrast, symbols, labels that do not cover each other, legends that fit."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QCheckBox,
    QDialog,
    QDockWidget,
    QFrame,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.gui.status_bar import SourceEntry, StatusBar
from sessions.model import EntityRef
from sessions.times import TimeRange
from viewmodels.chart_spec import ChartSpec
from viewmodels.curve import Curve, NamedCurve
from viewmodels.heat_map import Heat, HeatRow
from viewmodels.overview import OverviewLine
from viewmodels.time_labels import UTC_CLOCK
from widgets.charts.card import ChartCard
from widgets.charts.decorations import label_boxes
from widgets.charts.legend import flowed
from widgets.charts.stack import ChartStack
from widgets.empty_state import EmptyState
from widgets.heatmap import HeatmapView
from widgets.moved.rows import MovedList
from widgets.overview.section import Section
from widgets.pane import PaneTitle
from widgets.start import StartPage
from widgets.start.recent import RecentEntry
from widgets.theme import DARK, LIGHT, SYMBOLS, Theme, Tokens
from wizards.pages.compare_others import OtherList
from wizards.pages.compare_table import ChangesTable
from wizards.pages.report_contents import ContentsList
from wizards.pages.troubleshoot_list import ChecksList

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

TEXT, GRAPHIC = 4.5, 3.0
"""WCAG 2.2, 1.4.3 and 1.4.11."""
STATES = ("critical", "warning", "ok")


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def text_pairs(tokens: Tokens) -> list[tuple[str, str, str]]:
    """What is written on what: name, colour, ground."""
    grounds = ("background", "surface1", "surface2")
    words = ("text", "muted", "faint", "accent", "info", *STATES)
    pairs = [(f"{a} on {b}", getattr(tokens, a), getattr(tokens, b)) for a in words for b in grounds]
    pairs += [(f"{a} on surface3", getattr(tokens, a), tokens.surface3) for a in ("text", "muted")]
    pairs += [(f"{a} on its tint", getattr(tokens, a), tokens.tints()[f"{a}_tint"]) for a in STATES]
    pairs += [(f"muted on {a} card", tokens.muted, tokens.tints()[f"{a}_card"]) for a in STATES]
    pairs += [("text on selected", tokens.text, tokens.tints()["selected"])]
    return [*pairs, ("on accent", tokens.on_accent, tokens.accent)]


@pytest.mark.parametrize("tokens", [DARK, LIGHT], ids=["dark", "light"])
def test_text_can_be_read(tokens: Tokens) -> None:
    poor = {
        name: round(contrast(colour, ground), 2)
        for name, colour, ground in text_pairs(tokens)
        if contrast(colour, ground) < TEXT
    }
    assert not poor


@pytest.mark.parametrize("tokens", [DARK, LIGHT], ids=["dark", "light"])
def test_curves_can_be_seen(tokens: Tokens) -> None:
    poor = [colour for colour in tokens.series if contrast(colour, tokens.surface1) < GRAPHIC]
    assert not poor
    assert len(set(tokens.series)) == len(tokens.series)


def test_every_state_has_a_symbol_of_its_own() -> None:
    assert len(set(SYMBOLS.values())) == len(SYMBOLS)


@given(st.lists(st.floats(0, 200), min_size=1, max_size=4), st.integers(20, 80))
def test_words_of_limits_never_cover_each_other(rows: list[float], width: int) -> None:
    boxes = label_boxes(sorted(rows), [width] * len(rows), QRectF(0, 0, 900, 200))
    assert not any(one.intersects(other) for one, other in combinations(boxes, 2))
    assert all(box.right() <= 900 for box in boxes)


def card_of(theme: Theme, qtbot: QtBot, title: str, names: list[str], width: int) -> ChartCard:
    card = ChartCard(theme, UTC_CLOCK)
    qtbot.addWidget(card)
    card.resize(width, 180)
    times = np.arange(10, dtype=np.int64) * 1000
    curves = [NamedCurve(name, "%", Curve(times, np.arange(10.0))) for name in names]
    card.show_chart(ChartSpec(title, "%", tuple(range(len(names)))), curves)
    card.show()
    QApplication.processEvents()
    return card


def test_labels_of_limits_near_each_other_stand_at_their_own_lines() -> None:
    """As of 80 and 90 % in the overview's low charts, near the upper end of the axis."""
    rows = [8.0, 16.0]
    upper, lower = label_boxes(rows, [30.0, 30.0], QRectF(0, 0, 300, 80))
    assert abs(upper.center().y() - 8) < abs(upper.center().y() - 16)
    assert abs(lower.center().y() - 16) < abs(lower.center().y() - 8)
    assert not upper.intersects(lower)


@pytest.mark.parametrize("width", [290, 360, 640, 1200])
def test_a_legend_leaves_the_title_whole_and_stays_inside(theme: Theme, qtbot: QtBot, width: int) -> None:
    title = "Ready, co-stop and limit"
    card = card_of(theme, qtbot, title, ["CPU ready", "CPU co-stop", "Held back"], width)
    assert card.head.title == title
    assert len(card.head.legend.entries) == 3
    for entry in card.head.legend.entries:
        assert not entry.isHidden()
        assert entry.width() >= entry.sizeHint().width()
        assert entry.mapTo(card, entry.rect().topRight()).x() < width


def test_an_axis_has_the_unit_of_its_legend(theme: Theme, qtbot: QtBot) -> None:
    card = ChartCard(theme, UTC_CLOCK)
    qtbot.addWidget(card)
    card.resize(600, 200)
    times = np.arange(100, dtype=np.int64) * 1000
    card.plot.set_window(0, 99_000)
    card.show_chart(
        ChartSpec("Memory", "MB", (1,)),
        [NamedCurve("a", "MB", Curve(times, times.astype(np.float64) * 0.06))],
    )
    assert (card.head.note, card.head.legend.entries[0]._value.text()) == ("GB", "5.80 GB")
    axis = card.plot.drawing.value_axis
    spacing, values = axis.tickValues(*axis.range, 150)[0]
    assert axis.tickStrings(values, axis.scale, spacing) == ["0", "2", "4", "6"]
    card.plot.set_window(0, 9_000)
    assert card.head.note == "MB"
    spacing, values = axis.tickValues(*axis.range, 150)[0]
    assert axis.tickStrings(values, axis.scale, spacing)[-1] in {"500", "600"}


@pytest.mark.parametrize("width", [290, 320, 360, 480])
def test_a_legend_of_long_names_shows_all_of_them(theme: Theme, qtbot: QtBot, width: int) -> None:
    names = [f"naa.600508b4000603860001287dbba{n} esx0{n}" for n in range(4)]
    card = card_of(theme, qtbot, "Storage latency", names, width)
    assert len(card.head.legend.entries) == len(names)
    for number, entry in enumerate(card.head.legend.entries):
        name = entry.findChildren(QLabel)[0].text()
        assert name.startswith("naa")
        assert name.endswith(str(number))
        assert entry.value == "0 %"
        assert entry.width() >= entry.sizeHint().width()
        assert entry.mapTo(card, entry.rect().topRight()).x() < width


@pytest.mark.parametrize("width", [420, 900])
def test_many_curves_leave_the_plot_its_room_and_are_all_within_reach(
    theme: Theme, qtbot: QtBot, width: int
) -> None:
    names = [f"db-prod-{number:02} › vCPU {number % 4}" for number in range(14)]
    card = card_of(theme, qtbot, "CPU ready", names, width)
    card.resize(width, card.minimumHeight())
    QApplication.processEvents()
    legend = card.head.legend
    assert card.plot.height() >= card.plot.minimumHeight()
    seen = QRect(QPoint(0, 0), legend.viewport().size())
    for entry in legend.entries:
        legend.ensureWidgetVisible(entry, 0, 0)
        assert seen.contains(QRect(entry.mapTo(legend.viewport(), QPoint(0, 0)), entry.size()))
    assert len({entry.findChildren(QLabel)[0].text() for entry in legend.entries}) == len(names)
    assert legend.mapTo(card, legend.rect().bottomRight()).x() < width


@given(st.lists(st.integers(40, 400), max_size=20), st.integers(100, 900))
def test_rows_of_a_legend_hold_every_entry_and_are_not_wider_than_their_room(
    widths: list[int], room: int
) -> None:
    rows = flowed(widths, room)
    assert [number for row in rows for number in row] == list(range(len(widths)))
    assert all(len(row) == 1 or sum(widths[number] for number in row) <= room for row in rows)
    for row, after in pairwise(rows):
        assert sum(widths[number] for number in row) + widths[after[0]] > room, "it had room above"


@pytest.mark.parametrize("width", [800, 1000, 1280, 1440])
def test_the_status_bar_shows_whole_entries_and_counts_the_others(
    theme: Theme, qtbot: QtBot, width: int
) -> None:
    bar = StatusBar(theme)
    qtbot.addWidget(bar)
    bar.resize(width, 28)
    bar.show()
    bar.show_session("night.hscope · 38 MB · 46,180 series · 0.3 bytes a value")
    entries = [SourceEntry("ok", f"esx0{n}.lab.local · 5 s · 11,479 series · on time") for n in range(9)]
    bar.show_sources(entries)
    QApplication.processEvents()
    shown = bar._sources.text().count("on time")
    assert 0 < shown < len(entries)
    rest = len(entries) - shown
    assert f"{rest} more" in bar._sources.text() or f"{rest} sources" in bar._sources.text()
    assert bar._sources.sizeHint().width() <= bar._sources.width()


def test_an_empty_view_offers_its_way_out(qtbot: QtBot) -> None:
    state = EmptyState()
    qtbot.addWidget(state)
    state.show_reason("Nothing has that name.", "Show everything")
    with qtbot.waitSignal(state.wanted, timeout=5_000):
        state.button.click()
    state.show_reason("Nothing was measured.")
    assert state.button.isHidden()


@pytest.mark.parametrize(
    "text", ["No row fits.", "Nothing to draw for this scope.\n\n" + 20 * "Choose a VM. "]
)
def test_what_an_empty_view_says_stands_above_its_button(qtbot: QtBot, text: str) -> None:
    state = EmptyState()
    qtbot.addWidget(state)
    state.show_reason(text, "Show all rows")
    state.resize(1000, 400)
    state.show()
    words, button = state.reason.geometry(), state.button.geometry()
    assert abs(words.center().x() - button.center().x()) <= 1
    assert words.width() == 420, "sentences keep a readable length, and short ones stay on one line"
    state.resize(300, 400)
    assert state.rect().contains(state.reason.geometry())


def test_rows_of_a_section_live_on_while_their_numbers_change(theme: Theme, qtbot: QtBot) -> None:
    section = Section(theme, "CPU READY")
    qtbot.addWidget(section)
    section.show()
    section.show_lines([OverviewLine("a", "1 %"), OverviewLine("b", "2 %")], "No numbers.")
    before = list(section.rows)
    assert all(row.isVisible() for row in before)  # at once: an empty list between two would flicker
    section.show_lines([OverviewLine("b", "3 %"), OverviewLine("a", "2 %")], "No numbers.")
    assert section.rows == before
    assert [row.accessibleName() for row in section.rows] == ["b 3 %", "a 2 %"]
    with qtbot.waitSignal(section.picked, timeout=5_000) as picked:
        section.rows[1].click()
    assert picked.args == [1]
    section.show_lines([], "No numbers.")
    assert not section.rows


def test_a_title_beside_its_pane_keeps_its_width(theme: Theme, qtbot: QtBot) -> None:
    dock = QDockWidget()
    qtbot.addWidget(dock)
    title = PaneTitle("Timeline", dock, theme, beside=True)
    before = title.minimumSizeHint().width()
    for note in ("1 s shown", "44 min 55 s shown", ""):
        title.show_note(note)
        assert title.minimumSizeHint().width() == title.sizeHint().width() == before


def test_titles_that_differ_at_their_end_are_told_apart_when_cut(theme: Theme, qtbot: QtBot) -> None:
    """VMs of one application differ in the last digits of long names."""
    card = ChartCard(theme, UTC_CLOCK)
    qtbot.addWidget(card)
    card.resize(320, 160)
    seen = set()
    for number in ("036", "037"):
        title = f"Ready, co-stop and max limited of prod-finance-emea-application-server-{number}"
        card.show_chart(ChartSpec(title, "%", ()), [])
        card.head.arrange(320, has_legend=True)
        assert card.head.title != title
        seen.add(card.head.title)
    assert len(seen) == 2


def test_recent_sessions_that_differ_at_the_end_look_different(theme: Theme, qtbot: QtBot) -> None:
    page = StartPage(theme, dict.fromkeys(("connect", "open", "import", "lab"), ""))
    qtbot.addWidget(page)
    page.resize(700, 700)
    pictures = []
    for number in (1, 2):
        path = f"/recordings/{'a long folder/' * 12}night-{number}.hscope"
        page.show_recent([RecentEntry(path, "night " * 30 + str(number), "today")])
        pictures.append(page.recent.grab().toImage())
    assert pictures[0] != pictures[1]


def heat_map_view(theme: Theme, qtbot: QtBot, width: int) -> HeatmapView:
    view = HeatmapView(theme, UTC_CLOCK)
    qtbot.addWidget(view)
    view.resize(width, 300)
    view.show()
    qtbot.waitExposed(view)
    return view


def test_what_the_heat_map_counts_is_shortened_at_its_end_in_a_narrow_window(
    theme: Theme, qtbot: QtBot
) -> None:
    """At 960 × 600 its beginning was cut off: how many rows there are."""
    view = heat_map_view(theme, qtbot, 480)
    view.set_choices(["CPU ready of each VM"], ["Highest value"])
    rows = [HeatRow(EntityRef("vm", "a"), "a", "42 %", "ok", 1)]
    view.show_heat(Heat("", "%", TimeRange(0, 60_000), rows, np.zeros((1, 10)), 5.0, 10.0))
    [label] = [one for one in view.findChildren(QLabel) if "worst first" in one.text()]
    assert "1 row, worst first" in label.toolTip()
    pictures = []
    for count in (1, 2):
        view.show_heat(Heat("", "%", TimeRange(0, 60_000), rows * count, np.zeros((count, 10)), 5.0, 10.0))
        pictures.append(label.grab().toImage())
    assert label.width() < label.fontMetrics().horizontalAdvance(label.text())
    assert pictures[0] != pictures[1]
    assert "2 rows, worst first" in label.toolTip()


def test_the_heat_map_says_what_it_leaves_out_where_it_shows_some_rows_or_none(
    theme: Theme, qtbot: QtBot
) -> None:
    view = heat_map_view(theme, qtbot, 600)
    rows = [HeatRow(EntityRef("vm", "a"), "a", "42 %", "ok", 1)]
    shown = Heat("", "%", TimeRange(0, 60_000), rows, np.zeros((1, 10)), 5.0, 10.0)
    view.show_heat(shown)
    assert view.left_out.isHidden()
    left_out = "numbers are left out of 2"
    for heat in (replace(shown, left_out=left_out), Heat(left_out=left_out)):
        view.show_heat(heat)
        assert view.left_out.isVisible()
        assert view.left_out.text() == "Numbers are left out of 2"


def test_who_does_most_is_told_apart_in_a_narrow_list(theme: Theme, qtbot: QtBot) -> None:
    """Names that differ in their middle were cut off at the same letter."""
    names = [f"srv-customer-{letter}-production-database" for letter in "ab"]
    section = Section(theme, "CPU used")
    qtbot.addWidget(section)
    section.resize(190, 120)
    section.show_lines([OverviewLine(name, "31 %", series=1) for name in names], "")
    section.show()
    QApplication.processEvents()
    first, second = (row.grab().toImage() for row in section.rows)
    assert first != second
    assert all(name in row.toolTip() for name, row in zip(names, section.rows, strict=True))


def test_charts_whose_titles_differ_in_the_middle_are_told_apart(theme: Theme, qtbot: QtBot) -> None:
    stack = ChartStack(theme, UTC_CLOCK)
    qtbot.addWidget(stack)
    stack.resize(300, 500)
    names = [f"CPU ready · srv-customer-{letter}-production-database" for letter in "ab"]
    times = np.arange(10, dtype=np.int64) * 1000
    curves = [NamedCurve("CPU ready", "%", Curve(times, np.arange(10.0)))]
    stack.show_charts([(ChartSpec(name, "%", (number,)), curves) for number, name in enumerate(names)])
    stack.show()
    QApplication.processEvents()
    first, second = (card.head.title for card in stack.cards)
    assert first != names[0]
    assert first != second


class StyleChanges(QObject):
    """Counts how often a widget is restyled."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.StyleChange
        return super().eventFilter(watched, event)


def test_another_theme_restyles_a_widget_once_and_not_once_more_for_each_parent(
    qtbot: QtBot, theme: Theme
) -> None:
    """A widget nine levels deep, as a legend's entries are; once is for the sheet that goes."""
    window = QWidget()
    qtbot.addWidget(window)
    inner = window
    for _ in range(9):
        inner = QFrame(inner)
        inner.setProperty("role", "card")
    label = QLabel("ready", inner)
    window.show()
    changes = StyleChanges(label)
    theme.set_preference("light")
    assert 1 <= changes.count <= 2
    assert label.palette().windowText().color() == QColor(LIGHT.text)


def test_the_focus_is_seen_on_every_list_and_paints_no_grey_box(theme: Theme, qtbot: QtBot) -> None:
    """Who goes on by Tab sees where they are; of a button its frame tells it, no box of the style."""
    ink = QColor(theme.tokens.accent).rgb()
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    lists: list[QAbstractItemView] = [
        ContentsList(theme), ChecksList(theme), ChangesTable(theme), OtherList(theme, "x"), MovedList(theme),
    ]  # fmt: skip
    toggle, plain, box = QPushButton("toggle"), QPushButton("plain"), QCheckBox("box")
    toggle.setCheckable(True)
    toggle.setChecked(True)
    for one in (*lists, toggle, plain, box):
        column.addWidget(one)
    window.resize(500, 900)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    for view in lists:
        for has_focus in (True, False):
            (view if has_focus else plain).setFocus()
            QApplication.processEvents()
            edge = view.grab().toImage().pixelColor(view.width() // 2, 0).rgb()
            assert (edge == ink) == has_focus, view
    for control in (toggle, plain):
        inside = control.rect().adjusted(3, 3, -3, -3)
        pictures = []
        for one in (control, box):
            one.setFocus()
            QApplication.processEvents()
            pictures.append(control.grab().toImage())
        assert pictures[0] != pictures[1]  # the frame
        assert pictures[0].copy(inside) == pictures[1].copy(inside)


def test_a_quiet_button_stays_quiet_with_the_focus_in_a_dialog(theme: Theme, qtbot: QtBot) -> None:
    """A dialog makes it its default: that wrote it bold, into the room of letters that are not."""
    dialog = QDialog()
    qtbot.addWidget(dialog)
    button = QPushButton("More, with the problems that it tells of", dialog)
    button.setProperty("role", "ghost")
    dialog.show()
    pictures = []
    for is_default in (False, True):
        button.setAutoDefault(is_default)
        button.setDefault(is_default)
        QApplication.processEvents()
        pictures.append(button.grab().toImage())
    assert pictures[0] == pictures[1]
