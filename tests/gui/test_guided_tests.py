"""The page of guided tests: its cards, its filter, and what stands beside it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMessageBox, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.navigation import palette_entries
from app.gui.palette import matches
from app.gui.panels import guided
from resources.foreign_text import breakable
from sessions.findings import Finding
from sessions.model import EntityRef
from tests.gui.windows import child_of, wait
from tests.wizards.recorded_placements import write
from wizards.pages.card import wrapped
from wizards.pages.choose import ChoosePage
from wizards.pages.gallery import GalleryView
from wizards.pages.rail_pane import RailPane
from wizards.pages.result_page import ResultPage
from wizards.pages.run_page import RunPage

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_a_worker_makes_no_classes_of_qts() -> None:
    told = "import sys; from importlib import import_module\n"
    told += f"for name in {guided.WITHOUT_QT}: import_module(name)\n"
    told += "print('PySide6.QtWidgets' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_pages_are_loaded_while_a_session_is_looked_at(
    live: Program, qtbot: QtBot, lab_session: Path
) -> None:
    live.workbench.open_paths([lab_session])
    wait(qtbot, lambda: all(name in sys.modules for name in guided.WITH_QT))


def test_every_guided_test_has_a_card(live: Program, gallery: GalleryView) -> None:
    assert [one.card.id for one in gallery.cards if one.isVisible()] == [one.card.id for one in gallery.cards]
    assert [one.card.id for one in gallery.cards] == [one.id for one in live.desk.tests.known.cards]


def test_a_session_of_the_lab_offers_to_run_the_tests(gallery: GalleryView) -> None:
    assert all(one.button.isEnabled() for one in gallery.cards if one.card.readiness == "ready")
    shares = next(one for one in gallery.cards if one.card.id == "sioc-shares")
    assert shares.button.text() == "Run"
    assert "D3 overwrites" in shares.accessibleName()
    assert "Not run yet" in shares.accessibleDescription()


def test_cards_that_came_while_the_page_was_hidden_have_room(
    live: Program, gallery: GalleryView, qtbot: QtBot
) -> None:
    """Questions lay over the buttons of the cards above them, which then could not be pressed."""
    live.window.show_panel("overview")
    wait(qtbot, lambda: not gallery.isVisible())
    for words in ("control critical share", ""):
        gallery.search.setText(words)
        qtbot.wait(50)
    live.window.show_panel("tests")
    wait(qtbot, gallery.isVisible)

    def questions() -> list[QLabel]:
        found = [one for one in gallery.findChildren(QLabel) if one.property("role") == "question"]
        return [one for one in found if one.isVisible()]

    def covered() -> list[str]:
        places = [card.geometry() for card in gallery.cards]
        return [one.text() for one in questions() if any(one.geometry().intersects(at) for at in places)]

    wait(qtbot, lambda: len(questions()) > 3 and not covered())


def test_nothing_of_the_page_is_cut_off_in_the_smallest_window(
    live: Program, gallery: GalleryView, qtbot: QtBot
) -> None:
    """Search and cards went on below the scroll bar."""
    live.window.resize(960, 600)
    qtbot.wait(100)
    [area] = [one for one in gallery.findChildren(QScrollArea) if one.widget() is not None]
    body = area.widget()
    assert body is not None
    assert body.width() <= area.viewport().width()


def test_the_search_leaves_the_cards_that_have_the_words(gallery: GalleryView, qtbot: QtBot) -> None:
    everything = len(gallery.cards)
    qtbot.keyClicks(gallery.search, "control critical share")
    assert [one.card.id for one in gallery.cards] == ["sioc-shares"]
    qtbot.keyClick(gallery.search, Qt.Key.Key_Escape)
    assert len(gallery.cards) == everything


def test_would_drs_help_from_what_was_recorded(live: Program, qtbot: QtBot, tmp_path: Path) -> None:
    """The study's second placement wants 25.6 cores and is served 21.6 (tests.md W3): 18.5 % more."""
    path = write(tmp_path / "study.hscope", {"Perf": ("4H", "3H1L", "1H3L", "4L")})
    live.workbench.open_paths([path])
    wait(qtbot, lambda: live.desk.tests.records.recorded is not None)
    before = path.read_bytes()
    live.window.show_panel("tests")
    view = child_of(live.window, GalleryView)
    reads = next(one for one in view.findChildren(QPushButton) if one.text() == "Reads only 1")
    qtbot.mouseClick(reads, Qt.MouseButton.LeftButton)
    (card,) = view.cards
    assert card.card.here == "Cluster Perf: 4 hosts, 16 VMs, 30 min recorded"
    assert card.button.text() == "Look"
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)
    page = child_of(live.window, ResultPage)
    wait(qtbot, lambda: page.head.line.text() == breakable("DRS would help here: about +18.5 % by 5 moves."))
    assert page.isVisible()
    today = page.placements[0].accessibleDescription()
    assert "perf1: Perf-1h0, Perf-1h1, Perf-1h2, Perf-1h3; 140 %" in today
    assert page.raw.isVisible()
    rail = child_of(live.window, RailPane)
    assert "DRS would help here" in rail.steps.accessibleDescription()
    qtbot.keyClick(rail.steps, Qt.Key.Key_Down)
    assert page.isVisible()
    assert path.read_bytes() == before
    live.desk.tests.close()
    assert view.isVisible()


