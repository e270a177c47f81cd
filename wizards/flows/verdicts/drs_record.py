"""Would DRS help here? From recorded counters alone, without any load and any change.

What a VM wants is what it used and what it waited for (ready). Where the VMs of a host want more than it
has, they are served in part; a better placement would serve more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

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


@dataclass(frozen=True, slots=True)
class RecordedVm:
    """A VM of a cluster over the recorded time: ``used`` and ``ready`` in percent of one of its vCPUs.

    Both have one value for each sample time, NaN where absent.
    """

    name: str
    host: str
    vcpus: float
    used: FloatArray
    ready: FloatArray


@dataclass(frozen=True, slots=True)
class RecordedHost:
    """A host and its physical cores."""

    name: str
    cores: float


def judge(
    hosts: Sequence[RecordedHost], vms: Sequence[RecordedVm], interval_s: float, studies: Studies
) -> Verdict:
    """Return whether another placement would have served the VMs better; ``interval_s`` between two
    samples.
    """
    cores = {host.name: host.cores for host in hosts}
    placed = [vm for vm in vms if vm.host in cores and not vm.name.startswith("vCLS")]
    length = min((vm.used.size for vm in placed), default=0)
    seconds = length * interval_s
    needed = (
        Condition(
            "Long enough?",
            format_duration(seconds),
            f"≥ {format_duration(studies.drs.record_least_s.value)}",
            seconds >= studies.drs.record_least_s.value,
            studies.drs.record_least_s.source,
            "too little was recorded",
        ),
        Condition(
            "Several hosts?",
            counted(len(hosts), "host"),
            "≥ 2",
            len(hosts) > 1,
            "tests.md W3",
            "there is one host only",
        ),
    )
    if (result := refused(needed)) is not None:
        return result
    wanted = [_wanted(vm, length) for vm in placed]
    capacity = _capacity(cores, placed, length)
    mean = [
        Demand(vm.name, float(np.nanmean(one)))
        for vm, one in zip(placed, wanted, strict=True)
        if not np.isnan(one).all()
    ]
    now = Cluster(capacity, mean, {vm.name: vm.host for vm in placed})
    then, moves = now.balanced()
    gains = _gains(now, then, dict(zip((vm.name for vm in placed), wanted, strict=True)), length)
    gain, low, high = mean_interval(gains, studies.judging.confidence.value)
    low = max(low, float(gains.min()))
    load = {host: 100 * one / capacity[host] for host, one in now.load().items()}
    fullest = max(load, key=lambda host: load[host])
    figures = (
        Figure("gain by the model", "all VMs", gain, "%", None if isnan(low) else (low, high), length),
        Figure("imbalance", "hosts", float(np.std(list(load.values()))), "%", None, length),
        Figure("demand of its capacity", fullest, load[fullest], "%", None, length),
        Figure("moves to even it out", "all VMs", float(moves), "count", None, length),
    )
    bounds = "" if isnan(low) else f" (95 % CI {interval(low, high, '%')})"
    full = f"the fullest host, {shown(fullest)}, wants {format_value(load[fullest], '%')} of its CPU"
    line = _line(gains, gain, moves, interval_s, studies)
    more = format_value(max(0.0, gain), "%")
    sentence = f"By the model {more} more would be served{bounds}; {full}."
    notes = [
        "A model, no measurement: real contention costs more than it says.",
        "Memory, affinity rules, reservations and the hosts' clock rates are not in it.",
    ]
    return verdict(line, sentence, "indicative", needed, figures, notes, "the test DRS balance measures it")


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
    return "DRS would bring nothing here: every host serves what its VMs want (~)."


def _capacity(cores: dict[str, float], vms: Sequence[RecordedVm], length: int) -> dict[str, float]:
    """What each host can serve: its cores, or as much more as a host was seen to serve for a quarter of the
    time.

    Second threads of cores, and turbo, do more work than the cores' number says.
    """
    used = {host: np.zeros(length) for host in cores}
    for vm in vms:
        used[vm.host] += np.nan_to_num(vm.used[-length:]) / 100.0 * vm.vcpus
    factor = max((float(np.percentile(used[host], 75)) / count for host, count in cores.items()), default=1.0)
    return {host: count * max(1.0, factor) for host, count in cores.items()}


def _wanted(vm: RecordedVm, length: int) -> FloatArray:
    """The cores that a VM wanted at each time: those that it used, and those that it waited for."""
    result: FloatArray = (vm.used[-length:] + np.nan_to_num(vm.ready[-length:])) / 100.0 * vm.vcpus
    return result


def _gains(now: Cluster, then: Cluster, wanted: dict[str, FloatArray], length: int) -> FloatArray:
    """The model's gain in percent at each sample time."""
    result = np.zeros(length)
    for at in range(length):
        demands = [
            Demand(name, float(values[at])) for name, values in wanted.items() if not isnan(values[at])
        ]
        before = Cluster(now.capacity, demands, now.hosts).served()
        after = Cluster(then.capacity, demands, then.hosts).served()
        result[at] = (after / before - 1.0) * 100.0
    return result
