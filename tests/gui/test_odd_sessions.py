"""Sessions with nothing, one sample or damage in them: what the window says of them."""

from __future__ import annotations

import re
import shutil
import sqlite3
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.gui.application import Program
from app.gui.jobs import Job
from app.gui.source_labels import stored_entries
from sessions.model import Entity, EntityRef, SeriesSpec, SourceSpec
from sessions.scope import Scope
from sessions.store import SessionReader, SessionWriter
from sessions.times import TimeRange
from tests.gui.recordings import record
from tests.gui.windows import WAIT, child_of, wait
from tests.viewmodels.sessions import T0, add_source, reading
from widgets.charts.card import ChartCard
from widgets.charts.page import ChartsPage
from widgets.esxtop import EsxtopView
from widgets.findings import FindingsView
from widgets.heatmap import HeatmapView
from widgets.inventory import InventoryView
from widgets.inventory.model import HEALTH
from widgets.overview import OverviewView
from widgets.start import StartPage

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
PAGES = ("charts", "esxtop", "heatmap", "overview")


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record(tmp_path_factory.mktemp("full") / "full.hscope", seconds=300)


def opened(program: Program, qtbot: QtBot, path: Path) -> None:
    program.workbench.open_paths([path])
    wait(qtbot, lambda: program.desk.session.path == path and not program.desk.jobs.busy("findings"))


def look_at_all(program: Program, qtbot: QtBot) -> None:
    for page in PAGES:
        program.window.show_panel(page)
        wait(qtbot, lambda page=page: not program.desk.jobs.busy(page))  # type: ignore[misc]


def texts(program: Program) -> str:
    found = program.window.findChildren(QLabel)
    return "\n".join(label.text() for label in found if label.isVisible())


def health(program: Program) -> set[str]:
    tree = child_of(program.window, InventoryView).tree
    index, found = tree.model().index(0, 0), set()
    while index.isValid():
        found.add(index.data(HEALTH))
        index = tree.indexBelow(index)
    return found


def test_a_session_without_samples_says_so_and_shows_nothing_of_the_one_before(
    live: Program, qtbot: QtBot, full: Path, home: Path
) -> None:
    opened(live, qtbot, full)
    look_at_all(live, qtbot)
    overview, esxtop = child_of(live.window, OverviewView), child_of(live.window, EsxtopView)
    wait(qtbot, lambda: len(overview.findChildren(ChartCard)) == 5)
    SessionWriter.create(home / "empty.hscope", title="empty", durable=False).close()
    opened(live, qtbot, home / "empty.hscope")
    wait(qtbot, lambda: live.desk.findings.diagnosis is not None)
    look_at_all(live, qtbot)
    assert not [card for card in overview.findChildren(ChartCard) if card.isVisible()]
    assert "Could not be judged: there is no sample in this session" in texts(live)
    assert "No problem found" not in texts(live)
    live.window.show_panel("esxtop")
    assert (esxtop.head.text(), esxtop.when.text(), esxtop.slider.isEnabled()) == ("", "", False)
    live.window.show_panel("heatmap")
    assert "Open a session" not in texts(live)
    live.window.show_panel("charts")
    wait(qtbot, lambda: "Nothing to draw" in texts(live))


def test_a_source_that_gave_no_sample_is_not_green(home: Path) -> None:
    path = home / "header.hscope"
    with SessionWriter.create(path, durable=False) as writer:
        writer.add_source(SourceSpec("esxtop", "esx01", 5))
    with reading(path) as (_reader, snapshot):
        (entry,) = stored_entries(snapshot)
    assert (entry.state, entry.text) == ("none", "esx01 esxtop · 5 s · 0 series · no samples")


def test_a_late_answer_is_not_taken_for_one_of_the_next_session(
    live: Program, qtbot: QtBot, full: Path, home: Path
) -> None:
    """An empty session was given the findings of the one before, whose diagnosis was still under way."""
    opened(live, qtbot, full)
    go_on, begun = threading.Event(), threading.Event()
    answers: list[object] = []

    def slow(_reader: SessionReader, _job: Job) -> str:
        begun.set()
        go_on.wait(WAIT / 1000)
        return "of the first"

    live.desk.session.query("slow", slow, answers.append, failed=answers.append)
    wait(qtbot, begun.is_set)
    SessionWriter.create(home / "next.hscope", title="next", durable=False).close()
    live.workbench.open_paths([home / "next.hscope"])
    wait(qtbot, lambda: live.desk.session.path == home / "next.hscope")
    go_on.set()
    wait(qtbot, lambda: not live.desk.jobs.busy("slow"))
    assert answers == []


