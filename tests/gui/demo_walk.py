"""Replays the lab's demo into a growing session, and checks at every repaint what the window says of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QModelIndex, QObject
from PySide6.QtWidgets import QWidget

from app.gui.application import Program
from lab import Lab, find_scenario, load_scenarios
from lab.truth import Truth
from resources.views import LimitsByCounter
from sessions.model import Frame
from sessions.store import SessionReader, SessionWriter
from sessions.times import TimeRange
from tests.gui.windows import child_of
from widgets.findings import FindingsView
from widgets.inventory import InventoryView
from widgets.inventory.model import HEALTH, REF, VALUE
from widgets.overview import OverviewView
from widgets.theme import SYMBOLS

TICK_MS = 5_000
SHORTEST_PROBLEM_MS = 60_000
"""A warning needs a minute (resources/problems/_sustained.toml)."""
LONGEST_WARNING_MS = 100_000
ALL_CLEAR = re.compile("no problem found", re.IGNORECASE)
_NUMBER = re.compile(r"(?P<number>[\d.,]+) (?P<unit>\S+)")
_IN_MS = {"s": 1000.0}
_CLOCK = re.compile(r"[Jj]udged to (\d\d):(\d\d):(\d\d)")


class Replay:
    """A recorded session that is written again, tick by tick, into a session that is still recorded."""

    def __init__(self, whole: Path, path: Path, writer: SessionWriter) -> None:
        self._writer, self.path = writer, path
        with SessionReader.open(whole) as reader:
            span = reader.span()
            assert span is not None
            self.start = span.start
            writer.add_entities(reader.entities().values())
            sources = {
                one.id: writer.add_source(replace(one.spec, interval_s=TICK_MS / 1000))
                for one in reader.sources()
            }
            self._frames: list[tuple[int, Frame]] = []
            for old, new in sources.items():
                series = [one for one in reader.series() if one.source == old]
                specs = [one.spec._replace(scale=1.0) for one in series]
                layout = writer.add_layout(new, writer.add_series(new, specs))
                (frame,) = reader.read(np.array([one.id for one in series]), TimeRange(span.start, span.end))
                self._frames.append((layout, frame))
            writer.add_facts(list(reader.facts()))
        self.newest = 0
        self._at = 0

    def step(self, ticks: int) -> None:
        """Write the next ticks of all sources."""
        for number in range(self._at, self._at + ticks):
            rows = [(layout, int(one.times[number]), one.values[number]) for layout, one in self._frames]
            self._writer.append_ticks(rows)
            self.newest = rows[0][1]
        self._at += ticks

    @property
    def seconds(self) -> float:
        """Seconds of the demo that were written."""
        return (self.newest - self.start) / 1000


def problems_of_the_demo() -> Sequence[Truth]:
    """Return the problems that esxtop shows of the demo, with the seconds at which they begin and end."""
    return Lab(find_scenario(load_scenarios(), "demo"), seed=1).truth().seen_in("esxtop").truth


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the inventory as it is painted."""

    name: str
    kind: str
    health: str
    value: str


