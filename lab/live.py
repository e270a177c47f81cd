"""The lab as a live source for the recorder: its hosts tick in real time, or ``speed`` times faster."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast, get_args

import numpy as np

from collectors.esxtop_names import HostColumns, columns_by_host
from collectors.feed import PAUSED, Act, Controls, Feed, Health, State
from collectors.feed import Tick as FeedTick
from connections.address import split_address
from lab.admin import Admin
from lab.fields import FieldSet
from lab.lab import Lab, Tick
from lab.pace import Pace
from lab.recording import lab_source, samples_in
from lab.samples import HostSamples
from lab.scenario import find_scenario, load_scenarios
from resources.catalogue import load_catalogue
from resources.failures import UsageError
from resources.lab_acts import LabAct, load_lab_acts
from sessions.model import EntityRef, Event, Fact, FloatArray, Gap

NOT_SAMPLED = "no sample was taken"

LAB_ADMIN = "you, in the lab"
"""By whom what is done in the lab is recorded."""

_SCHEME = "lab:"
_SEED_DIGITS, _MINUTES_DIGITS = 18, 5
_WARM_UP_TICKS = 2  # the first has no I/O counters, and rates of those need two: nobody should miss them


@dataclass(frozen=True, slots=True)
class LabAddress:
    """The scenario, seed and counters of an address ``lab:SCENARIO[?seed=N][&fields=SET][&minutes=M]``.

    ``minutes`` is how long it is recorded, 0 for as long as the scenario takes; what is wrong at its end goes
    on.
    """

    scenario: str
    seed: int = 1
    fields: FieldSet = "all"
    minutes: int = 0

    def __str__(self) -> str:
        seed = [f"seed={self.seed}"] if self.seed != 1 else []
        fields = [f"fields={self.fields}"] if self.fields != "all" else []
        minutes = [f"minutes={self.minutes}"] if self.minutes else []
        options = "&".join([*seed, *fields, *minutes])
        return f"{_SCHEME}{self.scenario}{'?' if options else ''}{options}"


def parse_lab_address(text: str) -> LabAddress:
    """Parse an address ``lab:SCENARIO[?seed=N][&fields=all|default|diagnosis][&minutes=M]``.

    Raises UsageError.
    """
    parts = split_address(text)
    if parts is not None and parts.scheme == "lab" and parts.host is None and parts.path:
        options = {"seed": "1", "fields": "all", "minutes": "0", **(parts.options or {})}
        seed, fields, minutes = options["seed"], options["fields"], options["minutes"]
        are_numbers = _is_number(seed, _SEED_DIGITS) and _is_number(minutes, _MINUTES_DIGITS)
        if len(options) == 3 and are_numbers and fields in get_args(FieldSet):
            return LabAddress(parts.path, int(seed), cast("FieldSet", fields), int(minutes))
    raise UsageError(
        f"{text!r} names no scenario of the lab.",
        advice="Write lab:demo, lab:demo?seed=7 or, for fewer counters, lab:demo?fields=diagnosis.",
    )


def _is_number(text: str, digits: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= digits


class LabCollector:
    """Runs a scenario into a feed, one source for each host, until the scenario ends.

    ``speed`` is seconds of lab time in a second of real time. A session that already has the first part gets
    the rest: the lab runs up to there without storing, and without what was done to it (``act``) then. Raises
    NotFoundError for an unknown scenario.
    """

    def __init__(self, address: LabAddress, *, speed: float = 1.0) -> None:
        self.name = str(address)
        self._scenario = find_scenario(load_scenarios(), address.scenario)
        self._seed, self._speed, self._fields = address.seed, speed, address.fields
        self._minutes = address.minutes
        self._at_work = threading.Lock()
        self._turn = threading.Lock()  # who wants to act holds it, so that no further tick comes before
        self._live: LiveLab | None = None
        self._taken = self._wanted = 0

    def run(self, feed: Feed, controls: Controls) -> None:
        """Collect until the scenario ends or the recording is asked to stop."""
        lab = Lab(self._scenario, seed=self._seed, fields=self._fields)
        if self._minutes:
            lab.go_on(self._minutes * 60.0)
        live = LiveLab(lab, feed)
        pace = Pace(self._speed, controls)
        self._wanted = live.skip_recorded(controls)
        self._live = live
        while self._taken < self._wanted:
            late_s = pace.wait(self._taken * live.lab.interval_s)
            if late_s is None:
                break
            with self._turn:  # a lab that is late never rests: it would take its lock again at once
                pass
            with self._at_work:
                live.step(paused=controls.paused, late_s=late_s)
                self._taken += 1
        with self._at_work:
            self._live = None
        live.end()

    def act(self, what: str, kind: str, name: str) -> Act:
        """Change something in the lab, as an admin would: see ``collectors.feed.Actable``. The lab goes on
        for long enough after it to see what comes of it.
        """
        acts = load_lab_acts()
        wanted = acts.called(what)
        with self._turn, self._at_work:
            live = self._live
            if live is None:
                raise UsageError(
                    "The lab does not run.", advice="Something can be changed in it while it is recorded."
                )
            done = live.act(wanted, kind, name)
            self._wanted = max(self._wanted, self._taken + samples_in(live.lab, acts.goes_on_s))
        return done


class LiveLab:
    """A lab that runs into a feed, one tick for each ``step``; changes of ``lab.state`` apply from
    the next tick on.
    """

    def __init__(self, lab: Lab, feed: Feed) -> None:
        self.lab = lab
        self._feed = feed
        known = load_catalogue()
        by_host = [columns_by_host(columns, known)[0] for columns in lab.columns()]
        self._hosts = [_Host(number, host_columns, lab, feed) for number, host_columns in enumerate(by_host)]
        self._admin = Admin(lab)

    def act(self, act: LabAct, kind: str, name: str) -> Act:
        """Let an admin change something; a vCenter would record it, unless it is done in a guest.

        Raises NotFoundError if the lab has no such entity.
        """
        at = self.lab.now_ms
        done = self._admin.act(act, kind, name)
        if act.event:
            vm = next((ref for host in self._hosts if (ref := host.vm_called(done.vm)) is not None), None)
            self._feed.add_events([Event(at, act.event, done.text, vm, by=LAB_ADMIN)])
        return Act(done.text, at, is_seen=bool(act.event))

    def skip_recorded(self, controls: Controls) -> int:
        """Run up to the last tick that the session has, without storing; return the number of ticks left.

        It takes a while; when the recording is asked to stop meanwhile, no tick is left.
        """
        ticks = samples_in(self.lab, self.lab.duration_s)
        last = max(host.stored_ms for host in self._hosts)
        stored = (
            min(ticks, (last - self.lab.start_ms) // round(self.lab.interval_s * 1000) + 1) if last else 0
        )
        for _ in range(stored):
            if controls.is_set():
                return 0
            t_ms, tick = self.lab.now_ms, self.lab.tick()
            if tick is not None:
                for host in self._hosts:
                    if host.is_up(tick):
                        host.take(tick)
                        host.follow(t_ms)
        if stored:
            for host in self._hosts:
                host.skip_recorded()
        return ticks - stored

    def step(self, *, paused: bool, late_s: float) -> None:
        """Run one tick and hand over its samples; while paused the tick is not stored."""
        t_ms, tick = self.lab.now_ms, self.lab.tick()
        self._admin.watch()
        if tick is None or paused:
            for host in self._hosts:
                host.miss(t_ms, PAUSED if paused else NOT_SAMPLED)
        else:
            up = [host for host in self._hosts if host.is_up(tick)]
            self._feed.add_ticks([host.take(tick) for host in up])
            for host in self._hosts:
                if host in up:
                    host.tell(t_ms)
                else:
                    host.miss(t_ms, NOT_SAMPLED)
        for host in self._hosts:
            host.report("paused" if paused else "recording", late_s)

    def end(self) -> None:
        """Report the sources as ended."""
        for host in self._hosts:
            host.report("ended", 0.0)


class _Host:
    """One host of the lab on its way into the session."""

    def __init__(self, number: int, host_columns: HostColumns, lab: Lab, feed: Feed) -> None:
        self._number, self._host_columns, self._feed = number, host_columns, feed
        self._samples = HostSamples(host_columns, round(lab.interval_s * 1000))
        self._source = feed.add_source(lab_source(lab, host_columns.host))
        feed.add_entities(host_columns.entities)
        self._feed_layout = feed.add_layout(self._source, host_columns.specs)
        self._at = np.array([at for at, _ in host_columns.fact_columns], np.int64)
        self._facts: dict[int, Fact] = {}
        self._reported_gaps: set[Gap] = set()
        self._hole: Gap | None = None
        self._holes = 0
        self._warming = _WARM_UP_TICKS
        self._values: FloatArray = np.full(len(host_columns.specs), np.nan)
        self._health = Health(
            "connecting",
            interval_s=lab.interval_s,
            entities=len(host_columns.entities),
            series=len(host_columns.specs),
        )
        self.report("connecting", 0.0)

    @property
    def stored_ms(self) -> int:
        """The last instant of which the session has samples, 0 for none."""
        return int(self._feed_layout.last.max(initial=0))

    def vm_called(self, name: str) -> EntityRef | None:
        """The VM of this name on the host; None if it has none."""
        return next(
            (one.ref for one in self._host_columns.entities if one.ref.kind == "vm" and one.name == name),
            None,
        )

    def is_up(self, tick: Tick) -> bool:
        """True unless the host has failed."""
        return not np.isnan(tick.rows[self._number]).all()

    def take(self, tick: Tick) -> FeedTick:
        """What to store of a tick."""
        row = tick.rows[self._number]
        self._values = self._samples.take(np.array([tick.t_ms]), row[np.newaxis])[0]
        return FeedTick(self._feed_layout.id, tick.t_ms, self._values)

    def tell(self, t_ms: int) -> None:
        """Hand over what the tick that was taken says beside its samples, and count it."""
        changed = self.follow(t_ms)
        if self._warming == _WARM_UP_TICKS:
            changed = [*self._host_columns.facts(t_ms), *changed]
        if changed:
            self._feed.add_facts(changed)
        self._report_gaps()
        received = int(np.count_nonzero(~np.isnan(self._values)))
        expected = received if self._warming else self._values.size
        self._warming = max(0, self._warming - 1)
        self._count(expected, received, t_ms)
        self._hole = None

    def miss(self, t_ms: int, reason: str) -> None:
        """An instant without a sample: the gap grows."""
        hole = self._hole
        if hole is None:
            self._hole = Gap(self._source, t_ms, t_ms, reason, None, 1)
            self._holes += 1
        else:
            why = PAUSED if PAUSED in (reason, hole.reason) else reason
            self._hole = replace(hole, end=t_ms, reason=why, ticks=(hole.ticks or 0) + 1)
        self._feed.add_gaps([self._hole])
        if reason != PAUSED:
            self._count(self._values.size, 0, None)

    def follow(self, t_ms: int) -> list[Fact]:
        """The facts that changed with the tick that was taken; a limit that is set or lifted, say."""
        return list(self._changes(t_ms))

    def _changes(self, t_ms: int) -> Iterator[Fact]:
        row = self._values[self._at]
        for index in np.flatnonzero(~np.isnan(row)).tolist():
            known, value = self._facts.get(index), float(row[index])
            if known is not None and known.value == value:
                continue
            if value > 0:
                at, name = self._host_columns.fact_columns[index]
                self._facts[index] = Fact(self._host_columns.specs[at].entity, name, value, t_ms)
                yield self._facts[index]
            elif known is not None:
                yield replace(self._facts.pop(index), end=t_ms)

    def skip_recorded(self) -> None:
        """Say again what holds, in a session that has the first part already."""
        start, self._warming = self.stored_ms, 0
        self._feed.add_facts([*self._host_columns.facts(start), *self._facts.values()])
        self._reported_gaps = set(self._samples.gaps(self._source))
        self._health = replace(self._health, last_ms=start)

    def report(self, state: State, late_s: float) -> None:
        """Say how the source is doing."""
        gaps = self._holes + sum(gap.entity is not None for gap in self._reported_gaps)
        self._health = replace(self._health, state=state, behind_s=late_s, gaps=gaps)
        self._feed.report(self._source, self._health)

    def _report_gaps(self) -> None:
        """What grew or began of the entities' own gaps; those of the whole host are ours."""
        found = {gap for gap in self._samples.gaps(self._source) if gap.entity is not None}
        if new := found - self._reported_gaps:
            self._feed.add_gaps(sorted(new, key=lambda gap: gap.start))
            self._reported_gaps = found

    def _count(self, expected: int, received: int, last_ms: int | None) -> None:
        self._health = replace(
            self._health,
            expected=self._health.expected + expected,
            received=self._health.received + received,
            last_ms=last_ms if last_ms is not None else self._health.last_ms,
        )
