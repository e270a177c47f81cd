"""“Would DRS help?” of each cluster of a session, from what was recorded: as values, as JSON, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

from resources.failures import NotFoundError
from resources.foreign_text import shown
from resources.study_numbers import Studies
from resources.units import format_count, format_duration, format_value
from sessions.store import SessionReader
from sessions.times import TimeRange, iso
from viewmodels.host_domains import shared_domain, without
from wizards.flows.recorded_cluster import RecordedCluster, recorded_clusters
from wizards.flows.verdict import Verdict
from wizards.flows.verdicts.drs_record import RecordedGain, assess, filled_percent, moved
from wizards.flows.verdicts.phrases import counted

MAX_MOVES = 200


@dataclass(frozen=True, slots=True)
class Move:
    """A VM that the model moves, between two hosts, with the cores that it wants."""

    vm: str
    before: str
    after: str
    cores: float


@dataclass(frozen=True, slots=True)
class HostDemand:
    """A host: what it can serve, what its VMs want (cores), and that in percent now and after the moves."""

    host: str
    vms: int
    capacity: float
    wanted: float
    now: float
    after: float


@dataclass(frozen=True, slots=True)
class ClusterGain:
    """What was recorded of a cluster, and what another placement would bring there."""

    recorded: RecordedCluster
    found: RecordedGain

    @property
    def verdict(self) -> Verdict:
        """The verdict, valid or not."""
        return self.found.verdict

    @property
    def title(self) -> str:
        """The cluster as a sentence names it."""
        return f"Cluster {shown(self.recorded.name)}" if self.recorded.name else "The hosts of this session"

    @property
    def scope(self) -> str:
        """What was looked at: ``Cluster Perf: 4 hosts, 16 VMs, 3 h recorded``."""
        hosts, vms = counted(len(self.recorded.hosts), "host"), counted(len(self.recorded.vms), "VM")
        return f"{self.title}: {hosts}, {vms}, {format_duration(self.recorded.window.seconds)} recorded"

    @property
    def gain(self) -> float:
        """The model's gain in percent; minus infinity without a verdict."""
        named = (one.value for one in self.verdict.figures if one.name == "gain by the model")
        value = next(named, None) if self.verdict.valid else None
        return float("-inf") if value is None or isnan(value) else value

    def short(self, host: str) -> str:
        """Return a host's name without the domain that all of the cluster share."""
        return without(shared_domain(one.name for one in self.recorded.hosts), host)

    def hosts(self) -> Iterator[HostDemand]:
        """Yield the hosts, the fullest first; none without a verdict."""
        now, then = self.found.now, self.found.then
        if now is None or then is None:
            return
        before, after, load = filled_percent(now), filled_percent(then), now.load()
        for host in sorted(before, key=lambda one: (-before[one], one)):
            vms = sum(on == host for on in now.hosts.values())
            yield HostDemand(host, vms, now.capacity[host], load[host], before[host], after[host])

    def moves(self) -> Iterator[Move]:
        """Yield what the model moves, the most demanding VM first; nothing where moving brings nothing."""
        now, then = self.found.now, self.found.then
        if now is None or then is None:
            return
        names = {one.key: one.name for one in self.recorded.vms}
        for one in moved(now, then):
            yield Move(names.get(one.vm, one.vm), now.hosts[one.vm], then.hosts[one.vm], one.amount)


