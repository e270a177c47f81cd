"""A host that is recorded by its own esxtop, over all connections to it: samples, clock, gaps, health."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from collectors.axis import ClockReading, clock_jump_message
from collectors.esxtop.header import Header
from collectors.esxtop.over_ssh.coverage import UNREADABLE, Coverage
from collectors.esxtop.over_ssh.host_objects import ObjectsOfHost
from collectors.esxtop.over_ssh.host_rows import HostRows, host_of
from collectors.esxtop.over_ssh.questions import RemoteHost
from collectors.esxtop.over_ssh.stream import HeaderLine, LostRow, OtherLine, Row, Written
from collectors.esxtop.over_ssh.stream_clock import AskClock, StreamClock
from collectors.esxtop_names import Counters
from collectors.feed import Feed, Health, State
from resources.esxtop_streaming import Streaming
from resources.foreign_text import storable
from resources.units import format_count, format_duration
from sessions.identities import UUID
from sessions.model import EntityRef, Event, Fact, SourceSpec

_UNNAMED = re.compile(r"localhost(\..*)?", re.IGNORECASE)
_QUARTER_MS = 900_000
_HOUR_MS = 3_600_000
_SET_BACK = "The host's clock was set back by {}: its samples count again from where they ended."
_SET_FORWARD = "the host's clock was set forward"
_STARTED_ANEW = "esxtop was started anew, since it shows no VM that came later"


class RecordedHost:
    """Stores what esxtop writes; ``connected`` begins each connection.

    ``fallback`` is the host's name where neither its header nor its shell has one. ``rows`` counts those that
    were stored.
    """

    def __init__(
        self, feed: Feed, fallback: str, interval_s: float, limits: Streaming, catalogue: Counters
    ) -> None:
        self._feed, self._fallback, self._limits, self._catalogue = feed, fallback, limits, catalogue
        self._interval_s = interval_s
        self._remote: RemoteHost | None = None
        self._clock = StreamClock(feed.axis, limits.jump_s)
        self._zone_ms: int | None = None
        self._source = 0
        self._host: HostRows | None = None
        self._ref: EntityRef | None = None
        self._coverage: Coverage | None = None
        self._trouble = self._said = ""
        self._told: tuple[str, ...] = ()
        self._is_back = False
        self._clean_rows = 0
        self.rows = 0

    def connected(self, remote: RemoteHost) -> None:
        """A connection stands, or another esxtop is started over it; the host has said who it is."""
        if self._coverage is not None and self._remote is not None and self._remote.running != remote.running:
            self._coverage.blame(_STARTED_ANEW)
        self._remote, self._zone_ms = remote, None
        self._said = self._trouble = ""
        if remote.clock is not None:
            self._read_clock(remote.clock)

    def take(self, written: Written, ask_clock: AskClock) -> None:
        """Store what esxtop wrote."""
        if isinstance(written, HeaderLine):
            self._meet(written)
        elif isinstance(written, OtherLine):
            if self._host is not None:
                self._note(f"Between esxtop's rows stands {written.text!r}, which is none.")
        elif isinstance(written, LostRow):
            self._note(f"A row of esxtop can't be read: {written.why}.")
            if self._coverage is not None:
                self._coverage.blame(UNREADABLE)
        else:
            self._store(written, ask_clock)

    def hear(self, said: str) -> None:
        """Esxtop has said something on stderr; ``said`` is safe to show, empty for nothing."""
        if said and said != self._said:
            self._said = said
            self.report("recording")

    def miss(self, reason: str, message: str = "", state: State = "reconnecting") -> None:
        """Nothing comes, for this reason: the gap grows."""
        if self._coverage is not None:
            self._coverage.miss(self._clock.now_ms(), reason)
        self.report(state, message)

    def end(self) -> None:
        """The recording ends."""
        if self._coverage is not None:
            self._coverage.finish(self._clock.now_ms())
        self.report("ended", "")

    def report(self, state: State, message: str | None = None) -> None:
        """Hand over the source's state; without a message it is that of the last row."""
        if self._host is None or self._coverage is None:
            return
        book = self._coverage
        if message is None:
            message = " ".join(
                filter(None, (self._trouble, f"esxtop says {self._said!r}." if self._said else ""))
            )
        behind_s = 0.0 if book.last_ms is None else max(0.0, (self._clock.now_ms() - book.last_ms) / 1000)
        health = Health(
            state,
            interval_s=self._interval_s,
            entities=self._host.entities,
            series=self._host.series,
            behind_s=behind_s if state in ("recording", "reconnecting") else 0.0,
            message=message,
            details=tuple(_details(book)),
        )
        counted = book.counted(health)
        self._feed.report(self._source, replace(counted, gaps=counted.gaps + self._host.fills))

    def _meet(self, line: HeaderLine) -> None:
        """A header: of a host that is not known yet, or of one whose columns are others now."""
        if self._host is None:
            self._host = self._add_host(line.header)
        objects = self._remote.objects if self._remote is not None else ObjectsOfHost()
        self._host.begin(line.header, objects, is_new=line.is_new)

    def _add_host(self, header: Header) -> HostRows:
        remote = self._remote
        assert remote is not None, "connected comes first"
        name = _name(host_of(header), remote, self._fallback)
        ref = self._feed.identify("host", [remote.uuid], name) if remote.uuid else EntityRef("host", name)
        spec = SourceSpec(
            "esxtop",
            f"{ref.key} over ssh",  # its esxtop service, which may be recorded beside it, has the plain name
            self._interval_s,
            self._clock.offset_ms,
            tuple(_attributes(remote, self._clock.sentence())),
        )
        self._source, self._ref = self._feed.add_source(spec), ref
        self._coverage = Coverage(
            self._feed, self._source, self._interval_s, self._limits.steps, self._limits.collecting_s
        )
        return HostRows(self._feed, self._source, ref, self._catalogue)

    def _store(self, row: Row, ask_clock: AskClock) -> None:
        host, book = self._host, self._coverage
        assert host is not None, "a header comes first"
        assert book is not None
        row = self._placed(row, book, ask_clock)
        book.resume_after(host.prepare(row.t_ms))
        if book.last_ms is not None and row.t_ms <= book.last_ms:
            self._refuse(row, book.last_ms, ask_clock)
            return
        self._is_back = False
        if book.is_hole(row.t_ms) and self._clock_was_set(ask_clock):
            book.blame(_SET_FORWARD)
        count = host.add(row)
        book.take(row.t_ms, count)
        if not self.rows or self._told != self._versions():
            self._tell_versions(host, row.t_ms)
        self.rows += 1
        if row.trouble is not None:
            cells = format_count(len(row.trouble.fields))
            self._note(f"{cells} cells of a row hold no number, but {row.trouble.first!r} for instance.")
        self._clean_rows += 1
        if self._clean_rows > self._limits.steps:
            self._trouble = ""
        self.report("recording")

    def _note(self, trouble: str) -> None:
        """Say what is wrong, until some rows came without."""
        self._trouble, self._clean_rows = trouble, 0

    def _refuse(self, row: Row, last_ms: int, ask_clock: AskClock) -> None:
        """A row that is not later than what is stored: of the same second, or the clock was set back."""
        back_s = round((last_ms - row.t_ms) / 1000)
        if not self._is_back and back_s:
            self._clock_was_set(ask_clock)
        self._is_back = True
        if back_s:
            self._note(_SET_BACK.format(format_duration(back_s)))
        self.report("recording")

    def _zone(self, t_ms: int) -> int:
        """How far esxtop's stamps are from UTC (ms, to be added).

        The host's own date tells, to a quarter of an hour, once for each connection.
        """
        if self._zone_ms is None:
            off_ms = self._clock.host_now_ms() - t_ms if self._clock.is_known else 0.0
            is_zone = abs(off_ms) <= self._limits.zone_hours * _HOUR_MS + _QUARTER_MS / 2
            self._zone_ms = round(off_ms / _QUARTER_MS) * _QUARTER_MS if is_zone else 0
        return self._zone_ms

    def _clock_was_set(self, ask_clock: AskClock) -> bool:
        """Ask the host for its date; True if its clock is elsewhere than it was."""
        if self._feed.axis is not None:
            return False  # the axis has seen to it
        before, known = self._clock.ahead_ms, self._clock.is_known
        now = ask_clock()
        if not known or now is None or abs(now.ahead_ms - before) <= self._limits.jump_s * 1000:
            return False
        self._read_clock(now)
        return True

    def _placed(self, row: Row, book: Coverage, ask_clock: AskClock) -> Row:
        """The row in UTC, on the axis; that the host's clock was set before it is told as an event."""
        utc_ms = row.t_ms + self._zone(row.t_ms)
        before_ms = self._clock.offset_ms
        t_ms, jump_ms = self._clock.put(utc_ms, book.last_ms, book.usual_ms, ask_clock)
        if jump_ms:
            self._tell_jump(jump_ms, t_ms)
        if jump_ms or self._clock.offset_ms != before_ms:
            self._tell_clock()
        return replace(row, t_ms=t_ms)

    def _read_clock(self, reading: ClockReading) -> None:
        jump_ms = self._clock.read(reading)
        if jump_ms and self._feed.axis is not None:
            self._tell_jump(jump_ms, round(self._clock.now_ms()))
        self._tell_clock()

    def _tell_jump(self, jump_ms: int, t_ms: int) -> None:
        if self._ref is not None:
            text, name = clock_jump_message(self._ref.key, jump_ms), f"{self._ref.key}/clock/{t_ms}"
            self._feed.add_events([Event(t_ms, "clock", text, self._ref, id=name)])

    def _tell_clock(self) -> None:
        if self._source and self._remote is not None:
            about = tuple(_attributes(self._remote, self._clock.sentence()))
            self._feed.update_source(self._source, clock_offset_ms=self._clock.offset_ms, attributes=about)

    def _versions(self) -> tuple[str, ...]:
        remote = self._remote
        return () if remote is None else (remote.product, remote.version, remote.uuid)

    def _tell_versions(self, host: HostRows, t_ms: int) -> None:
        """What the host says of itself, as facts; again when it says otherwise, after an upgrade."""
        ref = self._ref
        if ref is None:
            return
        self._told = self._versions()
        named = zip(("product", "esxtop.version", UUID), self._told, strict=True)
        facts = [Fact(ref, name, storable(value), t_ms) for name, value in named if value]
        if facts:
            host.state(facts)
        if self._remote is not None:
            self._feed.update_source(
                self._source, attributes=tuple(_attributes(self._remote, self._clock.sentence()))
            )


def _name(header_name: str, remote: RemoteHost, fallback: str) -> str:
    names = (storable(header_name), remote.name, fallback)
    return next((name for name in names if name and not _UNNAMED.fullmatch(name)), fallback)


def _details(book: Coverage) -> Iterator[tuple[str, str]]:
    if book.collecting_s >= 0.05:
        yield "collection time", format_duration(round(book.collecting_s, 1))


def _attributes(remote: RemoteHost, clock: str) -> Iterator[tuple[str, str]]:
    told = (("product", remote.product), ("esxtop", remote.version), ("its clock", clock))
    yield from ((name, storable(value)) for name, value in told if value)
