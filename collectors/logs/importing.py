"""Imports logs of ESXi: into a session of their own, or into one that is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from collectors.logs.folding import folded
from collectors.logs.opening import opened_logs
from collectors.logs.places import Places, short_name
from collectors.logs.scanning import ReadLog, read_log
from collectors.logs.storing import HostLogs, span_of, store
from collectors.logs.wording import EventWriter
from resources.failures import BadInputError, BusyError, CancelledError, UsageError
from resources.foreign_text import shown, storable
from resources.log_lines import LogKnowledge, load_log_lines
from resources.scsi_codes import load_scsi_codes
from resources.stopping import StopSignal
from resources.units import format_count
from sessions.current_records import with_current_names
from sessions.model import Event
from sessions.store import SessionReader, SessionWriter
from sessions.times import TimeRange, iso

_MAX_NAMED = 3
_UNKNOWN = "unknown host"
_TELL_EVERY_S = 0.1
Progress = Callable[[int, int], None]
"""Gets the bytes that are done, and all of them."""


@dataclass(frozen=True, slots=True)
class LogReport:
    """What an import made of logs: how many known lines of how many, how many events; times in ms since 1970.

    ``entities`` are those that the session did not have.
    """

    out: Path
    files: tuple[str, ...]
    lines: int
    known: int
    events: int
    entities: int
    start: int | None
    end: int | None
    notes: tuple[str, ...]
    bytes_read: int

    def to_json(self) -> dict[str, object]:
        """Return the report as plain values for JSON."""
        return {**asdict(self), "out": str(self.out)}


@dataclass(frozen=True, slots=True)
class LogOptions:
    """Where logs go: ``into`` an existing session instead of a new one, and the ``host`` that wrote them."""

    into: bool = False
    host: str = ""
    may_be_empty: bool = False


_A_NEW_SESSION = LogOptions()


def import_logs(
    files: Sequence[Path],
    out: Path,
    options: LogOptions = _A_NEW_SESSION,
    *,
    progress: Progress | None = None,
    cancel: StopSignal | None = None,
) -> LogReport:
    """Import logs, and those in vm-support archives, into ``out``.

    All of them are read before anything is written, and what is written is written at once: whatever is
    raised, there is no new session, and an existing one is as it was. ``options.may_be_empty``: no known line
    is a note, not an error.

    Raises NotFoundError, AccessDeniedError, BadInputError for a file that can't be read as a log, UsageError
    if nobody says which host wrote them, CancelledError, and what SessionWriter.create and open raise.
    """
    known = load_log_lines()
    if options.into:
        _require_complete(out)
    logs, size = _read_all(files, known, progress, cancel)
    work = _Import(out, options, known, logs)
    return work.run(files, size)


def _require_complete(path: Path) -> None:
    with SessionReader.open(path) as reader:
        if any(source.is_growing for source in reader.sources()):
            raise BusyError(
                f"{path.name} is being written.", advice="Add the logs when its recording has ended."
            )


def _read_all(
    files: Sequence[Path], known: LogKnowledge, progress: Progress | None, cancel: StopSignal | None
) -> tuple[list[ReadLog], int]:
    total = sum(path.stat().st_size for path in files if path.is_file())
    logs: list[ReadLog] = []
    done, told_at = 0, 0.0

    def tell(position: int) -> None:
        nonlocal told_at
        if cancel is not None and cancel.is_set():
            raise CancelledError("The import was stopped.", meaning="Nothing was written.")
        if progress is not None and time.monotonic() - told_at >= _TELL_EVERY_S:
            told_at = time.monotonic()
            progress(done + position, total)

    for path in files:
        with opened_logs(path, known, tell) as streams:
            found = [read_log(stream, known) for stream in streams]
        done += path.stat().st_size
        _require_lines(path, found)
        logs += [log for log in found if log.first is not None]
    if progress is not None:
        progress(total, total)
    return logs, total


def _require_lines(path: Path, found: Sequence[ReadLog]) -> None:
    if not found:
        raise BadInputError(
            f"{path.name} holds none of the logs that can be read.",
            advice="They are called vmkernel.log, vobd.log, hostd.log or vmware.log, also with a number.",
        )
    if all(log.first is None for log in found):
        long = " Its lines are longer than any log's." if any(log.too_long for log in found) else ""
        raise BadInputError(
            f"{path.name} has no line that begins with a time as ESXi writes it.{long}",
            meaning="It is no log of ESXi 5 or newer, or it was changed on its way.",
            advice="Import vmkernel.log, vobd.log, hostd.log or vmware.log as the host wrote them.",
        )


class _Import:
    """One import of logs that were read: whose they are, and their events."""

    def __init__(self, out: Path, options: LogOptions, known: LogKnowledge, logs: Sequence[ReadLog]) -> None:
        self._out, self._options, self._known, self._logs = out, options, known, logs
        self._host = storable(options.host.strip())
        self._notes: dict[str, None] = {}
        self._span: TimeRange | None = None
        self._before: dict[str, Event] = {}
        self._places = Places(())
        if options.into:
            with SessionReader.open(out) as reader:
                entities = with_current_names(reader.entities(), reader.facts())
                self._places = Places(entities.values())
                self._before = {one.id: one for one in reader.events() if one.id}
                self._span = reader.span()

    def run(self, files: Sequence[Path], size: int) -> LogReport:
        """Make the events and store them."""
        hosts = self._by_host()
        writer_of_events = EventWriter(load_scsi_codes())
        for one in hosts:
            one.events = self._events(one, writer_of_events)
        count = sum(len(one.events) for one in hosts)
        known, lines = (sum(getattr(log, name) for log in self._logs) for name in ("known", "lines"))
        if not count and not self._options.may_be_empty and _SAME not in self._notes:
            raise self._nothing(known, lines)
        self._note_losses()
        if count:
            self._write(hosts)
        span = span_of(self._logs)
        return LogReport(
            self._out,
            tuple(path.name for path in files),
            lines,
            known,
            count,
            len(self._places.added) if count else 0,
            span[0] if span else None,
            span[1] if span else None,
            tuple(self._notes),
            size,
        )

    def _by_host(self) -> list[HostLogs]:
        """Divide the logs by the host that wrote them."""
        found: dict[str, HostLogs] = {}
        for log in self._logs:
            name = self._host_name(log)
            ref = self._places.host(name) if name else None
            key = ref.key if ref is not None else ""
            found.setdefault(key, HostLogs(name or "logs", ref, [], [])).logs.append(log)
        return list(found.values())

    def _host_name(self, log: ReadLog) -> str:
        """Who wrote a log: as the user says, as it says, as its file is called, or the only one there is."""
        if name := self._host or log.host:
            return name
        hosts = [one.name for one in self._places.hosts]
        called = [name for name in hosts if _names(log, name)]
        said = list(dict.fromkeys(other.host for other in self._logs if other.host))
        for some in (called, said, hosts):
            if len(some) == 1:
                return some[0]
        if len(hosts) > 1 and any(burst.subject[0] != "vm" for burst in log.bursts):
            raise UsageError(
                f"{shown(log.name)} does not say which host wrote it.",
                meaning=f"The session has {len(hosts)} hosts: {_few(hosts)}.",
                advice="Say which one it was (--host), or put the log into a folder that is called like it.",
            )
        if len(hosts) > 1:
            return ""
        self._notes[f"No log says which host wrote it; it is called {_UNKNOWN}. --host names it."] = None
        return _UNKNOWN

    def _events(self, one: HostLogs, writer: EventWriter) -> list[Event]:
        bursts = []
        for log in one.logs:
            vm = self._vm_of(log)
            for burst in log.bursts:
                burst.entity = self._places.of(burst, one.ref, vm)
                bursts.append(burst)
        key, name = (one.ref.key, self._places.name_of(one.ref)) if one.ref is not None else (one.name, "")
        shown_name = name if self._places.host_count > 1 else ""
        events = [writer.event(burst, key, shown_name) for burst in folded(bursts, self._known.limits)]
        return self._limited(self._new(self._near(events)))

    def _vm_of(self, log: ReadLog) -> str:
        if log.vm or log.is_archived or not log.folders:
            return log.vm
        if self._places.has_vm(log.folders[-1]):
            return log.folders[-1]
        if log.name.startswith("vmware") and log.bursts:
            self._notes[f"{shown(log.name)} does not say which VM wrote it: its events are the host's."] = (
                None
            )
        return ""

    def _near(self, events: list[Event]) -> list[Event]:
        """Leave out what is far from the time of the session's samples."""
        if self._span is None:
            return events
        around = self._known.limits.around_h * 3_600_000
        first, last = self._span.start - around, self._span.end + around
        kept = [one for one in events if one.at <= last and one.until >= first]
        if len(kept) < len(events):
            self._notes[
                f"{_left_out(len(events) - len(kept), 'event')} more than {self._known.limits.around_h} h "
                "before or after the session's samples."
            ] = None
        return kept

    def _new(self, events: list[Event]) -> list[Event]:
        """Leave out what the session has already."""
        kept = [one for one in events if self._before.get(one.id) != one]
        if len(kept) < len(events):
            self._notes[_SAME] = None
        return kept

    def _limited(self, events: list[Event]) -> list[Event]:
        most = self._known.limits.max_events
        if len(events) > most:
            self._notes[
                f"There are more than {format_count(most)} events: later ones were left out, from "
                f"{iso(events[most].at)} on."
            ] = None
        return events[:most]

    def _note_losses(self) -> None:
        for log in self._logs:
            if log.too_long:
                note = f"{shown(log.name)}: {_left_out(log.too_long, 'line')} too long to be a log's."
                self._notes[note] = None
            if log.left_out:
                most = format_count(self._known.limits.max_events)
                note = f"{shown(log.name)}: {_left_out(log.left_out, 'event')} there are over {most}."
                self._notes[note] = None
        if not any(log.known for log in self._logs):
            self._notes["None of the lines tells of anything that Hyperscope knows."] = None

    def _nothing(self, known: int, lines: int) -> BadInputError:
        span = span_of(self._logs)
        time_of_logs = f"{iso(span[0])} to {iso(span[1])}" if span else "no time"
        if known and self._span is not None:
            return BadInputError(
                f"The logs tell of {time_of_logs}, the session has samples from {iso(self._span.start)} to "
                f"{iso(self._span.end)}.",
                meaning="Nothing was added.",
                advice="Import logs of that time, or these into a session of their own with -o.",
            )
        return BadInputError(
            f"None of the {format_count(lines)} lines ({time_of_logs}) tells of what Hyperscope knows.",
            meaning="That is no sign that all was well: only some lines of ESXi's logs are known.",
        )

    def _write(self, hosts: Sequence[HostLogs]) -> None:
        with ExitStack() as on_failure:
            if self._options.into:
                writer = SessionWriter.open(self._out)
                on_failure.callback(writer.close)
            else:
                writer = SessionWriter.create(self._out, title=_title(self._logs), durable=False, bulk=True)
                on_failure.callback(writer.discard)
            alone = not self._options.into
            store(writer, hosts, self._places, self._known.limits, alone=alone)
            writer.close()
            on_failure.pop_all()


_SAME = "Some events are in the session already: they were not added again."


def _title(logs: Sequence[ReadLog]) -> str:
    return "Logs: " + _few(list(dict.fromkeys(log.name for log in logs)))


def _left_out(count: int, what: str) -> str:
    return f"{format_count(count)} {what}{' was' if count == 1 else 's were'} left out:"


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return ", ".join(shown(name, 80) for name in names[:_MAX_NAMED]) + more


def _names(log: ReadLog, host: str) -> bool:
    """True if a log's file, or the folder that it lies in, is called like a host."""
    short = short_name(host.lower())
    places: Iterator[str] = iter((log.name.lower(), *(one.lower() for one in log.folders[-2:])))
    return any(place == host.lower() or _has_word(place, short) for place in places)


def _has_word(text: str, word: str) -> bool:
    begin = text.find(word)
    end = begin + len(word)
    before, after = text[begin - 1 : begin] if begin > 0 else "", text[end : end + 1]
    return begin >= 0 and not before.isalnum() and not after.isalnum()
