"""The start page: four choices, what was open lately, and where sessions go."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import platformdirs
import pytest
from PySide6.QtCore import QModelIndex, QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QStyleOptionViewItem
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.recent import RecentSessions
from app.gui.session_files import classify_paths, free_path, recordings_folder, session_beside, session_for
from app.gui.start_board import entry_of, opened_label
from sessions.model import Entity, EntityRef, Overview, SeriesSpec, SourceSpec
from sessions.store import SessionWriter
from sessions.times import TimeRange
from tests.gui.recordings import record
from tests.gui.windows import drop, wait
from tests.viewmodels.sessions import T0
from viewmodels.session_summary import spark_of
from viewmodels.time_labels import UTC_CLOCK
from widgets.start import RecentEntry, StartPage
from widgets.start.recent import RecentDelegate, RecentModel
from widgets.theme import Theme

NOW = datetime(2026, 11, 21, 14, 30, tzinfo=UTC)
HOSTILE = "<b>x</b>\n\u202egnp.exe" + "y" * 400


@pytest.mark.parametrize(
    ("days", "words"),
    [(0, "today 14:30"), (1, "yesterday 14:30"), (9, "12 Nov"), (400, "17 Oct 2025")],
)
def test_when_a_session_was_open(days: int, words: str) -> None:
    assert opened_label(NOW.timestamp() - days * 86_400, NOW) == words


def test_a_sparkline_is_the_mean_scaled_to_its_highest() -> None:
    at = np.arange(0, 100, 10)
    values = at.astype(np.float64)
    rising = Overview(at, at, np.ones(10, np.int64), values, values, values)
    none, nothing = np.zeros(0, np.int64), np.zeros(0)
    empty = Overview(none, none, none, nothing, nothing, nothing)
    spark = spark_of([rising, empty], TimeRange(0, 90))
    assert (len(spark), spark[0], spark[-1]) == (48, 0.0, 1.0)
    assert spark_of([empty], TimeRange(0, 90)) == ()


def test_files_are_told_apart(tmp_path: Path) -> None:
    session, capture, other = tmp_path / "a.hscope", tmp_path / "b.csv.gz", tmp_path / "notes.txt"
    for path in (session, capture, other):
        path.touch()
    sqlite = tmp_path / "renamed.bin"
    sqlite.write_bytes(b"SQLite format 3\x00rest")
    assert classify_paths([capture, session, sqlite]) == classify_paths([capture, session, sqlite, capture])
    assert classify_paths([capture, session, sqlite]).sessions == (session, sqlite)
    assert classify_paths([tmp_path]).captures == (capture,)  # of a folder only what is called like one
    assert classify_paths([other]).captures == (other,)  # what is pointed at is tried
    log, rotated = tmp_path / "vmkernel.log", tmp_path / "vmkernel.0.gz"
    log.write_text("2026-03-05T11:20:00.000Z cpu4:1)something\n", encoding="utf-8")
    rotated.write_bytes(gzip.compress(log.read_bytes()))
    found = classify_paths([tmp_path])
    assert (found.captures, found.logs) == ((capture,), (rotated, log))
    assert session_beside([rotated], tmp_path).name == "vmkernel.hscope"


def test_a_file_that_was_named_from_a_folder_is_opened_by_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The processes that judge and import have another working folder: “lab.hscope is not there”."""
    (tmp_path / "lab.hscope").write_bytes(b"SQLite format 3\x00")
    (tmp_path / "a.csv").write_text("x", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    found = classify_paths([Path("lab.hscope"), Path("a.csv")])
    assert found.sessions == (tmp_path / "lab.hscope",)
    assert found.captures == (tmp_path / "a.csv",)
    assert classify_paths([Path()]).sessions == (tmp_path / "lab.hscope",)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    capture = tmp_path / "night.csv.gz"
    capture.touch()
    first = session_beside([capture], tmp_path / "elsewhere")
    assert first == tmp_path / "night.hscope"
    first.touch()
    assert session_beside([capture], tmp_path) == tmp_path / "night (2).hscope"
    (tmp_path / "night (2).hscope").touch()
    assert free_path(first).name == "night (3).hscope"


def test_a_session_of_several_files_is_named_by_them(tmp_path: Path) -> None:
    def name(*files: str) -> str:
        return session_beside([tmp_path / one for one in files], tmp_path).name

    assert name("lab.csv", "vmkernel.log") == "lab and vmkernel.hscope"
    assert name("lab.csv", "old/lab.csv.gz") == "lab.hscope"
    assert name("esx10.csv", "esx9.csv", "esx11.csv") == "esx9 to esx11.hscope"
    assert name("lab.csv", "vmkernel.log", "vobd.log", "hostd.log") == "lab, vmkernel and 2 more.hscope"
    assert len(name("a" * 200 + ".csv", "b" * 200 + ".csv")) < 100


def test_a_folder_in_the_settings_does_not_depend_on_where_the_program_was_started() -> None:
    """``~/esx`` and ``esx`` made folders of these names wherever somebody had started it."""
    documents = platformdirs.user_documents_path()
    assert recordings_folder("") == documents / "Hyperscope"
    assert recordings_folder("~/esx") == Path.home() / "esx"
    assert recordings_folder("esx") == documents / "esx"
    assert recordings_folder("~nobody-at-all/esx") == documents / "~nobody-at-all" / "esx"
    assert recordings_folder(str(Path.home() / "x")) == Path.home() / "x"


def test_a_recording_is_named_after_its_source(tmp_path: Path) -> None:
    assert (
        session_for("vc01.lab, [fd00::1]", tmp_path, NOW).name
        == "vc01.lab- -fd00--1- 2026-11-21 14.30.hscope"
    )
    assert session_for("../..", tmp_path, NOW).parent == tmp_path


def test_the_model_of_recent_sessions(qapp: QApplication) -> None:
    model = RecentModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_entries([RecentEntry("/a", HOSTILE, "today", "critical", HOSTILE, (0.1, 1.0))])
    assert model.rowCount(QModelIndex()) == 1
    shown = model.data(model.index(0), Qt.ItemDataRole.DisplayRole)
    assert "\n" not in shown
    assert "\u202e" not in shown
    assert len(shown) <= 300
    model.show_entries([])
    assert model.rowCount() == 0


class Written(QPainter):
    """A painter that writes down the texts that it draws."""

    def __init__(self, image: QImage) -> None:
        super().__init__(image)
        self.texts: list[str] = []

    def drawText(self, _box: QRect, _flags: Qt.AlignmentFlag, text: str) -> None:  # type: ignore[override]
        """Write the text down."""
        self.texts.append(text)


def test_what_was_found_is_cut_at_its_end(theme: Theme) -> None:
    model, delegate = RecentModel(), RecentDelegate(theme)
    found = "Held back by a CPU limit: JBOSS 11 (billing) and 6 more · judged to 03:16:11 UTC"
    model.show_entries([RecentEntry("/a", "Lab", "today", "critical", found)])
    option = QStyleOptionViewItem()
    option.rect = QRect(0, 0, 560, 48)
    image = QImage(560, 48, QImage.Format.Format_ARGB32)
    painter = Written(image)
    delegate.paint(painter, option, model.index(0, 0))
    painter.end()
    [line] = [text for text in painter.texts if text.startswith("Held")]
    assert line.endswith("…")
    assert found.startswith(line[:-1])


def test_choices_by_keyboard_and_mouse(live: Program, qtbot: QtBot) -> None:
    page = live.workbench.start_page
    wait(qtbot, page.choices["connect"].hasFocus)
    chosen: list[str] = []
    page.chosen.disconnect()
    page.chosen.connect(chosen.append)
    qtbot.keyClick(page.choices["connect"], Qt.Key.Key_Right)
    assert page.choices["open"].hasFocus()
    qtbot.keyClick(page.choices["open"], Qt.Key.Key_Down)
    assert page.choices["lab"].hasFocus()
    qtbot.keyClick(page.choices["lab"], Qt.Key.Key_Space)
    qtbot.mouseClick(page.choices["import"], Qt.MouseButton.LeftButton)
    assert chosen == ["lab", "import"]


def test_sessions_are_listed_with_what_was_found(live: Program, qtbot: QtBot, home: Path) -> None:
    page, desk = live.workbench.start_page, live.desk
    assert not page.recent.isVisible()
    path = record(home / "demo.hscope", seconds=900)
    drop(live.window, path)
    wait(qtbot, lambda: desk.findings.diagnosis is not None)
    wait(qtbot, lambda: not desk.jobs.busy("start.spark"))
    desk.session.close()
    index = page.recent.model().index(0, 0)
    entry = index.data(Qt.ItemDataRole.UserRole)
    assert isinstance(entry, RecentEntry)
    assert entry.worst == "critical"
    assert "JBOSS" in entry.summary
    assert len(entry.spark) == 48
    page.recent.setCurrentIndex(index)
    qtbot.keyClick(page.recent, Qt.Key.Key_Return)
    wait(qtbot, lambda: desk.session.path == path)
    desk.session.close()
    page.recent.setCurrentIndex(page.recent.model().index(0, 0))
    qtbot.keyClick(page.recent, Qt.Key.Key_Delete)
    assert page.recent.model().rowCount() == 0
    assert path.exists()


def test_what_could_not_be_judged_does_not_wait_for_it(live: Program, qtbot: QtBot, home: Path) -> None:
    """A capture of a header alone was "not judged yet", as if somebody were still at it."""
    page, desk, path = live.workbench.start_page, live.desk, home / "header.hscope"
    with SessionWriter.create(path, durable=False) as writer:
        writer.add_source(SourceSpec("esxtop", "esx01", 5.0))
    live.workbench.open_paths([path])
    wait(qtbot, lambda: desk.findings.verdict.state == "could not be judged")
    desk.session.close()
    entry = page.recent.model().index(0, 0).data(Qt.ItemDataRole.UserRole)
    assert isinstance(entry, RecentEntry)
    assert entry.worst == "none"
    assert entry.summary.endswith("could not be judged")


def test_an_all_clear_without_its_reach_is_not_believed(tmp_path: Path) -> None:
    """Unfinished verdicts were stored as "no problem", and stayed over restarts."""
    for name in ("false.hscope", "true.hscope", "bad.hscope"):
        (tmp_path / name).touch()
    recent = RecentSessions(tmp_path)
    clear = "No problem found · 3 hosts · 41 VMs"
    recent.remember(tmp_path / "false.hscope", "false", worst="ok", summary=clear)
    recent.remember(tmp_path / "true.hscope", "true", worst="ok", summary=clear, judged_to=T0, until=T0)
    recent.remember(tmp_path / "bad.hscope", "bad", worst="critical", summary="Held back: web01")
    shown = [entry_of(one, datetime.now(UTC), UTC_CLOCK) for one in recent.entries()]
    assert [(one.title, one.worst, one.summary) for one in shown] == [
        ("bad", "critical", "Held back: web01 · not judged to its end"),
        ("true", "ok", f"{clear} · judged to 22:13:20 UTC"),
        ("false", "none", "3 hosts · 41 VMs · not judged yet"),
    ]
    recent.remember(tmp_path / "bad.hscope", "bad", worst="warning", judged_to=T0, until=T0 + 600_000)
    assert entry_of(recent.entries()[0], datetime.now(UTC), UTC_CLOCK).summary == (
        "judged to 22:13:20 UTC, 10 min before its end"
    )


def test_a_page_without_anything_offers_the_lab(live: Program, qtbot: QtBot) -> None:
    page = live.workbench.start_page
    page.chosen.disconnect()
    with qtbot.waitSignal(page.chosen) as said:
        qtbot.mouseClick(page._none.button, Qt.MouseButton.LeftButton)
    assert said.args == ["lab"]
    assert isinstance(page, StartPage)


def test_a_finished_verdict_is_kept_while_the_session_is_the_same(
    live: Program, qtbot: QtBot, home: Path
) -> None:
    page, desk = live.workbench.start_page, live.desk
    path = record(home / "well.hscope", "healthy-low", seconds=300)

    def entry() -> RecentEntry:
        found = page.recent.model().index(0, 0).data(Qt.ItemDataRole.UserRole)
        assert isinstance(found, RecentEntry)
        return found

    live.workbench.open_paths([path])
    wait(qtbot, lambda: desk.session.path == path)
    desk.session.close()
    assert (entry().worst, "not judged yet" in entry().summary) == ("none", True)
    live.workbench.open_paths([path])
    wait(qtbot, lambda: desk.findings.is_complete)
    to = desk.findings.verdict.judged_to
    assert to is not None
    desk.session.close()
    assert entry().worst == "ok"
    assert entry().summary.startswith("No problem found · ")
    assert entry().summary.endswith(f" · judged to {desk.times.clock.moment(to)}")
    live.workbench.open_paths([path])  # and closed again before anybody judged it anew
    wait(qtbot, lambda: desk.session.path == path)
    desk.session.close()
    assert entry().worst == "ok"


def test_a_session_that_is_still_recorded_is_not_called_well(
    live: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    """Who closes it now reads on the start page what was judged, and nobody has judged its end."""
    path = tmp_path / "s.hscope"
    with SessionWriter.create(path) as writer:
        host = EntityRef("host", "esx01")
        writer.add_entities([Entity(host, "esx01")])
        source = writer.add_source(SourceSpec("vcenter", "vc01", 20))
        layout = writer.add_layout(
            source, writer.add_series(source, [SeriesSpec(host, "cpu.pcpu_util", "%")])
        )
        writer.append_ticks([(layout, T0 + 20_000 * at, np.full(1, 30.0)) for at in range(90)])
        live.workbench.open_paths([path])
        wait(qtbot, lambda: live.desk.findings.diagnosis is not None)
        assert not live.desk.findings.findings
        live.desk.session.close()
        model = live.workbench.start_page.recent.model()
        entry = model.index(0, 0).data(Qt.ItemDataRole.UserRole)
        assert (entry.title, entry.worst) == ("s", "none")
        assert "No problem" not in entry.summary
