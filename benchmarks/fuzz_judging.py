"""Judges by the thousand what no datacenter has: wild samples, forged facts and events, hostile names, all at once.

    python -m benchmarks.fuzz_judging --count 2000 [--first 0] [--processes 2]

A recording of the lab (of one scenario, or of several whose faults meet in the same VMs and hosts) is forged two to
six times, then judged twice. Nothing may escape; both judgings must be equal; no sentence may have a hole, a bare
``nan``, ``inf`` or ``None`` or a number like 1e+15; no step may come from a cause that the numbers do not support.
Each mutant follows from its number alone.
"""

# ruff: noqa: E501 - a mutation a line

from __future__ import annotations

import json
import math
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from benchmarks.fuzzing import Report, run_fuzzer
from benchmarks.scoreboard import knowledge
from benchmarks.shown import Shown
from diagnosis import Diagnosis, diagnose_session, findings_json
from diagnosis.plain_text import findings_markdown, report_text
from resources.failures import HyperscopeError
from sessions.model import Entity, EntityRef, Event, Fact, FloatArray, Gap, IntArray, SeriesSpec, SourceSpec
from sessions.times import TimeRange
from tests.diagnosis.supported_orders import unsupported_orders
from tests.sessions.memory_session import MemorySession

MAX_MEGABYTES = 1500
SITES: Sequence[tuple[str, ...]] = (
    ("storage-latency-noisy-neighbour", "storage-noisy-outsider"), ("mem-tiering-working-set",), ("ft-secondary-late",), ("storage-iops-limit",),
    ("cpu-limit-by-reconfiguration",), ("mem-swapping-pool-limit", "cpu-limit-pool"), ("mix-three-on-one-host",),
    ("cpu-ready-low-shares", "storage-latency-array-port", "net-saturated-one-vm"), ("mix-vsan-network-and-congestion",),
    ("mem-latency-slow-swap", "mem-balloon-vm-limit", "cpu-costop-snapshot"), ("event-limit-set-and-lifted",),
    ("cluster-drs-score-low", "net-rx-drops-single-queue"),
)  # fmt: skip
_SECONDS = 600


@dataclass
class Table:
    """A source in pieces that can be forged."""

    spec: SourceSpec
    times: IntArray
    specs: list[SeriesSpec]
    values: FloatArray


@dataclass
class Site:
    """A session in pieces that can be forged; ``names`` are foreign texts, which sentences may repeat."""

    tables: list[Table]
    entities: dict[EntityRef, Entity]
    facts: list[Fact]
    events: list[Event]
    gaps: list[Gap]
    window: TimeRange | None = None
    names: list[str] = field(default_factory=list)

    def span(self) -> tuple[int, int]:
        """First and last instant of all tables; any, if there is none."""
        all_times = [table.times for table in self.tables if table.times.size]
        if not all_times:
            return 1_790_000_000_000, 1_790_000_600_000
        return int(min(one[0] for one in all_times)), int(max(one[-1] for one in all_times))

    def session(self) -> MemorySession:
        """Return it as a session that can be judged."""
        made = MemorySession()
        for number, table in enumerate(self.tables):
            first = number == 0
            made.add_source(
                table.spec, table.times, table.specs, table.values, entities=self.entities.values(),
                facts=self.facts if first else (), events=self.events if first else (),
                gaps=self.gaps if first else (),
            )  # fmt: skip
        return made


def site_of(session: MemorySession) -> Site:
    """Take a session apart."""
    tables = []
    for source in session.sources():
        own = [one for one in session.series() if one.source == source.id]
        frames = session.read(np.array([one.id for one in own], np.int64))
        times = session.times(source.id)
        values = frames[0].values.copy() if frames else np.zeros((times.size, 0))
        specs = [one.spec._replace(scale=1.0) for one in own]
        tables.append(Table(source.spec, times.copy(), specs, values))
    parts = session.facts(), session.events(), session.gaps()
    return Site(tables, session.entities(), *(list(one) for one in parts))  # type: ignore[arg-type]