def test_a_single_sample_is_seen_on_every_page(live: Program, qtbot: QtBot, home: Path) -> None:
    opened(live, qtbot, record(home / "one.hscope", seconds=0.0))
    snapshot = live.desk.session.snapshot
    window = live.desk.scope.scope.window_in(snapshot.span) if snapshot else None
    assert window is not None
    assert window.start < window.end
    look_at_all(live, qtbot)
    live.window.show_panel("charts")
    panel = child_of(live.window, ChartsPage)
    wait(qtbot, lambda: bool(panel.stack.cards) and bool(panel.stack.cards[0].curves))
    card = panel.stack.cards[0]
    assert [round(end) for end in card.plot.window_shown] == [window.start, window.end]
    assert card.curves[0].curve.last(*card.plot.window_shown) > 0
    assert child_of(live.window, HeatmapView).map.heat.rows


def test_a_damaged_session_is_not_called_healthy(live: Program, qtbot: QtBot, full: Path, home: Path) -> None:
    path = home / "damaged.hscope"
    damage(full, path)
    live.workbench.open_paths([path])
    panel = child_of(live.window, FindingsView)
    wait(qtbot, lambda: live.desk.findings.verdict.state == "could not be judged")
    wait(qtbot, lambda: "Could not be judged" in panel.head.text)
    assert "damaged" in panel.head.text
    status = live.window.status.verdict
    assert "Could not be judged</a>" in status.text()
    assert "○" in status.text()
    assert "damaged" in status.toolTip()
    wait(qtbot, lambda: child_of(live.window, InventoryView).tree.model().rowCount() > 0)
    assert health(live) == {"none"}


def test_nobody_is_healthy_before_problems_were_looked_for(live: Program, qtbot: QtBot, full: Path) -> None:
    seen: list[set[str]] = []
    live.desk.session.opened.connect(lambda _snapshot: seen.append(health(live)))
    opened(live, qtbot, full)
    assert seen == [{"none"}]
    wait(qtbot, lambda: live.desk.findings.diagnosis is not None)
    assert "ok" in health(live)


def test_what_was_not_measured_is_not_called_healthy(live: Program, qtbot: QtBot, home: Path) -> None:
    """A VM that was powered off all the time; a disk of which only the VM's own part is known."""
    host, on, off, disk = (
        EntityRef(*pair) for pair in (("host", "esx01"), ("vm", "on"), ("vm", "off"), ("device", "naa.1"))
    )
    with SessionWriter.create(home / "off.hscope", durable=False) as writer:
        writer.add_entities([Entity(host, "esx01"), Entity(on, "on", host), Entity(off, "off", host)])
        writer.add_entities([Entity(disk, "naa.1")])
        specs = [SeriesSpec(host, "cpu.pcpu_util", "%"), SeriesSpec(on, "cpu.ready", "%")]
        add_source(writer, SourceSpec("vcenter", "vc", 20), specs, np.ones((60, 2)), every_s=20)
    opened(live, qtbot, home / "off.hscope")
    wait(qtbot, lambda: live.desk.findings.diagnosis is not None)
    model = child_of(live.window, InventoryView).tree.model()
    found = {}
    for ref in (host, on, off, disk):
        (index,) = model.match(
            model.index(0, 0), Qt.ItemDataRole.DisplayRole, ref.key, flags=Qt.MatchFlag.MatchRecursive
        )
        found[ref.key] = index.data(HEALTH)
    assert found == {"esx01": "partly", "on": "partly", "off": "none", "naa.1": "none"}


def damage(whole: Path, path: Path) -> None:
    """A copy whose samples are cut short; all that tells of them is there."""
    path.write_bytes(whole.read_bytes())
    file = sqlite3.connect(path)
    with file:
        file.execute("UPDATE chunk SET data = substr(data, 1, 8)")
    file.close()