def test_no_pane_but_the_inventory_stands_beside_the_tests(live: Program, gallery: GalleryView) -> None:
    assert not live.window.dock("findings").isVisible()
    assert not live.window.dock("timeline").isVisible()
    assert live.window.dock("inventory").isVisible()
    live.window.show_panel("overview")
    assert live.window.dock("findings").isVisible()
    assert live.window.dock("timeline").isVisible()


def test_a_pane_that_the_user_closed_stays_closed(live: Program, gallery: GalleryView) -> None:
    live.window.show_panel("overview")
    live.window.dock("findings").toggleViewAction().trigger()
    live.window.show_panel("tests")
    live.window.show_panel("overview")
    assert not live.window.dock("findings").isVisible()


def test_a_question_that_is_too_long_for_its_card_says_so(gallery: GalleryView) -> None:
    metrics = gallery.cards[0].fontMetrics()
    text = "Places heavy and light VMs by hand, measures each"
    half = metrics.horizontalAdvance(text) * 2 // 3
    assert wrapped(text, metrics, half, 2).split() == text.split()
    narrow = wrapped(text, metrics, half // 2, 2)
    assert len(narrow.splitlines()) == 2
    assert narrow.endswith("…")


def test_what_runs_is_called_a_test_until_it_is_stopped(
    live: Program, gallery: GalleryView, qtbot: QtBot
) -> None:
    card = next(one for one in gallery.cards if one.card.id == "drs-balance")
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)
    page = child_of(live.window, RunPage)
    wait(qtbot, lambda: page.isVisible() and page.head.pause.isVisible())
    assert "Test " in live.window.top.live.text()
    assert not live.window.close()
    box = child_of(live.window, QMessageBox, "closing")
    assert box.text() == "A test is running."
    buttons = {button.text(): button for button in box.findChildren(QPushButton)}
    assert set(buttons) == {"Stop and restore", "Go on without the window", "Cancel"}
    qtbot.mouseClick(buttons["Cancel"], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(page.head.stop, Qt.MouseButton.LeftButton)
    assert (page.head.stop.text(), page.head.stop.isEnabled()) == ("Stopping…", False), "it was heard"
    assert not page.head.pause.isVisible()
    wait(qtbot, lambda: live.workbench.recordings.process is None)
    said = live.window.messages.shown[-1]
    early = r"DRS balance ended (early|before there was a verdict): The test was stopped by hand\. "
    assert re.match(early, said.text), "what was measured until then depends on the machine"
    assert "What it changed is put back" in said.text
    assert said.level == "warning"
    tests = live.desk.tests
    tests.begin("drs-balance")
    wait(qtbot, lambda: page.isVisible() and page.head.pause.isVisible())
    assert (page.head.stop.text(), page.head.stop.isEnabled()) == ("Stop and restore", True)


def test_who_stops_a_test_before_its_first_samples_is_told_no_error(
    live: Program, gallery: GalleryView, qtbot: QtBot
) -> None:
    live.desk.tests.begin("sioc-shares")
    recordings = live.workbench.recordings
    wait(qtbot, lambda: recordings.process is not None and recordings.process.state == "recording")
    recordings.stop()
    wait(qtbot, lambda: recordings.process is None)
    said = live.window.messages.shown[-1]
    assert said.level in ("info", "warning"), said.text
    assert "Storage I/O Control shares ended before there was a verdict: The test was stopped" in said.text
    assert "hyperscope" not in said.text
    assert [
        one.text() for one in live.window.messages.findChildren(QPushButton) if one.text() == "Resume"
    ] == []


def test_a_run_whose_process_is_killed_is_interrupted_and_put_back(
    live: Program, gallery: GalleryView, qtbot: QtBot
) -> None:
    tests = live.desk.tests
    tests.begin("drs-balance")
    page = child_of(live.window, RunPage)
    wait(qtbot, lambda: page.isVisible() and page.head.pause.isVisible())
    run = tests.run
    tests.begin("io-sweep")
    wait(qtbot, lambda: "A test is running in this window already." in live.window.messages.text)
    tests.open("drs-balance", "run", run)
    process = live.workbench.recordings.process
    assert process is not None
    assert process.is_test, "another test does not end the one that runs"
    psutil.Process(process.pid).kill()
    result = child_of(live.window, ResultPage)
    wait(qtbot, lambda: result.isVisible() and not page.isVisible())
    assert live.window.messages.text.startswith("The test was interrupted. ")
    assert "Tests shows whether anything is left to undo." in live.window.messages.text
    pane = child_of(live.window, RailPane)
    assert "was interrupted" in pane.steps.accessibleDescription()
    tests.close()
    assert gallery.bar.isVisible()
    assert gallery.bar.accessibleName().startswith("DRS balance was interrupted")
    qtbot.mouseClick(gallery.bar.resume, Qt.MouseButton.LeftButton)
    wait(qtbot, page.isVisible)
    process = live.workbench.recordings.process
    assert process is not None
    psutil.Process(process.pid).kill()
    wait(qtbot, lambda: result.isVisible() and live.workbench.recordings.process is None)
    tests.close()
    qtbot.mouseClick(gallery.bar.restore, Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: "put back" in live.window.messages.text)
    wait(qtbot, lambda: not gallery.bar.isVisible())


def test_a_finding_offers_the_tests_that_are_about_it(
    live: Program, gallery: GalleryView, qtbot: QtBot
) -> None:
    known = {card.id for card in live.desk.problems.cards}
    assert {problem for test in live.desk.tests.known.tests.values() for problem in test.problems} <= known
    device = EntityRef("device", "naa.1")
    slow = Finding("storage.device_latency", "Slow", "critical", device, "naa.1", (), 1.0, "", (), (), ())
    offered = live.desk.tests.offered_for(slow)
    assert ("io-sweep", "I/O sweep") in offered
    live.window.show_panel("overview")
    live.desk.tests.set_up("io-sweep")
    wait(qtbot, lambda: child_of(live.window, ChoosePage).isVisible())


def test_the_palette_finds_tests_by_name(live: Program, gallery: GalleryView) -> None:
    offered = {one.text: one for one in palette_entries(live.desk, live.window.commands)}
    assert "Test: I/O sweep" in offered
    offered["Test: I/O sweep"].run()
    assert live.desk.tests.test == "io-sweep"
    assert [one.text for one in matches("sioc", offered.values())] == ["Test: Storage I/O Control shares"]


def test_the_window_starts_without_the_tests(tmp_path: Path) -> None:
    """Their pages doubled the widgets that another theme restyles, and took a third of the start."""
    code = (
        "import sys; from pathlib import Path; from PySide6.QtWidgets import QApplication\n"
        "from app.gui.application import build\n"
        f"program = build(QApplication([]), Path({str(tmp_path)!r})); program.window.show()\n"
        "late = [one for one in sys.modules if one.partition('.')[0] in ('lab', 'workloads')]\n"
        "assert not late and 'wizards.pages.gallery' not in sys.modules, late\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_gain_is_that_of_the_scope(live: Program, qtbot: QtBot, tmp_path: Path) -> None:
    path = write(tmp_path / "two.hscope", {"Perf": ("4H", "4L"), "Even": ("2H2L", "2H2L")})
    live.workbench.open_paths([path])
    wait(qtbot, lambda: live.desk.tests.records.recorded is not None)
    live.window.show_panel("tests")
    live.desk.tests.begin("drs-gain")
    page = child_of(live.window, ResultPage)
    wait(qtbot, lambda: "DRS would" in page.head.line.text())
    assert (
        page.placements[0].accessibleName().startswith("Perf")
        or "Perf" in page.placements[0].accessibleDescription()
    )
    whole = live.desk.session.whole
    assert whole is not None
    even = next(
        one.ref for one in whole.entities.values() if one.ref.kind == "cluster" and one.name == "Even"
    )
    live.desk.scope.set(live.desk.scope.scope.on([even]))
    wait(qtbot, lambda: page.head.line.text().startswith("DRS would bring nothing here"))
    assert "Perf" not in page.placements[0].accessibleDescription()
