"""Typing in the scope bar and the palette: what happens on each key, and that nothing else changes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.palette import Palette
from sessions.model import EntityRef
from sessions.scope import Scope
from sessions.times import TimeRange
from tests.gui.recordings import record
from tests.gui.windows import child_of, running, wait
from viewmodels.snapshot import Snapshot
from widgets.charts.page import ChartsPage
from widgets.scope_bar import ScopeBar


@pytest.fixture
def opened(qapp: QApplication, home: Path, nothing_left_behind: None, qtbot: QtBot) -> Iterator[Program]:
    """A window with half an hour of the demo, from 02:31:16 to 03:01:11 UTC."""
    path = record(home / "demo.hscope", seconds=1800)
    with running(qapp, home) as program:
        program.desk.settings.set("look.times", "utc")
        program.desk.session.open(path)
        wait(qtbot, lambda: program.desk.session.snapshot)
        program.window.activateWindow()
        yield program


def snapshot_of(program: Program) -> Snapshot:
    snapshot = program.desk.session.snapshot
    assert snapshot is not None
    return snapshot


def vm(program: Program, name: str) -> EntityRef:
    snapshot = snapshot_of(program)
    return next(ref for ref in snapshot.entities if ref.kind == "vm" and snapshot.name(ref) == name)


def chosen(program: Program) -> tuple[EntityRef, ...]:
    """The entities of the scope."""
    return program.desk.scope.scope.entities


def at(program: Program, time: str) -> int:
    """A time of the session's day in UTC, in ms."""
    span = snapshot_of(program).span
    assert span is not None
    day = datetime.fromtimestamp(span.start / 1000, UTC).date()
    return int(datetime.fromisoformat(f"{day}T{time}+00:00").timestamp() * 1000)


def bar(program: Program) -> ScopeBar:
    return program.window.top.scope


