"""Imports dumps of the esxtop service that others made into a new session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from collectors.esxtop_service.checks import check
from collectors.esxtop_service.counter_info import CounterInfo, read_counter_info
from collectors.esxtop_service.dumps import DumpRow, dump_rows
from collectors.esxtop_service.fitting import fitting_layout
from collectors.esxtop_service.reply import Reply, decode
from collectors.esxtop_service.sampling import Sampler, time_ms
from collectors.esxtop_service.series import HostSeries
from collectors.feed import Layout, Tick
from resources.catalogue import load_catalogue
from resources.esxtop_records import EsxtopRecords, load_esxtop_records
from resources.failures import BadInputError, CancelledError, DisconnectedError
from resources.foreign_text import shown, storable
from resources.stopping import StopSignal
from resources.units import format_count
from sessions.model import Entity, Fact, SeriesSpec, SourceSpec
from sessions.store import SessionWriter

_VALUES = "==COUNTER-VALUE=="
_SAME_BOOT_S = 3.0
_MAX_NAMED = 3
_FEWEST = 2
"""A sample is the difference of two replies; one alone has levels only."""


@dataclass(frozen=True, slots=True)
class DumpReport:
    """What an import made of dumps; ``start`` and ``end`` in ms since 1970, None without a sample."""

    out: Path
    files: tuple[str, ...]
    hosts: tuple[str, ...]
    replies: int
    series: int
    samples: int
    start: int | None
    end: int | None
    notes: tuple[str, ...]
    bytes_read: int

    def to_json(self) -> dict[str, object]:
        """Return the report as plain values for JSON."""
        return {**asdict(self), "out": str(self.out)}


@dataclass(slots=True)
class _Host:
    """A host that files tell of: by the instant of its boot (s since 1970)."""

    name: str
    booted_s: float
    files: list[list[Reply]] = field(default_factory=list)

    def recorded(self) -> list[list[Reply]]:
        """The replies that follow one another: those of each file, and single ones of several files."""
        single = [reply for replies in self.files if len(replies) == 1 for reply in replies]
        return [replies for replies in self.files if len(replies) > 1] + ([single] if single else [])


class SessionFeed:
    """A session that is written in one go, as what series are stored in; ``times`` are those of its ticks."""

    def __init__(self, writer: SessionWriter) -> None:
        self._writer = writer
        self.times: list[int] = []

    def add_entities(self, entities: Sequence[Entity]) -> None:
        """Add entities."""
        self._writer.add_entities(entities)

    def add_facts(self, facts: Sequence[Fact]) -> None:
        """Add facts."""
        self._writer.add_facts(facts)

    def add_layout(self, source: int, specs: Sequence[SeriesSpec]) -> Layout:
        """Add series that arrive together."""
        ids = self._writer.add_series(source, specs)
        layout = self._writer.add_layout(source, ids)
        return Layout(layout, np.zeros(len(ids), np.int64), self._writer.ticks.scales(ids))

    def add_ticks(self, ticks: Sequence[Tick]) -> None:
        """Store ticks."""
        self._writer.append_ticks((tick.layout, tick.t_ms, tick.stored) for tick in ticks)
        self.times += [tick.t_ms for tick in ticks]


def import_dumps(
    files: Sequence[Path],
    out: Path,
    *,
    host: str = "",
    progress: Callable[[int, int], None] | None = None,
    cancel: StopSignal | None = None,
) -> DumpReport:
    """Import dumps into the new session ``out``; ``progress`` gets the bytes done and of all.

    ``host`` is who they are of; without it a host is called after its first file. Files of one host are told
    by the instant of its boot; two replies of one file make a sample, and so do two files of one reply each.
    A single reply gives its levels: memory, queues, sizes.

    Raises NotFoundError, AccessDeniedError, BadInputError for files of which nothing can be read,
    CancelledError, and what SessionWriter.create raises. Whatever is raised, no session is left behind.
    """
    reading = _Reading(load_esxtop_records(), cancel, progress, sum(_size(path) for path in files))
    hosts: list[_Host] = []
    for path in files:
        replies = reading.read(path)
        if replies:
            _host_of(hosts, replies[0], host or storable(path.name.split(".")[0])).files.append(replies)
    if not hosts:
        raise BadInputError(
            f"{_some([path.name for path in files])}: no reply of the esxtop service could be read.",
            meaning=" ".join(reading.notes[:_MAX_NAMED]) or "The files have none.",
            advice="Save what FetchStats returns, at least twice, a few seconds apart.",
        )
    with ExitStack() as on_failure:
        title = f"esxtop service: {_some([path.name for path in files])}"
        writer = SessionWriter.create(out, title=title, durable=False, bulk=True)
        on_failure.callback(writer.discard)
        feed, series = SessionFeed(writer), 0
        for one in hosts:
            series += _store(one, feed, writer, reading)
        writer.close()
        on_failure.pop_all()
    return DumpReport(
        out=out,
        files=tuple(path.name for path in files),
        hosts=tuple(dict.fromkeys(one.name for one in hosts)),
        replies=sum(len(replies) for one in hosts for replies in one.files),
        series=series,
        samples=writer.samples,
        start=min(feed.times, default=None),
        end=max(feed.times, default=None),
        notes=tuple(dict.fromkeys(reading.notes)),
        bytes_read=reading.done,
    )


def _store(host: _Host, feed: SessionFeed, writer: SessionWriter, reading: _Reading) -> int:
    """Store a host's samples, in order of time; return how many series it has."""
    source = writer.add_source(SourceSpec("esxtop", host.name))
    series, sampler = HostSeries(feed, source, load_catalogue()), Sampler(host.name)
    intervals: list[float] = []
    most, last = 0, 0
    for replies in sorted(host.recorded(), key=lambda one: time_ms(one[0])):
        sampler.forget()
        for reply in sorted(replies, key=time_ms):
            reading.stop_if_asked()
            sample = sampler.add(reply) if len(replies) > 1 else sampler.alone(reply)
            if sample is not None and sample.t_ms > last:
                last = sample.t_ms
                series.add(sample, reply)
                intervals.append(sample.interval_s)
                most = max(most, series.series)
        if len(replies) == 1:
            reading.notes.append(
                f"{host.name}: one reply alone tells levels (memory, queues), not how much there was of "
                "anything in any time; a second one, a few seconds later, would."
            )
    attributes = {"layout": ", ".join(reading.layouts)} if reading.layouts else {}
    known = [seconds for seconds in intervals if not np.isnan(seconds)]
    interval = float(np.median(known)) if known else None
    writer.update_source(source, interval_s=interval, attributes=attributes)
    return most


