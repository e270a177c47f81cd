"""Puts what logs say into a session: events, the entities that they are about, a source for each host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from collectors.logs.places import Places
from collectors.logs.scanning import ReadLog
from resources.foreign_text import shown
from resources.log_lines import Limits
from resources.units import format_count
from sessions.model import Entity, EntityRef, Event, SeriesSpec, SourceSpec
from sessions.store import SessionWriter, encode_block
from sessions.times import iso

LINES = "log.lines"
_MAX_NAMED = 8
_MINUTE = 60_000


@dataclass(slots=True)
class HostLogs:
    """The logs of one host: its name and entity, empty and None where nobody says which it is."""

    name: str
    ref: EntityRef | None
    logs: list[ReadLog]
    events: list[Event]


def store(
    writer: SessionWriter, hosts: Sequence[HostLogs], places: Places, limits: Limits, *, alone: bool
) -> None:
    """Store everything in one transaction. ``alone``: the session has nothing else, so that its time is that
    of the logs: the number of known lines is stored over time.
    """
    with writer.together():
        writer.add_entities(_parents_first(places))
        for one in hosts:
            source = _source(writer, one)
            writer.add_events(one.events)
            if alone and one.ref is not None:
                _store_counts(writer, source, one, limits)
            writer.update_source(source, state="complete")


def _parents_first(places: Places) -> list[Entity]:
    return sorted(places.added.values(), key=lambda one: (one.ref.kind != "host", one.ref.kind == "path"))


def _source(writer: SessionWriter, one: HostLogs) -> int:
    """The source of a host's logs; logs that are added later join it."""
    about = _about(one.logs)
    for number, spec in writer.sources().items():
        if spec.kind == "log" and spec.name == one.name:
            files = dict(spec.attributes).get("files", "").split(", ")
            names = dict.fromkeys([*files, *about["files"].split(", ")])
            writer.update_source(number, attributes={**about, "files": ", ".join(filter(None, names))})
            return number
    return writer.add_source(SourceSpec("log", one.name, attributes=tuple(about.items())))


def _about(logs: Sequence[ReadLog]) -> dict[str, str]:
    names = list(dict.fromkeys(shown(log.name, 80) for log in logs))
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    known, lines = (format_count(sum(getattr(log, name) for log in logs)) for name in ("known", "lines"))
    about = {
        "files": ", ".join(names[:_MAX_NAMED]) + more,
        "lines": f"{known} known of {lines}",
    }
    if logs and (span := span_of(logs)) is not None:
        about["time of the logs"] = f"{iso(span[0])} to {iso(span[1])}"
    return about


def span_of(logs: Iterable[ReadLog]) -> tuple[int, int] | None:
    """Return the times (ms) of the first and the last line of logs; None if no line has one."""
    timed = [(log.first, log.last) for log in logs if log.first is not None and log.last is not None]
    return (min(first for first, _ in timed), max(last for _, last in timed)) if timed else None


def _store_counts(writer: SessionWriter, source: int, one: HostLogs, limits: Limits) -> None:
    """Store how many known lines each minute has, from the first to the last line of all the host's logs."""
    span = span_of(one.logs)
    if span is None or one.ref is None:
        return
    steps = [step * 1000 for step in limits.step_s if (span[1] - span[0]) // (step * 1000) < limits.max_steps]
    step = steps[0] if steps else limits.step_s[-1] * 1000
    first = max(span[0] // step, span[1] // step - limits.max_steps)
    times = np.arange(first, span[1] // step + 2, dtype=np.int64) * step
    counts: Counter[int] = Counter()
    for log in one.logs:
        for minute, number in log.by_minute.items():
            counts[minute * _MINUTE // step] += number
    # Each number is of the time that ends then; of the time before the first line nobody knows.
    values = np.array([[counts[at // step - 1]] for at in times.tolist()], np.float64)
    values[0] = np.nan
    ids = writer.add_series(source, [SeriesSpec(one.ref, LINES, "count")])
    layout = writer.add_layout(source, ids)
    block = 1 << 12
    for begin in range(0, times.size, block):
        part = slice(begin, begin + block)
        writer.add_block(layout, encode_block(times[part], np.ascontiguousarray(values[part])))
    writer.update_source(source, interval_s=step / 1000)