def type_scope(program: Program, qtbot: QtBot, text: str) -> None:
    """Open the field with its key, and type over what it says."""
    qtbot.keyClick(program.window, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.focusWidget() is bar(program).field
    qtbot.keyClicks(bar(program).field, text)


def press(qtbot: QtBot, key: Qt.Key) -> None:
    """Press a key where the keyboard focus is."""
    focus = QApplication.focusWidget()
    assert isinstance(focus, QWidget)
    qtbot.keyClick(focus, key)


def test_two_vms_and_a_window_are_typed_without_a_click(opened: Program, qtbot: QtBot) -> None:
    type_scope(opened, qtbot, "web03, web04 02:40-02:55")
    assert bar(opened).suggestions.meaning.endswith("2 VMs · 8 Apr 02:40 – 02:55 UTC")
    assert opened.desk.scope.scope == Scope(), "nothing happens before Enter"
    press(qtbot, Qt.Key.Key_Return)
    window = TimeRange(at(opened, "02:40:00"), at(opened, "02:55:00"))
    assert opened.desk.scope.scope == Scope((vm(opened, "web03"), vm(opened, "web04")), window)
    assert not bar(opened).is_typing
    assert bar(opened).text == "web03, web04 on esx03.lab.local · 8 Apr 02:40 – 02:55 UTC · all sources"


def test_a_moment_is_pinned(opened: Program, qtbot: QtBot) -> None:
    type_scope(opened, qtbot, "02:50")
    press(qtbot, Qt.Key.Key_Return)
    assert opened.desk.moment.at == at(opened, "02:50:00")
    assert opened.desk.scope.scope == Scope()


def test_a_counter_is_charted_for_two_vms_on_one_chart(opened: Program, qtbot: QtBot) -> None:
    type_scope(opened, qtbot, "ready web03, web04")
    press(qtbot, Qt.Key.Key_Return)
    [chart] = opened.desk.charts.charts
    series = [snapshot_of(opened).by_id[one] for one in chart.series]
    assert [(one.entity, one.counter) for one in series] == [
        (vm(opened, "web03"), "cpu.ready"),
        (vm(opened, "web04"), "cpu.ready"),
    ]
    assert opened.window.pages.currentWidget() is child_of(opened.window, ChartsPage)
    opened.desk.scope.set(Scope())
    assert opened.desk.charts.charts == (chart,), "charts of the user's own choice stay"


def test_what_is_not_understood_changes_nothing_and_stays_to_be_mended(opened: Program, qtbot: QtBot) -> None:
    opened.desk.scope.set(Scope((vm(opened, "web03"),)))
    type_scope(opened, qtbot, "webb04")
    press(qtbot, Qt.Key.Key_Return)
    assert "Do you mean web0" in bar(opened).suggestions.meaning
    assert bar(opened).is_typing
    assert opened.desk.scope.scope == Scope((vm(opened, "web03"),))
    assert bar(opened).suggestions.rows[0].hint == "do you mean this?"
    press(qtbot, Qt.Key.Key_Down)
    press(qtbot, Qt.Key.Key_Return)
    assert not bar(opened).is_typing
    assert chosen(opened)[0].kind == "vm"


def test_escape_leaves_everything_as_it_was(opened: Program, qtbot: QtBot) -> None:
    opened.desk.moment.pin(at(opened, "02:45:00"))
    type_scope(opened, qtbot, "web03")
    press(qtbot, Qt.Key.Key_Escape)
    assert not bar(opened).is_typing
    assert not bar(opened).suggestions.isVisible()
    assert opened.desk.scope.scope == Scope()
    assert opened.desk.moment.at == at(opened, "02:45:00")
    assert bar(opened).hasFocus()


def test_tab_completes_and_typing_goes_on(opened: Program, qtbot: QtBot) -> None:
    type_scope(opened, qtbot, "%rd")
    press(qtbot, Qt.Key.Key_Tab)
    assert bar(opened).field.text() == "%rdy "
    qtbot.keyClicks(bar(opened).field, "msSQL-bi-02")
    press(qtbot, Qt.Key.Key_Return)
    assert chosen(opened) == (vm(opened, "MSSQL-BI-02"),)
    assert len(opened.desk.charts.charts) == 1


def test_the_field_says_the_present_scope_and_enter_keeps_it(opened: Program, qtbot: QtBot) -> None:
    scope = Scope(
        (vm(opened, "JBOSS 11 (billing)"),), TimeRange(at(opened, "02:40:05"), at(opened, "02:58:00"))
    )
    opened.desk.scope.set(scope)
    type_scope(opened, qtbot, "")
    assert bar(opened).field.selectedText() == bar(opened).field.text()
    press(qtbot, Qt.Key.Key_Return)
    assert opened.desk.scope.scope == scope
    opened.desk.scope.back()
    assert opened.desk.scope.scope == Scope(), "the same scope again is no step"


def test_the_steps_of_the_path_go_up(opened: Program, qtbot: QtBot) -> None:
    snapshot = snapshot_of(opened)
    db = vm(opened, "DC02")
    vcpu = next(one.ref for one in snapshot.children[db] if one.ref.kind == "vcpu")
    opened.desk.scope.set(Scope((vcpu,)))
    path = bar(opened).path
    assert path.text == "esx03.lab.local › DC02 › vCPU 0"
    qtbot.mouseClick(path, Qt.MouseButton.LeftButton, pos=path.place_of(1))
    assert chosen(opened) == (db,)
    qtbot.keyClick(opened.window, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert chosen(opened) == (EntityRef("host", "esx03.lab.local"),)
    qtbot.keyClick(opened.window, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert chosen(opened) == ()
    assert path.text == "Everything"
    opened.desk.scope.back()
    opened.desk.scope.back()
    assert chosen(opened) == (db,)


def test_several_are_counted_and_one_click_shows_everything(opened: Program, qtbot: QtBot) -> None:
    opened.desk.scope.set(Scope(tuple(vm(opened, name) for name in ("web03", "web04", "DC02"))))
    assert bar(opened).path.text == "3 VMs on esx03.lab.local"
    qtbot.mouseClick(bar(opened).everything, Qt.MouseButton.LeftButton)
    assert opened.desk.scope.scope == Scope()
    assert not bar(opened).everything.isVisible()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_palette_takes_the_same_language(opened: Program, qtbot: QtBot) -> None:
    qtbot.keyClick(opened.window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = child_of(opened.window, Palette)
    qtbot.keyClicks(QApplication.focusWidget() or palette, "VM:web* ready -15m")
    press(qtbot, Qt.Key.Key_Return)
    scope = opened.desk.scope.scope
    assert len(scope.entities) == 6
    assert scope.follow
    assert len(opened.desk.charts.charts) == 1


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_the_palette_says_why_it_finds_nothing(opened: Program, qtbot: QtBot) -> None:
    qtbot.keyClick(opened.window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = child_of(opened.window, Palette)
    qtbot.keyClicks(QApplication.focusWidget() or palette, "23:00")
    assert "23:00 is not in this session: it holds" in palette.note
    palette.close()


def test_a_click_elsewhere_closes_the_field(opened: Program, qtbot: QtBot) -> None:
    type_scope(opened, qtbot, "web")
    assert bar(opened).suggestions.isVisible()
    opened.window.pages.currentWidget().setFocus(Qt.FocusReason.MouseFocusReason)
    assert not bar(opened).is_typing
    assert not bar(opened).suggestions.isVisible()