@cache
def base(names: tuple[str, ...], view: Literal["esxtop", "vcenter"]) -> Site:
    """Return the site whose faults are those of all scenarios: of each counter the highest number counts."""
    _, catalogue, scenarios = knowledge()
    shown = Shown(view, 5 if view == "esxtop" else 20)
    sites = [site_of(shown.play(scenarios[name], 1, catalogue)[1]) for name in names]
    first = sites[0]
    for other in sites[1:]:
        first.entities |= {ref: one for ref, one in other.entities.items() if ref not in first.entities}
        shift = first.span()[0] - other.span()[0]
        first.facts += [replace(one, start=one.start + shift, end=None if one.end is None else one.end + shift)
                        for one in other.facts]  # fmt: skip
        first.events += [replace(one, at=one.at + shift, end=None if one.end is None else one.end + shift)
                         for one in other.events]  # fmt: skip
        for mine, its in zip(first.tables, other.tables, strict=False):
            places = {(one.entity, one.counter, one.instance): at for at, one in enumerate(mine.specs)}
            rows = min(mine.times.size, its.times.size)
            for at, spec in enumerate(its.specs):
                place = places.get((spec.entity, spec.counter, spec.instance))
                if place is not None:
                    mine.values[:rows, place] = np.fmax(mine.values[:rows, place], its.values[:rows, at])
    return first


def copied(site: Site) -> Site:
    """Return a copy that can be forged."""
    tables = [Table(one.spec, one.times.copy(), list(one.specs), one.values.copy()) for one in site.tables]
    return Site(tables, dict(site.entities), list(site.facts), list(site.events), list(site.gaps))


WILD = (
    math.nan, math.inf, -math.inf, 1e308, -1e308, -1.0, -0.0, 0.0, 2.0**64, 2.0**32, 4_294_967_295.0, 5e-324, 1e15,
    100.0, 1e6, 0.5, 99.99,
)  # fmt: skip
NUMBERS = (
    -1.0, 0.0, -0.0, 1e308, -1e308, 2.0**64, 1e15, 0.5, 100.0, 5e-324, True, False, -5000.0, 1.0, 1e9, 3.0,
)  # fmt: skip
TEXTS = (
    "", " ", "unlimited", "-1", "1e308", "nan", "inf", "None", "{max(x)}", "[{entity}]", "[if so]", "x" * 1_000_000,
    "\x1b[31m", "\u202eabc", "\ue001", "\ue002a\ue003", "\ue005 \ue006", "\ue007", "=1+1", "<b>x</b>", "a,b,,c", "9" * 400,
    "9999-12-31T23:59:59Z", "0001-01-01T00:00:00", "2026-04-28T11:00:00+99:00", "(", "*[", "\\", "%s %d", "()",
)  # fmt: skip
_EVENT_KINDS = ("vmotion", "task", "network", "storage", "reconfigured", "", "nobody knows", "power", "drs", "ha", "limit", "\ue001")  # fmt: skip


def _some(rng: random.Random, site: Site) -> Table:
    return rng.choice(site.tables)


def wild_samples(rng: random.Random, site: Site) -> None:
    """Numbers that can't be in some samples of many series, or in all of a few."""
    table = _some(rng, site)
    if not table.values.size:
        return
    rows, columns = table.values.shape
    for _ in range(rng.choice((3, 50, 400))):
        column, value = rng.randrange(columns), rng.choice(WILD)
        value = value if math.isfinite(value) else math.nan
        part = rng.choice((slice(None), slice(rng.randrange(rows), None, rng.choice((1, 2, 7)))))
        table.values[part, column] = value


def scaled_samples(rng: random.Random, site: Site) -> None:
    """A counter of everybody that is a thousand times as high, negative, or always the same."""
    table = _some(rng, site)
    keys = sorted({one.counter for one in table.specs})
    for key in rng.sample(keys, min(len(keys), rng.choice((1, 4, 20)))):
        columns = [at for at, one in enumerate(table.specs) if one.counter == key]
        with np.errstate(over="ignore", invalid="ignore"):
            changed = table.values[:, columns] * rng.choice((1000.0, -1.0, 1e-9, 0.0, 1e290, 30.0))
        table.values[:, columns] = np.where(np.isfinite(changed), changed, np.nan)