class _Reading:
    """Reads files: the layout is found once for each, what can't be read is noted."""

    def __init__(
        self,
        known: EsxtopRecords,
        cancel: StopSignal | None,
        progress: Callable[[int, int], None] | None,
        total: int,
    ) -> None:
        self._known, self._cancel, self._progress, self._total = known, cancel, progress, total
        self.done = 0
        self.notes: list[str] = []
        self.layouts: list[str] = []

    def stop_if_asked(self) -> None:
        """Raise CancelledError when asked to stop."""
        if self._cancel is not None and self._cancel.is_set():
            raise CancelledError("The import was stopped.", meaning="No session was written.")

    def read(self, path: Path) -> list[Reply]:
        """Return the replies of a file. Raises BadInputError where no layout fits."""
        found: list[Reply] = []
        try:
            self._read_rows(path, found)
        except BadInputError as error:
            if len(found) < _FEWEST:
                raise
            self.notes.append(str(error))
        self.done += _size(path)
        if self._progress is not None:
            self._progress(self.done, self._total)
        return found

    def _read_rows(self, path: Path, found: list[Reply]) -> None:
        info: CounterInfo | None = None
        misfit: BadInputError | None = None
        for row in dump_rows(path, self._known.limits.reply_bytes):
            self.stop_if_asked()
            if _VALUES not in row.raw:
                info = self._counter_info(row, path) or info
                continue
            if info is None:
                try:
                    info = self._layout(row, path)
                except BadInputError as error:  # this row may be cut off, the next one whole
                    misfit = misfit or error
                    self.notes.append(
                        f"{shown(path.name)}, row {row.number}: no known layout fits; left out."
                    )
                    continue
            reply = self._decoded(row, path, info)
            if reply is not None:
                found.append(reply)
        if misfit is not None and not found:
            raise misfit

    def _counter_info(self, row: DumpRow, path: Path) -> CounterInfo | None:
        try:
            return read_counter_info(row.raw)
        except DisconnectedError:
            self.notes.append(
                f"{shown(path.name)}, row {row.number}: no reply of the esxtop service; left out."
            )
            return None

    def _layout(self, row: DumpRow, path: Path) -> CounterInfo:
        fitting = fitting_layout(row.raw, known=self._known)
        if fitting.name not in self.layouts:
            self.layouts.append(fitting.name)
        name = shown(path.name)
        self.notes.append(f"{name}: without CounterInfo; its records have the fields of {fitting.name}.")
        self.notes += [f"{name}: {one}; left out." for one in fitting.left_out]
        return fitting.info

    def _decoded(self, row: DumpRow, path: Path, info: CounterInfo) -> Reply | None:
        where = f"{shown(path.name)}, row {row.number}"
        try:
            reply = decode(row.raw, info, self._known)
        except DisconnectedError as error:
            self.notes.append(f"{where}: {error.happened} Left out.")
            return None
        self.notes += [f"{where}: {one.sentence()}" for one in check(reply, self._known) if not one.holds]
        return reply


def _host_of(hosts: list[_Host], reply: Reply, name: str) -> _Host:
    """The host that booted at the same instant, or a new one."""
    server = reply["Server"]
    booted_s = float(server.numbers("Time")[0] - server.numbers("TimeStampInUsec")[0] / 1e6)
    for one in hosts:
        if abs(one.booted_s - booted_s) <= _SAME_BOOT_S:
            return one
    taken = {one.name for one in hosts}
    hosts.append(_Host(name if name not in taken else f"{name} ({len(hosts) + 1})", booted_s))
    return hosts[-1]


def _some(names: Sequence[str]) -> str:
    more = f" and {format_count(len(names) - _MAX_NAMED)} more" if len(names) > _MAX_NAMED else ""
    return ", ".join(shown(name) for name in names[:_MAX_NAMED]) + more


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # reading it says why