def cluster_gains(
    reader: SessionReader, studies: Studies, window: TimeRange | None = None, cluster: str = ""
) -> tuple[ClusterGain, ...]:
    """Return what each cluster of a session would gain, the one that gains most first.

    Raises NotFoundError if the session has no host, or no cluster of the name ``cluster``.
    """
    found = recorded_clusters(reader, window)
    if not found:
        raise NotFoundError(
            "No host with its cores was recorded in this session.",
            advice="Record a vCenter, or import esxtop captures of several hosts.",
        )
    if cluster:
        names = [one.name for one in found if one.name]
        found = tuple(one for one in found if one.name == cluster)
        if not found:
            known = f"It has: {', '.join(shown(one) for one in names[:5])}." if names else ""
            raise NotFoundError(
                f"The session has no cluster {shown(cluster)}.",
                advice=known or "It knows of no cluster at all: leave --cluster out.",
            )
    gains = (ClusterGain(one, assess(one.hosts, one.vms, one.step_s, studies)) for one in found)
    return tuple(sorted(gains, key=lambda one: -one.gain))


def gain_json(one: ClusterGain) -> dict[str, object]:
    """Return a cluster's result as ``test gain --json`` prints it."""
    verdict, window = one.verdict, one.recorded.window
    return {
        "cluster": one.recorded.name or None,
        "from": iso(window.start),
        "to": iso(window.end),
        "valid": verdict.valid,
        "why": verdict.why,
        "verdict": verdict.line,
        "sentence": verdict.sentence,
        "confidence": verdict.confidence,
        "needs": verdict.needs,
        "conditions": [
            {"name": each.name, "measured": each.measured, "limit": each.limit, "holds": each.holds}
            for each in verdict.conditions
        ],
        "figures": [
            {
                "name": each.name,
                "of": each.of,
                "value": each.value,
                "unit": each.unit,
                "interval": list(each.interval) if each.interval is not None else None,
                "n": each.n,
            }
            for each in verdict.figures
        ],
        "hosts": [
            {
                "host": each.host,
                "vms": each.vms,
                "capacity_cores": each.capacity,
                "wanted_cores": each.wanted,
                "percent": each.now,
                "percent_after": each.after,
            }
            for each in one.hosts()
        ],
        "moves": [
            {"vm": each.vm, "from": each.before, "to": each.after, "cores": each.cores}
            for each in one.moves()
        ],
        "notes": list(verdict.notes),
    }


def gain_lines(one: ClusterGain) -> Iterator[str]:
    """Yield a cluster's result for a terminal; hosts and moves in columns."""
    verdict = one.verdict
    yield verdict.line
    yield shown(verdict.sentence, 900)
    yield f"{one.scope}. {verdict.confidence.capitalize()}: {verdict.needs}."
    for condition in verdict.conditions:
        yield f"  {condition.name} {condition.measured} ({condition.limit})"
    gain = verdict.figures[0]
    if gain.interval is not None:
        low, high = (format_value(each, gain.unit) for each in gain.interval)
        yield f"  {gain.name}: {format_value(gain.value or 0.0, gain.unit)} ({low} to {high})"
    hosts = list(one.hosts())
    rows = [("host", "VMs", "can serve", "wanted", "now", "after")]
    rows += [
        (
            shown(one.short(each.host), 40),
            format_count(each.vms),
            cores_text(each.capacity),
            cores_text(each.wanted),
            format_value(each.now, "%"),
            format_value(each.after, "%"),
        )
        for each in hosts
    ]
    yield from _columns(rows)
    moves = list(one.moves())
    if moves:
        yield "What the model moves:"
        moved_rows = [("VM", "from", "to", "wants")]
        moved_rows += [
            (shown(each.vm, 60), one.short(each.before), one.short(each.after), cores_text(each.cores))
            for each in moves[:MAX_MOVES]
        ]
        yield from _columns(moved_rows, words=3)
    yield from verdict.notes


def cores_text(cores: float) -> str:
    """Return a number of cores with its unit: ``2.80 cores``."""
    return f"{format_value(cores, '')} cores"


def _columns(rows: Sequence[tuple[str, ...]], words: int = 1) -> Iterator[str]:
    """Yield rows in columns; the first ``words`` columns are texts, the others numbers."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        cells = [
            text.ljust(width) if at < words else text.rjust(width)
            for at, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"  {'  '.join(cells)}".rstrip()