def holes(rng: random.Random, site: Site) -> None:
    """Counters, entities or stretches without samples."""
    table = _some(rng, site)
    rows, columns = table.values.shape
    how = rng.randrange(5)
    if how == 0:
        group = rng.choice(table.specs).counter.partition(".")[0] if table.specs else ""
        kept = [at for at, one in enumerate(table.specs) if one.counter.partition(".")[0] != group]
        table.specs, table.values = [table.specs[at] for at in kept], table.values[:, kept]
    elif how == 1:
        table.values[rng.random() > 0.5 :: 2] = np.nan
    elif how == 2:
        table.values[:, [at for at in range(columns) if rng.random() < 0.4]] = np.nan
    elif how == 3 and rows:
        begin = rng.randrange(rows)
        table.values[begin : begin + rng.choice((1, 5, rows))] = np.nan
    elif rows:
        kept_rows = sorted(
            rng.sample(range(rows), rng.choice((1, 2, max(1, rows // 3)))) if rows > 2 else [0]
        )
        table.times, table.values = table.times[kept_rows], table.values[kept_rows]


def clocks(rng: random.Random, site: Site) -> None:
    """Intervals that change in the middle, leaps, clocks far away, a source without a single instant."""
    table = _some(rng, site)
    steps = np.diff(table.times)
    if not steps.size:
        return
    how = rng.randrange(5)
    if how == 0:
        steps = np.array([rng.choice((2000, 5000, 300_000, 1)) for _ in range(steps.size)], np.int64)
    elif how == 1:
        steps[rng.randrange(steps.size)] += rng.choice((3_600_000, 86_400_000 * 400, 1))
    elif how == 2:
        table.times += rng.choice((7_200_000, -86_400_000, 333, 86_400_000 * 3000))
    elif how == 3:
        half = steps.size // 2
        steps[half:] = 300_000
    else:
        table.times, table.values = table.times[:0], table.values[:0]
        return
    table.times = table.times[0] + np.concatenate([[0], np.cumsum(steps)])


def names(rng: random.Random, site: Site) -> None:
    """Names of any text, thousands of the same one, none."""
    refs = sorted(site.entities)
    same = rng.choice(TEXTS)
    for ref in rng.sample(refs, min(len(refs), rng.choice((1, 20, len(refs))))):
        name = (same if rng.random() < 0.5 else rng.choice(TEXTS))[:5000]
        site.entities[ref] = replace(site.entities[ref], name=name)
        site.names.append(name)


def families(rng: random.Random, site: Site) -> None:
    """Parents that are not there, that are their children's children, or another kind of thing."""
    refs = sorted(site.entities)
    for ref in rng.sample(refs, min(len(refs), rng.choice((1, 10, 60)))):
        parent = rng.choice(
            (None, ref, rng.choice(refs), EntityRef("pool", "nowhere"), EntityRef("host", ""))
        )
        site.entities[ref] = replace(site.entities[ref], parent=parent)
    pools = [ref for ref in refs if ref.kind == "pool"]
    for ref in pools if rng.random() < 0.5 else ():
        site.entities[ref] = replace(site.entities[ref], parent=rng.choice(pools))


def _time(rng: random.Random, site: Site) -> int:
    begin, end = site.span()
    return rng.choice(
        (begin, end, rng.randint(begin, max(begin, end)), rng.randint(begin, max(begin, end)), begin - 1, end + 1,
         0, -62_135_596_800_000, 253_402_300_799_999, begin - 86_400_000, end + 86_400_000)
    )  # fmt: skip


def _value(rng: random.Random, old: str | float | bool) -> str | float | bool:
    how = rng.random()
    if isinstance(old, float) and how < 0.3:
        return old * rng.choice((0.5, 2.0, 10.0, -1.0))
    return rng.choice(NUMBERS) if how < 0.7 else rng.choice(TEXTS)


def facts(rng: random.Random, site: Site) -> None:
    """Facts of any value and any time: of some, or of all of one name."""
    if not site.facts:
        return
    name = rng.choice(sorted({one.name for one in site.facts}))
    chosen = [at for at, one in enumerate(site.facts) if one.name == name]
    if rng.random() < 0.5:
        chosen = rng.sample(range(len(site.facts)), min(len(site.facts), rng.choice((1, 30, 300))))
    for at in chosen:
        fact = site.facts[at]
        value = _value(rng, fact.value) if rng.random() < 0.7 else fact.value
        start = _time(rng, site) if rng.random() < 0.5 else fact.start
        end = _time(rng, site) if rng.random() < 0.3 else fact.end
        site.facts[at] = replace(fact, value=value, start=start, end=end)
        if isinstance(value, str):
            site.names.append(value)


def more_facts(rng: random.Random, site: Site) -> None:
    """Facts that cards read, of entities that have none, changing up to a thousand times."""
    names_known = _fact_names()
    refs = sorted(site.entities)
    begin, end = site.span()
    for _ in range(rng.choice((1, 10, 60))):
        ref, name = rng.choice(refs), rng.choice(names_known)
        for _ in range(rng.choice((1, 1, 2, 3, 1000)) if rng.random() < 0.2 else 1):
            start = rng.randint(begin - 60_000, end + 60_000) if rng.random() < 0.6 else _time(rng, site)
            value = _value(rng, 1000.0)
            site.facts.append(Fact(ref, name, value, start, _time(rng, site) if rng.random() < 0.2 else None))
            if isinstance(value, str):
                site.names.append(value)


@cache
def _fact_names() -> Sequence[str]:
    problems, *_ = knowledge()
    folder = Path(__file__).parents[1] / "resources" / "problems"
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.toml")))
    found = set(re.findall(r'(?:fact|made_of|known) *= *"([^"\\]+)"', text))
    disks = [f"vdisk.scsi0:{n}.{what}" for n in range(2) for what in
             ("limit_iops", "policy_limit_iops", "policy", "datastore", "controller", "chain")]  # fmt: skip
    del problems
    return sorted({*found, *disks, "nic.vmnic0.type", "host", "managed_by", "name", "device.datastore"})


def no_facts(rng: random.Random, site: Site) -> None:
    """All facts of a name are gone, or end in the middle."""
    if not site.facts:
        return
    name = rng.choice(sorted({one.name for one in site.facts}))
    begin, end = site.span()
    if rng.random() < 0.5:
        site.facts = [one for one in site.facts if one.name != name]
    else:
        middle = (begin + end) // 2
        site.facts = [replace(one, end=middle) if one.name == name else one for one in site.facts]


def events(rng: random.Random, site: Site) -> None:
    """Events of any kind, text and time, and many of them."""
    refs = sorted(site.entities)
    kinds = sorted({*_EVENT_KINDS, *(one.kind for one in site.events)})
    for _ in range(rng.choice((1, 20, 300))):
        at = _time(rng, site)
        ref = rng.choice((None, rng.choice(refs), EntityRef("vm", "gone")))
        text, later = rng.choice(TEXTS)[:5000], _time(rng, site)
        site.events.append(Event(at, rng.choice(kinds), text, ref, later if later >= at else None,
                                 rng.choice(("", "1", "2")), rng.choice(("", "\ue001 me", "a"))))  # fmt: skip
        site.names.append(text)
    for place in rng.sample(range(len(site.events)), min(20, len(site.events))):
        event, at = site.events[place], _time(rng, site)
        site.events[place] = replace(
            event, at=at, end=at + rng.choice((0, 1, 10**6)) if rng.random() < 0.5 else None
        )


def gaps(rng: random.Random, site: Site) -> None:
    """Gaps of any length."""
    refs = sorted(site.entities)
    for _ in range(rng.choice((1, 30))):
        start, end = sorted((_time(rng, site), _time(rng, site)))
        site.gaps.append(Gap(1, start, end, rng.choice(TEXTS)[:500], rng.choice((None, rng.choice(refs))), rng.choice((None, 1, 10**9))))  # fmt: skip


def twice(rng: random.Random, site: Site) -> None:
    """A source again, under another kind and name: two that contradict each other."""
    table = _some(rng, site)
    factor = rng.choice((1.0, 3.0, 0.0))
    kind = rng.choice(("esxtop", "vcenter", "esxi"))
    name = rng.choice((table.spec.name, "another"))
    spec = replace(table.spec, kind=kind, name=name)  # type: ignore[arg-type]
    values = np.clip(table.values, -1e300, 1e300) * factor
    site.tables.append(Table(spec, table.times + rng.choice((0, 1000)), list(table.specs), values))


def repeated_series(rng: random.Random, site: Site) -> None:
    """Series that are there twice with other numbers."""
    table = _some(rng, site)
    if not table.specs:
        return
    chosen = [rng.randrange(len(table.specs)) for _ in range(rng.choice((1, 40)))]
    table.specs += [table.specs[at] for at in chosen]
    table.values = np.concatenate([table.values, np.clip(table.values[:, chosen], -1e300, 1e300) * 2], axis=1)


def window(rng: random.Random, site: Site) -> None:
    """Only a part is looked at, or a time without samples."""
    begin, end = sorted((_time(rng, site), _time(rng, site)))
    site.window = TimeRange(begin, end)


MUTATIONS: Sequence[Callable[[random.Random, Site], None]] = (
    wild_samples, scaled_samples, scaled_samples, holes, clocks, names, families, facts, facts, more_facts, more_facts,
    no_facts, events, gaps, twice, repeated_series, window,
)  # fmt: skip


def mutant(number: int) -> tuple[str, Site]:
    """Return what was done to the mutant of this number, and the mutant."""
    rng = random.Random(number)
    chosen = SITES[number % len(SITES)]
    view: Literal["esxtop", "vcenter"] = "vcenter" if rng.random() < 0.6 else "esxtop"
    site, done = copied(base(chosen, view)), [view, *chosen]
    for mutate in rng.choices(MUTATIONS, k=rng.choice((1, 2, 3, 4, 6))):
        mutate(rng, site)
        done.append(mutate.__name__)
    return "+".join(done), site


_BARE = re.compile(r"(?<![\w.-])(nan|inf|NaN|None|Infinity)(?![\w.]| of )|\de[+]\d|[{}]|[\ue000-\uf8ff]")


_LONGEST = 8000


def _texts(found: object) -> Iterator[str]:
    if isinstance(found, str):
        yield found
    elif isinstance(found, dict):
        for key, one in found.items():
            yield from _texts(one) if key != "name" else ()
    elif isinstance(found, list):
        for one in found:
            yield from _texts(one)


def bad_texts(diagnosis: Diagnosis, names: Sequence[str]) -> list[str]:
    """Return what an admin would read that no sentence should say; ``names`` are foreign texts, which may."""
    foreign = sorted({one.strip() for one in names if one.strip()}, key=len, reverse=True)
    said = list(dict.fromkeys(_texts(findings_json(diagnosis))))
    wrong = []
    for text in said:
        if len(text) > _LONGEST:
            wrong.append(f"{len(text)} characters: {text[:200]}")
        if _BARE.search(text):
            rest = text
            for one in foreign:
                rest = rest.replace(one, "…")
            if _BARE.search(rest):
                wrong.append(rest[:300])
    return wrong


def judge(site: Site) -> Diagnosis:
    """Judge it twice; raises AssertionError for what no judging may say."""
    problems, catalogue, _ = knowledge()
    session = site.session()
    found = diagnose_session(session, problems, catalogue, site.window)
    again = diagnose_session(site.session(), problems, catalogue, site.window)
    assert json.dumps(findings_json(found)) == json.dumps(findings_json(again)), "not the same twice"
    json.dumps(findings_json(found), allow_nan=False)
    if wrong := bad_texts(found, site.names):
        raise AssertionError(f"says: {wrong[:3]}")
    if wrong := unsupported_orders(found.findings, problems):
        raise AssertionError(f"orders: {wrong[:3]}")
    report_text(found)
    findings_markdown(found)
    if not session.span():
        assert not found.verdict.is_judged
    return found


def fuzz(first: int, count: int, folder: Path, *, keep: Path | None = None) -> Report:
    """Judge ``count`` mutants."""
    del folder, keep
    report = Report()
    for number in range(first, first + count):

        def act(outcomes: Counter[str], number: int = number) -> None:
            _, site = mutant(number)
            try:
                found = judge(site)
            except HyperscopeError as error:
                outcomes[type(error).__name__] += 1
            else:
                outcomes["judged" if found.verdict.is_judged else "not judged"] += 1
                outcomes.update(one.problem for one in found.findings)

        report.attempt(number, mutant_name(number), act)
    return report


def mutant_name(number: int) -> str:
    """Return what is done to the mutant of this number."""
    return mutant(number)[0]


def main() -> int:
    """Run the fuzzer from the command line; returns exit code 1 for findings, or for too much memory."""
    return run_fuzzer(fuzz, __doc__.split("\n")[0], default_count=2000, max_megabytes=MAX_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
