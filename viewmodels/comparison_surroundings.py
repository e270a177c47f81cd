"""What else is not the same in two windows: settings, moves, names, what is new or gone, and what happened
between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from diagnosis.comparison import Comparison
from resources.foreign_text import shown
from resources.units import format_count
from sessions.clock import Clock
from sessions.model import EntityRef
from viewmodels.comparison_texts import change_lines, load_cells, only_in_one_text, same_load
from viewmodels.health import Health

_EACH = 200
_MOST_EVENTS = 500
_NAME = 80
_RECONFIGURED = "reconfigure"
_STATES: dict[str, Health] = {"yes": "ok", "no": "warning", "undecided": "none"}


@dataclass(frozen=True, slots=True)
class LoadLine:
    """A part of the load: ``I/Os a second``, ``4,180 /s → 4,230 /s ~``."""

    title: str
    text: str
    state: Health
    tip: str


@dataclass(frozen=True, slots=True)
class OnlyOnce:
    """A load that only one window had; ``number`` is its place among those of the comparison."""

    number: int
    title: str
    text: str
    side: Literal["a", "b"]


@dataclass(frozen=True, slots=True)
class LoadBlock:
    """Whether the load was the same: a word with its symbol, why, each part, and what is offered to be left
    out.
    """

    state: Health
    word: str
    because: str
    lines: tuple[LoadLine, ...]
    once: tuple[OnlyOnce, ...]


@dataclass(frozen=True, slots=True)
class OtherLine:
    """A line of what else differs; ``at`` is when it happened (ms), None for what holds."""

    what: str
    text: str
    at: int | None = None
    entity: EntityRef | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What else differs: the load, what is set, named or placed otherwise, what is new or gone, events."""

    load: LoadBlock
    changes: tuple[OtherLine, ...]
    new_or_gone: tuple[OtherLine, ...]
    events: tuple[OtherLine, ...]


def surroundings_of(found: Comparison, clock: Clock) -> Surroundings:
    """Return what else differs between both windows."""
    changes = [one for one in found.changes if one.what in {"setting", "moved", "renamed"}]
    others = [one for one in found.changes if one.what in {"added", "gone", "by name"}]
    counters = [
        OtherLine(
            "counter",
            f"{shown(one.counter)} only in {one.side.upper()}, of {format_count(one.entities)} "
            f"{'entity' if one.entities == 1 else 'entities'}",
        )
        for one in found.counters
    ]
    events = []
    for event in found.events[-_MOST_EVENTS:]:
        name = found.records[1].name(event.entity, event.at) if event.entity else ""
        text = f"{shown(name, _NAME)}: {shown(event.text, 300)}" if name else shown(event.text, 300)
        events.append(
            OtherLine(f"{clock.day_time(event.at)} {shown(event.kind)}", text, event.at, event.entity)
        )
    return Surroundings(
        load_block(found, clock),
        tuple(OtherLine("change", line) for line in change_lines(changes, _EACH)),
        (*(OtherLine("entity", line) for line in change_lines(others, _EACH)), *counters),
        tuple(events),
    )


def load_block(found: Comparison, clock: Clock) -> LoadBlock:
    """Return whether the load was the same, before anything else is said."""
    lines = []
    for row in found.load.rows:
        title, numbers, verdict = load_cells(row)
        state: Health = {"same": "ok", "undecided": "none"}.get(row.verdict, "warning")  # type: ignore[assignment]
        lines.append(LoadLine(title, f"{numbers} {verdict}", state, f"{title} of {row.of}: {verdict}"))
    vms: Health = "ok" if found.load.vms_a == found.load.vms_b else "warning"
    counted = f"{format_count(found.load.vms_a)} → {format_count(found.load.vms_b)}"
    lines.append(LoadLine("VMs measured", counted, vms, "How many VMs have samples in each window"))
    lines.append(_settings_line(found))
    answer = same_load(found)
    once = [
        OnlyOnce(
            number,
            f"{shown(one.name, _NAME)} was busy in {one.side.upper()} only",
            only_in_one_text(one, clock).partition(": ")[2],
            one.side,
        )
        for number, one in enumerate(found.load.only_in_one)
    ]
    words = {"yes": "yes", "no": "no", "undecided": "undecided"}
    return LoadBlock(_STATES[answer], words[answer], found.load.because, tuple(lines), tuple(once))


def _settings_line(found: Comparison) -> LoadLine:
    """How many settings differ; without one, a reconfiguration still says that something may."""
    settings = sum(1 for one in found.changes if one.what == "setting")
    times = sum(1 for one in found.events if one.kind == _RECONFIGURED)
    if settings or not times:
        state: Health = "info" if settings else "ok"
        return LoadLine("Settings changed", format_count(settings), state, "Listed below")
    what = "reconfiguration" if times == 1 else "reconfigurations"
    tip = f"No setting that was recorded differs, but there was at least one {what[:15]}: listed below"
    return LoadLine("Settings changed", f"0 known, {format_count(times)} {what}", "info", tip)
