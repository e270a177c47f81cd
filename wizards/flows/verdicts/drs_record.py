"""Would DRS help here? From recorded counters alone, without any load and any change.

What a VM wants is what it used and what it waited for (ready). Where the VMs of a host want more than it
has, they are served in part; a better placement would serve more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
from numpy.typing import NDArray

from diagnosis.statistics.blocks import mean_interval
from resources.foreign_text import shown
from resources.study_numbers import Studies
from resources.units import format_duration, format_value
from sessions.journal import Figure
from sessions.model import FloatArray
from wizards.flows.verdict import Condition, Verdict
from wizards.flows.verdicts.drs_model import Cluster, Demand
from wizards.flows.verdicts.outcome import refused, verdict
from wizards.flows.verdicts.phrases import counted, interval, signed

_MORE_THAN_CORES, _SHOWN_PERCENT = 1.02, 0.5
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RecordedVm:
    """A VM of a cluster over the recorded time: ``used`` and ``ready`` in percent of one of its vCPUs.

    Both have one value for each sample time, NaN where absent. Names may repeat, an ``id`` does not; it may
    be empty where no name repeats.
    """

    name: str
    host: str
    vcpus: float
    used: FloatArray
    ready: FloatArray
    id: str = ""

    @property
    def key(self) -> str:
        """What tells the VM from all others."""
        return self.id or self.name


@dataclass(frozen=True, slots=True)
class RecordedHost:
    """A host and its physical cores."""

    name: str
    cores: float


@dataclass(frozen=True, slots=True)
class RecordedGain:
    """The verdict and what it was made from: the placement of today, the one that the model finds, and the
    cores that the VMs of each host wanted at each sample time (NaN where a host was not seen).

    Without a verdict there are no placements.
    """

    verdict: Verdict
    now: Cluster | None = None
    then: Cluster | None = None
    wanted: Mapping[str, FloatArray] | None = None


def judge(
    hosts: Sequence[RecordedHost], vms: Sequence[RecordedVm], interval_s: float, studies: Studies
) -> Verdict:
    """Return whether another placement would have served the VMs better; ``interval_s`` between two
    samples.
    """
    return assess(hosts, vms, interval_s, studies).verdict


def assess(
    hosts: Sequence[RecordedHost], vms: Sequence[RecordedVm], interval_s: float, studies: Studies
) -> RecordedGain:
    """Return the same with the two placements. Only times count at which every host that has VMs was seen."""
    cores = {host.name: host.cores for host in hosts}
    length = min((vm.used.size for vm in vms), default=0)
    placed = [vm for vm in vms if vm.host in cores and not vm.name.startswith("vCLS") and _is_seen(vm)]
    together = _seen_together(placed, length)
    seconds = float(together.sum()) * interval_s
    needed = _conditions(len(hosts), len(placed), seconds, studies)
    if (result := refused(needed)) is not None:
        return RecordedGain(result)
    wanted = np.stack([_wanted(vm, length) for vm in placed])
    factor = _beyond_cores(cores, placed, length)
    capacity = {host: count * factor for host, count in cores.items()}
    demands = [Demand(vm.key, float(np.nanmean(one))) for vm, one in zip(placed, wanted, strict=True)]
    now = Cluster(capacity, demands, {vm.key: vm.host for vm in placed})
    then, gains = _better(now, wanted[:, together], studies.drs.record_moves_percent.value / 100)
    seen = {host: np.where(together, one, np.nan) for host, one in _of_hosts(now, wanted).items()}
    return RecordedGain(_verdict(now, then, gains, factor, needed, interval_s, studies), now, then, seen)


def moved(now: Cluster, then: Cluster) -> list[Demand]:
    """Return the VMs that stand elsewhere in the second placement, the most demanding first."""
    others = [one for one in now.demands if now.hosts[one.vm] != then.hosts[one.vm]]
    return sorted(others, key=lambda one: (-one.amount, one.vm))


def filled_percent(cluster: Cluster) -> dict[str, float]:
    """Return how much of its capacity each host is asked for, in percent."""
    return {host: 100 * one / cluster.capacity[host] for host, one in cluster.load().items()}


def _conditions(hosts: int, vms: int, seconds: float, studies: Studies) -> tuple[Condition, ...]:
    least = studies.drs.record_least_s
    return (
        Condition(
            "Several hosts?",
            counted(hosts, "host"),
            "≥ 2",
            hosts > 1,
            "tests.md W3",
            "there is one host only" if hosts else "no host with its cores was recorded",
            "Record the cluster's other hosts in the same time: by vCenter, or by esxtop on each of them.",
        ),
        Condition(
            "CPU of the VMs?",
            counted(vms, "VM"),
            "≥ 1",
            vms > 0,
            "tests.md W3",
            "no CPU counters of VMs were recorded",
            "It needs CPU used (esxtop's %USED, vCenter's cpu.usage) of VMs whose host and vCPUs are known.",
        ),
        Condition(
            "Long enough?",
            format_duration(seconds),
            f"≥ {format_duration(least.value)}",
            seconds >= least.value,
            least.source,
            "too little was recorded",
            "Only times count in which every host with VMs was recorded: record longer, or choose a longer "
            "time.",
        ),
    )


def _verdict(
    now: Cluster,
    then: Cluster,
    gains: FloatArray,
    factor: float,
    conditions: Sequence[Condition],
    interval_s: float,
    studies: Studies,
) -> Verdict:
    gain, low, high = mean_interval(gains, studies.judging.confidence.value)
    low, high = max(low, float(gains.min())), min(high, float(gains.max()))
    moves, load = len(moved(now, then)), filled_percent(now)
    more_than_cores = (
        f"Hosts served {factor:.2f} times their cores (second threads, turbo), and that counts here."
        if factor > _MORE_THAN_CORES
        else None
    )
    fullest = max(load, key=lambda host: load[host])
    bounds = "" if isnan(low) or low == high else f" (95 % CI {interval(low, high, '%')})"
    full = f"the fullest host, {shown(fullest)}, wants {format_value(load[fullest], '%')} of its CPU"
    more = format_value(max(0.0, gain), "%")
    overall = Figure(
        "gain by the model", "all VMs", gain, "%", None if isnan(low) else (low, high), gains.size
    )
    return verdict(
        _line(gains, gain, moves, interval_s, studies),
        f"By the model {more} more would be served{bounds}; {full}.",
        "indicative",
        conditions,
        (overall, *_host_figures(load, filled_percent(then), moves, gains.size)),
        (
            "A model, no measurement: real contention costs more than it says.",
            more_than_cores,
            "Memory, affinity rules, reservations and the hosts' clock rates are not in it.",
        ),
        "the test DRS balance measures it",
        "good" if (gains >= studies.drs.worth_percent.value).any() else "no difference",
    )


def _host_figures(
    load: Mapping[str, float], after: Mapping[str, float], moves: int, count: int
) -> Iterator[Figure]:
    """Yield what is asked of the hosts, the fullest first, and how unequal that is."""
    yield Figure("imbalance", "hosts", float(np.std(list(load.values()))), "%", None, count)
    yield Figure("moves to even it out", "all VMs", float(moves), "count", None, count)
    for host in sorted(load, key=lambda host: -load[host]):
        yield Figure("demand of its capacity", host, load[host], "%", None, count)
        yield Figure("demand after the moves", host, after[host], "%", None, count)


def _line(gains: FloatArray, gain: float, moves: int, interval_s: float, studies: Studies) -> str:
    worth = studies.drs.worth_percent.value
    if gain >= worth:
        return f"DRS would help here: about {signed(gain)} by {counted(moves, 'move')}."
    at_times = gains[gains >= worth]
    if at_times.size:
        seconds, all_seconds = (format_duration(count * interval_s) for count in (at_times.size, gains.size))
        return (
            f"DRS would help at times: about {signed(float(at_times.mean()))} in {seconds} of {all_seconds}."
        )
    if gain >= _SHOWN_PERCENT:
        hardly = f"under {worth:g} % moving hardly pays (~)"
        return f"DRS would bring little here: about {signed(gain)}, and {hardly}."
    return "DRS would bring nothing here: every host serves what its VMs want (~)."


def _beyond_cores(cores: Mapping[str, float], vms: Sequence[RecordedVm], length: int) -> float:
    """Return how many times its cores a host was seen to serve for a quarter of the time; at least 1.

    Second threads of cores, and turbo, do more work than the cores' number says.
    """
    used = {host: np.zeros(length) for host in cores}
    for vm in vms:
        used[vm.host] += np.nan_to_num(vm.used[-length:]) / 100.0 * vm.vcpus
    factors = [float(np.percentile(used[host], 75)) / count for host, count in cores.items()]
    return max(1.0, *factors)


def _wanted(vm: RecordedVm, length: int) -> FloatArray:
    """The cores that a VM wanted at each time: those that it used, and those that it waited for."""
    result: FloatArray = (vm.used[-length:] + np.nan_to_num(vm.ready[-length:])) / 100.0 * vm.vcpus
    return result


def _is_seen(vm: RecordedVm) -> bool:
    return bool(np.isfinite(vm.used).any())


def _seen_together(vms: Sequence[RecordedVm], length: int) -> BoolArray:
    """Return the sample times at which a VM of every host that has VMs was seen."""
    seen: dict[str, BoolArray] = {}
    for vm in vms:
        there = np.isfinite(vm.used[-length:])
        seen[vm.host] = seen[vm.host] | there if vm.host in seen else there
    together = np.ones(length, np.bool_)
    for one in seen.values():
        together &= one
    return together


def _of_hosts(cluster: Cluster, wanted: FloatArray) -> dict[str, FloatArray]:
    """Return the cores that the VMs of each host want at each sample time, in this placement."""
    found = {host: np.zeros(wanted.shape[1]) for host in cluster.capacity}
    for demand, values in zip(cluster.demands, wanted, strict=True):
        found[cluster.hosts[demand.vm]] += np.nan_to_num(values)
    return found


def _better(now: Cluster, wanted: FloatArray, share: float) -> tuple[Cluster, FloatArray]:
    """Return the placement after the first moves that bring this share of what all of them bring, and its
    gain at each sample time.
    """
    rows = {one.vm: values for one, values in zip(now.demands, np.nan_to_num(wanted), strict=True)}
    loads = _of_hosts(now, wanted)
    served = {host: np.minimum(load, now.capacity[host]) for host, load in loads.items()}
    before = np.sum([*served.values()], axis=0)
    safe = np.where(before > 0, before, np.nan)
    placements, gains = [now], [np.zeros(before.size)]
    while (step := placements[-1].best_step()) is not None and len(placements) <= 2 * len(now.demands):
        last = placements[-1]
        for vm, host in step.items():
            loads[last.hosts[vm]] = loads[last.hosts[vm]] - rows[vm]
            loads[host] = loads[host] + rows[vm]
        for host in {*step.values(), *(last.hosts[vm] for vm in step)}:
            served[host] = np.minimum(loads[host], now.capacity[host])
        placements.append(Cluster(last.capacity, last.demands, {**last.hosts, **step}))
        gains.append(np.nan_to_num((np.sum([*served.values()], axis=0) / safe - 1.0) * 100.0))
    enough = share * max(float(one.mean()) for one in gains)
    return next((one, gain) for one, gain in zip(placements, gains, strict=True) if gain.mean() >= enough)