class Watch(QObject):
    """Looks at inventory, findings, overview and status bar whenever one of them is painted."""

    def __init__(self, program: Program, replay: Replay, truth: Sequence[Truth]) -> None:
        super().__init__(program.window)
        self._program, self._replay, self._truth = program, replay, truth
        self.inventory = child_of(program.window, InventoryView)
        self.findings = child_of(program.window, FindingsView)
        self.overview = child_of(program.window, OverviewView)
        self.repaints = 0
        self.wrong: dict[str, str] = {}
        self.seen: set[tuple[str, str]] = set()
        self.lasted: set[str] = set()
        self._over: list[str] = []
        self._watched: list[QWidget] = [
            self.inventory.tree.viewport(), self.findings.head, self.overview.viewport(),
            program.window.status,
        ]  # fmt: skip
        for widget in self._watched:
            widget.installEventFilter(self)

    def stop(self) -> None:
        """Look no longer."""
        for widget in self._watched:
            widget.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Check the rows when the inventory is painted, and what is said when one of the others is."""
        if event.type() == QEvent.Type.Paint:
            self.repaints += 1
            if watched is self._watched[0]:
                self._check_rows()
            self._check_texts()
        return super().eventFilter(watched, event)

    def check(self) -> None:
        """Compare what is shown now with what is true."""
        self._check_rows()
        self._check_texts()

    def shows_over(self) -> bool:
        """Return True if a VM is marked that is over its limit, without a problem yet."""
        self._check_rows()
        return bool(self._over)

    def _check_rows(self) -> None:
        lasting = self._lasting()
        self.lasted |= {one.problem for one in lasting}
        judged = self._judged_ms()
        self._over = []
        for row in self.rows():
            self.seen.add((row.kind, row.health))
            self._check_row(row, judged, lasting)
            if row.health == "over" and row.kind == "vm":
                self._over.append(row.name)

    def _check_texts(self) -> None:
        for place, text in self.texts():
            self._check_words(place, text)
            if self._over and SYMBOLS["ok"] in text:
                self._check_rows()  # what was over its limit when the inventory was painted may not be now
            if self._over and SYMBOLS["ok"] in text:
                self._complain(f"{place}: green", f"{self._over[0]} is over its limit")

    def rows(self) -> Iterator[Row]:
        """Yield the rows of the inventory, also those that are folded."""
        model = self.inventory.tree.model()
        waiting = [QModelIndex()]
        while waiting:
            above = waiting.pop()
            for number in range(model.rowCount(above)):
                index = model.index(number, 0, above)
                waiting.append(index)
                ref = index.data(REF)
                if ref is not None:
                    yield Row(str(index.data()), ref.kind, index.data(HEALTH), index.data(VALUE) or "")

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield what each place says of the verdict."""
        yield "findings", self.findings.head.text
        status = self._program.window.status.verdict
        yield "status bar", f"{status.text()} {status.toolTip()}"
        yield "overview", self.overview.verdict_text

    def _check_row(self, row: Row, judged: int, lasting: Sequence[Truth]) -> None:
        if row.health != "ok":
            return
        limit = self._limit(row)
        number = _NUMBER.match(row.value)
        if limit is not None and number is not None:
            value = float(number["number"].replace(",", "")) * _IN_MS.get(number["unit"], 1.0)
            if value > limit:
                self._complain(f"{row.name} is green at {row.value}", f"its limit is {limit}")
        if judged + TICK_MS < SHORTEST_PROBLEM_MS:  # a sample stands for the seconds before it
            self._complain(f"{row.name} is green", f"after {judged} ms")
        for one in lasting:
            if row.name == one.name and row.kind == one.kind:
                self._complain(f"{row.name} is green", f"it has {one.problem}")

    def _check_words(self, place: str, text: str) -> None:
        if ALL_CLEAR.search(text):
            if self._judged_ms() + TICK_MS < SHORTEST_PROBLEM_MS:
                self._complain(f"{place}: all-clear", f"after {self._judged_ms()} ms")
            for one in self._lasting():
                self._complain(f"{place}: all-clear", f"{one.name} has {one.problem}")
            if not _CLOCK.search(text):
                self._complain(f"{place}: all-clear without its reach", text)
        for hour, minute, second in _CLOCK.findall(text):
            said = self._ms_of(int(hour), int(minute), int(second))
            if said > self._replay.newest:
                self._complain(f"{place}: judged to the future", text)
            if said > self._judged_ms() + self._replay.start:
                self._complain(f"{place}: says more than was judged", text)

    def _ms_of(self, hour: int, minute: int, second: int) -> int:
        clock = self._program.desk.times.clock
        start = clock(self._replay.start)
        wanted = start.replace(hour=hour, minute=minute, second=second, microsecond=0)
        return round(wanted.timestamp() * 1000)

    def _judged_ms(self) -> int:
        to = self._program.desk.judging.verdict.judged_to
        return 0 if to is None else to - self._replay.start

    def _lasting(self) -> list[Truth]:
        """Return the problems that have lasted in judged time for as long as any rule of theirs asks."""
        judged = self._judged_ms()
        return [
            one
            for one in self._truth
            if one.problem != "cpu.single_vcpu" and one.start_s * 1000 + 2 * LONGEST_WARNING_MS < judged
            and judged < one.end_s * 1000
        ]  # fmt: skip

    def _limit(self, row: Row) -> float | None:
        limits: LimitsByCounter = self._program.desk.limits
        headline = self._program.desk.headlines.get(row.kind)
        known = limits.of(headline.counters[0], row.kind) if headline else None
        return known.warning.value if known else None

    def _complain(self, what: str, why: str) -> None:
        self.wrong.setdefault(what, f"{why} (at {self._replay.seconds:.0f} s)")
