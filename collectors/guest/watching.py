"""Turns what a guest's loop prints into samples, gaps and facts of one source."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from collectors.axis import Placement
from collectors.feed import Feed, Health, State
from collectors.gap_book import GapBook
from collectors.guest.about import About, read_about
from collectors.guest.frames import Frame
from collectors.guest.rates import Sample, Sampler
from collectors.guest.readings import LinuxReader, Reading
from collectors.guest.series import GuestSeries
from collectors.guest.typeperf import Row
from resources.catalogue import load_catalogue
from resources.guest_counters import GuestCounters
from resources.units import format_count, format_duration
from sessions.identities import MOID, UUID
from sessions.model import Entity, EntityRef, Event, Fact, SourceSpec

_LATE = "the guest did not get to it in time"
_CLOCK_SET = "the guest's clock was set on: nothing was missed"
_JUMP_MS = 1000
_NEWS_MS = 20
_ONE_SECOND_NS = 1_000_000_000
_EVENT = "guest"


@dataclass(frozen=True, slots=True)
class Watched:
    """The guest of a source: ``place`` is the source's name, ``name`` the guest's if it tells none itself.

    ``uuid`` is that of its VM's firmware, where it is known from the VM's settings.
    """

    place: str
    name: str
    uuid: str = ""


class GuestWatching:
    """The source of one guest. Not thread-safe."""

    def __init__(self, feed: Feed, watched: Watched, counters: GuestCounters, interval_s: int) -> None:
        self._feed, self._watched = feed, watched
        self._interval_ms = interval_s * 1000
        self._source = feed.add_source(SourceSpec("guest", watched.place, float(interval_s)))
        self._reader, self._sampler = LinuxReader(counters), Sampler(counters)
        self._health = Health("connecting", interval_s=float(interval_s))
        self._about: About | None = None
        self._ref: EntityRef | None = None
        self._series: GuestSeries | None = None
        self._told: dict[str, Fact] = {}
        self._last: Reading | None = None
        self._book = GapBook(feed, self._source, _LATE)
        self._placement = Placement(feed.axis)
        self._offset_ms: int | None = None
        self._told_offset_ms: int | None = None
        self._boot_ms: int | None = None
        self._killed = 0.0
        self._clock_was_set = False
        self.report("connecting")

    @property
    def last_ms(self) -> int:
        """The time of the newest sample (ms, as it is stored), 0 for none."""
        return self._book.last_ms or 0

    @property
    def has_begun(self) -> bool:
        """True once the guest has told of itself."""
        return self._ref is not None

    def report(self, state: State, message: str = "") -> None:
        """Hand over the source's state."""
        self._health = replace(self._health, state=state, message=message)
        self._feed.report(self._source, self._health)

    def take(self, frame: Frame, printed_ms: float | None = None) -> None:
        """Take a frame that arrived. Raises SourceError for one that is no guest's.

        ``printed_ms`` is when the guest printed it by our clock (ms), at the latest; None: just now.
        """
        if frame.kind == "about":
            self.meet(read_about(frame.lines))
            return
        arrived_ms = time.time() * 1000 if printed_ms is None else printed_ms
        reading = self._reader.read(frame.lines)
        t_ms = self._time_of(reading, arrived_ms)
        if self._about is None or self._ref is None:
            return
        self._tell(self._ref, self._about, t_ms)
        self._note_boot(reading, t_ms)
        sample = self._sampler.add(reading, self._about.machine)
        self._last = reading
        trouble = ""
        if sample is not None:
            self._note_killed(reading, t_ms)
            trouble = self._store(sample, t_ms)
        self.report("recording", trouble)

    def take_row(self, row: Row) -> None:
        """Take a sample that has just arrived, as typeperf prints it; its time is the guest's."""
        if self._about is None or self._ref is None:
            return
        t_ms = self._note_clock(0, row.t_ms, time.time() * 1000)
        self._tell(self._ref, self._about, t_ms)
        self.report("recording", self._store(row.sample, t_ms))

    def miss(self, reason: str) -> None:
        """No sample now: the gap since the last one grows, up to the guest's present time."""
        self._book.miss(self._now_ms(), reason, self._interval_ms)
        self._health = self._book.counted(self._health)

    def end(self) -> None:
        """The recording ends."""
        self._book.finish(self._now_ms(), self._interval_ms)
        self._health = self._book.counted(self._health)
        self.report("ended")

    def forget(self) -> None:
        """What comes next is compared with nothing before."""
        self._sampler.forget()

    def meet(self, about: About) -> None:
        """The guest tells who it is: at first, and now and then again."""
        about.uuid = self._watched.uuid or about.uuid
        self._about = about
        if self._ref is None:
            name = about.name or self._watched.name
            self._ref = self._feed.identify("guest", [value for _, value in self._identities(about)], name)
            self._feed.add_entities([Entity(self._ref, name)])
            self._series = GuestSeries(self._feed, self._source, self._ref, load_catalogue())
            product = " ".join(part for part in (about.system, about.kernel) if part)
            self._feed.update_source(self._source, attributes=[("product", product)])

    def _identities(self, about: About) -> list[tuple[str, str]]:
        """By what the guest is recognised again: its firmware's UUID, else its address."""
        uuid = about.uuid or about.smbios
        return [(UUID, uuid)] if uuid else [(MOID, f"guest/{self._watched.place}")]

    def _tell(self, ref: EntityRef, about: About, t_ms: int) -> None:
        """Add facts that are new or have changed."""
        new: list[Fact] = []
        now = dict([*self._identities(about), *_facts_of(about)])
        for name, value in now.items():
            known = self._told.get(name)
            if known is None or known.value != value:
                self._told[name] = Fact(ref, name, value, t_ms)
                new.append(self._told[name])
        gone = [name for name in self._told if name not in now]
        new += [replace(self._told.pop(name), end=t_ms) for name in gone]
        if new:
            self._feed.add_facts(new)

    def _time_of(self, reading: Reading, arrived_ms: float) -> int:
        """When a reading was taken (ms since 1970), by the guest's clock on the recording's axis.

        A clock that tells whole seconds alone is read once; from then on the time since the boot is added.
        """
        up_ms = reading.uptime_s * 1000
        told_ms = None if reading.clock_ns is None else reading.clock_ns / 1e6
        boot_ms = round((arrived_ms if told_ms is None else told_ms) - up_ms)
        is_coarse = told_ms is None or told_ms % 1000 == 0
        known = self._boot_ms if self._last is not None and self._last.boot == reading.boot else None
        jump_ms = 0 if known is None else boot_ms - known
        if is_coarse and known is not None and (told_ms is None or abs(jump_ms) <= 2 * _JUMP_MS):
            boot_ms, jump_ms = known, 0
        self._boot_ms = boot_ms
        t_ms = round(boot_ms + up_ms) if is_coarse or told_ms is None else round(told_ms)
        if abs(jump_ms) > _JUMP_MS and not is_coarse and self._offset_ms is not None:
            arrived_ms = min(arrived_ms, t_ms - self._offset_ms - jump_ms)  # it may have come late
        return self._note_clock(jump_ms, t_ms, arrived_ms)

    def _note_clock(self, jump_ms: int, t_ms: int, arrived_ms: float) -> int:
        """Note by how much the guest's clock is ahead of ours, and when somebody set it.

        Return the time ``t_ms`` of the guest's clock on the axis.
        """
        offset_ms = round(t_ms - arrived_ms)
        was_set = self._clock_was_set = abs(jump_ms) > _JUMP_MS
        known_ms, shift_ms = self._offset_ms, self._placement.shift_ms
        # What arrives late makes the guest's clock seem behind: the least late tells most.
        if known_ms is None or was_set or offset_ms > known_ms + _NEWS_MS:
            self._offset_ms = known_ms = offset_ms
        if was_set and self._feed.axis is not None:
            self._placement.nudge(jump_ms)
        # What tells the time one way alone may be late by as much as it comes apart.
        self._placement.place(known_ms, self._interval_ms, _JUMP_MS, was_set=False)
        if self._offset_ms != self._told_offset_ms or self._placement.shift_ms != shift_ms:
            self._told_offset_ms = self._offset_ms
            self._feed.update_source(self._source, clock_offset_ms=known_ms - self._placement.shift_ms)
        t_ms -= self._placement.shift_ms
        if was_set and self._ref is not None:
            far, way = format_duration(round(abs(jump_ms) / 1000)), "on" if jump_ms > 0 else "back"
            text = f"The clock of {self._ref.key} was set {way} by {far}."
            self._feed.add_events([Event(t_ms, _EVENT, text, self._ref, id=f"{self._ref.key}/clock/{t_ms}")])
        return t_ms

    def _note_boot(self, reading: Reading, t_ms: int) -> None:
        if self._last is None or self._ref is None or self._last.boot == reading.boot:
            return
        at = round(t_ms - reading.uptime_s * 1000)
        text = f"{self._ref.key} was started again: its counts begin anew."
        self._feed.add_events([Event(at, _EVENT, text, self._ref, id=f"{self._ref.key}/boot/{reading.boot}")])

    def _note_killed(self, reading: Reading, t_ms: int) -> None:
        """The kernel ended programs because the guest had no memory left."""
        killed = reading.tables.get("vm", {}).get("", {}).get("oom_kill")
        before, self._killed = self._killed, killed if killed is not None else -1.0
        if (
            killed is None
            or before < 0
            or killed <= before
            or self._ref is None
            or self._book.last_ms is None
        ):
            return
        count = format_count(killed - before)
        text = f"The kernel of {self._ref.key} had no memory left and ended {count} of its programs."
        self._feed.add_events([Event(t_ms, _EVENT, text, self._ref, id=f"{self._ref.key}/oom/{t_ms}")])

    def _store(self, sample: Sample, t_ms: int) -> str:
        """Store a sample; return why it can't be, empty if it was."""
        series = self._series
        if series is None:
            return ""
        self._book.resume_after(series.prepare(sample))
        last_ms = self._book.last_ms
        if last_ms is not None and t_ms <= last_ms:
            back = format_duration(max(1, round((last_ms - t_ms) / 1000)))
            return f"The guest's clock was set back by {back}: its samples count again from where they ended."
        if self._clock_was_set:
            self._book.blame(_CLOCK_SET)
        self._book.take(t_ms, series.add(sample, t_ms), self._interval_ms)
        self._health = replace(self._book.counted(self._health), entities=1, series=series.series)
        return ""

    def _now_ms(self) -> float:
        """The present time of the stored samples."""
        return time.time() * 1000 + (self._offset_ms or 0) - self._placement.shift_ms


def _facts_of(about: About) -> Iterator[tuple[str, str | float]]:
    """What the guest tells of itself, as facts; what it leaves out is absent."""
    texts = {
        "guest.kernel": about.kernel,
        "guest.system": about.system,
        "guest.vendor": about.vendor,
        "guest.product": about.product,
        "guest.name": about.name,
        "bios_uuid": about.uuid,
        "smbios_uuid": about.smbios,
        **{f"nic.{name}.mac": mac for name, mac in about.macs.items()},
        **{f"disk.{name}.serial": serial for name, serial in about.disks.items()},
    }
    yield from ((name, text) for name, text in texts.items() if text)
    yield from ((f"nic.{name}.speed_mbps", speed) for name, speed in about.speeds.items())
    yield from ((f"disk.{name}.size_mb", size) for name, size in about.sizes.items() if size)