def test_a_vm_whose_source_stopped_is_not_judged_behind_and_is_not_green(
    live: Program, qtbot: QtBot, tmp_path: Path
) -> None:
    path, vms = tmp_path / "stopped.hscope", [EntityRef("vm", name) for name in ("alive", "gone")]
    with SessionWriter.create(path) as writer:
        for vm, rows in zip(vms, (240, 120), strict=True):
            host = EntityRef("host", f"esx-{vm.key}")
            writer.add_entities([Entity(host, host.key), Entity(vm, vm.key, host)])
            specs = [SeriesSpec(vm, "cpu.ready", "%"), SeriesSpec(vm, "cpu.max_limited", "%")]
            specs += [SeriesSpec(host, "mem.state", "")]
            add_source(writer, SourceSpec("esxtop", host.key, 5), specs, np.zeros((rows, 3)), every_s=5)
    opened(live, qtbot, path)
    wait(qtbot, lambda: live.desk.findings.verdict.is_judged)
    alive, gone = (live.desk.verdict_words(Scope((vm,))) for vm in vms)
    assert alive is not None
    assert gone is not None
    assert (alive.health, gone.health) == ("partly", "none"), "nothing was judged of its storage and network"
    assert alive.title == "Judged in part: no problem found in CPU and memory in this scope"
    assert "behind" not in " ".join(gone.sentences)
    assert "its samples stop 10 min before" in " ".join(gone.sentences)
    whole = live.desk.verdict_words()
    assert whole is not None
    assert re.fullmatch(r"looked for \d+ of \d+ known problems(, .*,)? in 2 sources", whole.covered)
    assert whole.checks_of == ""
    assert (whole.health, whole.title) == ("partly", "Judged in part: no problem found in CPU and memory")
    assert whole.short.startswith("Judged in part to ")
    status = live.window.status.verdict.text()
    assert "◐" in status
    assert "Judged in part to " in status
    assert alive.checks  # ready of gone may be the worst: it is no number of alive's
    assert alive.checks_of.startswith("Each check below says the worst number of the whole session")
    known = r"looked for 2 of the \d+ known problems that alive can have, in esx-alive"
    assert re.fullmatch(known, alive.covered)
    assert "in this scope" not in whole.title
    last = TimeRange(T0, T0 + 300_000)
    during = live.desk.verdict_words(Scope((vms[1],), last))
    assert during is not None
    assert during.health == "partly"


@pytest.mark.skipif(
    sys.platform == "win32", reason="Windows neither deletes nor replaces a file that is open"
)
@pytest.mark.parametrize(
    ("fate", "told"),
    [
        ("deleted", "was deleted, moved or renamed"),
        ("renamed over", "replaced"),
        ("written over", "replaced"),
    ],
)
def test_a_session_whose_file_goes_or_becomes_another_is_closed_and_it_is_said(
    live: Program, qtbot: QtBot, full: Path, home: Path, fate: str, told: str
) -> None:
    path, other = home / "night.hscope", home / "other.hscope"
    shutil.copy(full, path)
    with SessionWriter.create(other, title="other", durable=False) as writer:
        writer.set_meta("created", "2020-01-01T00:00:00Z")
        writer.add_entities([Entity(EntityRef("host", "other"), "other")])
    opened(live, qtbot, path)
    wait(qtbot, lambda: live.desk.findings.diagnosis is not None)
    if fate == "deleted":
        path.unlink()
    elif fate == "renamed over":
        other.replace(path)
    else:
        path.write_bytes(other.read_bytes())
    wait(qtbot, lambda: live.desk.session.snapshot is None)
    (message,) = live.window.messages.shown
    assert message.level == "critical"
    assert message.text.startswith("night.hscope was ")
    assert told in message.text
    assert "So it was closed here." in message.text
    assert "pen it" in message.text, "what to do now"
    assert child_of(live.window, StartPage).isVisible()


def test_an_ended_session_has_no_live_edge_to_follow_and_everything_nothing_above(
    live: Program, qtbot: QtBot, full: Path
) -> None:
    opened(live, qtbot, full)
    follow, up = (live.window.actions_by_id[name] for name in ("go.follow", "go.up"))
    assert (follow.isEnabled(), up.isEnabled()) == (False, False)
    scope = live.desk.scope
    scope.set(scope.scope.on((next(iter(live.desk.session.snapshot.entities)),)))  # type: ignore[union-attr]
    assert up.isEnabled()
    up.trigger()
    assert not up.isEnabled()
    scope.set(scope.scope.during(TimeRange(0, 60_000), follow=True))
    assert (follow.isEnabled(), follow.isChecked()) == (True, True), "what was on when it ended can be left"
    follow.trigger()
    assert (follow.isEnabled(), follow.isChecked()) == (False, False)


def test_columns_without_rows_are_no_all_clear(live: Program, qtbot: QtBot, home: Path) -> None:
    with SessionWriter.create(home / "header.hscope", title="header", durable=False) as writer:
        source = writer.add_source(SourceSpec("esxtop", "esx01", 5.0))
        datastore = EntityRef("datastore", "nfs")
        writer.add_entities([Entity(EntityRef("host", "esx01"), "esx01"), Entity(datastore, "nfs")])
        writer.add_series(source, [SeriesSpec(datastore, "datastore.read_latency", "ms")])
    opened(live, qtbot, home / "header.hscope")
    wait(qtbot, lambda: live.desk.findings.diagnosis is not None)
    live.window.show_panel("troubleshoot")
    wait(qtbot, lambda: "each check says what it lacks" in texts(live))
    assert "Nothing was found" not in texts(live)
    live.window.show_panel("heatmap")
    wait(qtbot, lambda: "There is no sample in this session." in texts(live))
    assert "no samples (whole session)" in texts(live)
