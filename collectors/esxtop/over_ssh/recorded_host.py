"""A host that is recorded by its own esxtop, over all connections to it: samples, clock, gaps, health."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from collectors.esxtop.header import Header
from collectors.esxtop.over_ssh.coverage import UNREADABLE, Coverage
from collectors.esxtop.over_ssh.host_rows import HostRows, host_of
from collectors.esxtop.over_ssh.questions import RemoteHost
from collectors.esxtop.over_ssh.stream import HeaderLine, LostRow, OtherLine, Row, Written
from collectors.esxtop_names import Counters
from collectors.feed import Feed, Health, State
from resources.esxtop_streaming import Streaming
from resources.foreign_text import storable
from resources.units import format_count, format_duration
from sessions.identities import UUID
from sessions.model import EntityRef, Fact, SourceSpec

_UNNAMED = re.compile(r"localhost(\..*)?", re.IGNORECASE)
_QUARTER_MS = 900_000
_HOUR_MS = 3_600_000
_SET_BACK = "The host's clock was set back by {}: its samples count again from where they ended."
_SET_FORWARD = "the host's clock was set forward"
AskClock = Callable[[], int | None]
"""Asks for the host's clock minus ours (ms)."""


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
        self._offset_ms: int | None = None
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
        """A connection stands, and the host has said who it is."""
        self._remote, self._zone_ms = remote, None
        self._said = self._trouble = ""
        self._set_offset(remote.offset_ms)

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
                self._coverage.lose(UNREADABLE)
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
            self._coverage.miss(self._now_ms(), reason)
        self.report(state, message)

    def report(self, state: State, message: str | None = None) -> None:
        """Hand over the source's state; without a message it is that of the last row."""
        if self._host is None or self._coverage is None:
            return
        book = self._coverage
        if message is None:
            message = " ".join(
                filter(None, (self._trouble, f"esxtop says {self._said!r}." if self._said else ""))
            )
        behind_s = 0.0 if book.last_ms is None else max(0.0, (self._now_ms() - book.last_ms) / 1000)
        health = Health(
            state,
            interval_s=self._interval_s,
            entities=self._host.entities,
            series=self._host.series,
            expected=book.expected,
            received=book.received,
            behind_s=behind_s if state in ("recording", "reconnecting") else 0.0,
            gaps=book.gaps + self._host.fills,
            last_ms=book.last_ms,
            message=message,
            details=tuple(self._details(book)),
        )
        self._feed.report(self._source, health)

    def _details(self, book: Coverage) -> Iterator[tuple[str, str]]:
        if book.collecting_s >= 0.05:
            yield "collection time", format_duration(round(book.collecting_s, 1))

    def _meet(self, line: HeaderLine) -> None:
        """A header: of a host that is not known yet, or of one whose columns are others now."""
        if self._host is None:
            self._host = self._add_host(line.header)
        self._host.begin(line.header, is_new=line.is_new)

    def _add_host(self, header: Header) -> HostRows:
        remote = self._remote
        assert remote is not None, "connected comes first"
        name = self._name(host_of(header), remote)
        ref = self._feed.identify("host", [remote.uuid], name) if remote.uuid else EntityRef("host", name)
        spec = SourceSpec(
            "esxtop",
            f"{ref.key} over ssh",  # its esxtop service, which may be recorded beside it, has the plain name
            self._interval_s,
            self._offset_ms or 0,
            tuple(_attributes(remote)),
        )
        self._source, self._ref = self._feed.add_source(spec), ref
        self._coverage = Coverage(
            self._feed, self._source, self._interval_s, self._limits.steps, self._limits.collecting_s
        )
        return HostRows(self._feed, self._source, ref, self._catalogue)

    def _name(self, header_name: str, remote: RemoteHost) -> str:
        names = (storable(header_name), remote.name, self._fallback)
        return next((name for name in names if name and not _UNNAMED.fullmatch(name)), self._fallback)

    def _store(self, row: Row, ask_clock: AskClock) -> None:
        host, book = self._host, self._coverage
        assert host is not None, "a header comes first"
        assert book is not None
        row = replace(row, t_ms=row.t_ms + self._zone(row.t_ms))
        book.resume_after(host.prepare(row.t_ms))
        if book.last_ms is not None and row.t_ms <= book.last_ms:
            self._refuse(row, book.last_ms, ask_clock)
            return
        self._is_back = False
        if book.is_hole(row.t_ms) and self._clock_was_set(ask_clock):
            book.lose(_SET_FORWARD)
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
            off_ms = 0.0 if self._offset_ms is None else self._now_ms() - t_ms
            is_zone = abs(off_ms) <= self._limits.zone_hours * _HOUR_MS + _QUARTER_MS / 2
            self._zone_ms = round(off_ms / _QUARTER_MS) * _QUARTER_MS if is_zone else 0
        return self._zone_ms

    def _clock_was_set(self, ask_clock: AskClock) -> bool:
        """Ask the host for its date; True if its clock is elsewhere than it was."""
        before, now = self._offset_ms, ask_clock()
        if before is None or now is None or abs(now - before) <= self._limits.jump_s * 1000:
            return False
        self._set_offset(now)
        return True

    def _set_offset(self, offset_ms: int | None) -> None:
        self._offset_ms = offset_ms
        if self._source and offset_ms is not None:
            self._feed.update_source(self._source, clock_offset_ms=offset_ms)

    def _now_ms(self) -> float:
        """The host's present time."""
        return time.time() * 1000 + (self._offset_ms or 0)

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
            self._feed.update_source(self._source, attributes=tuple(_attributes(self._remote)))


def _attributes(remote: RemoteHost) -> Iterator[tuple[str, str]]:
    for name, value in (("product", remote.product), ("esxtop", remote.version)):
        if value:
            yield name, storable(value)
