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
    """A VM of a cluster over the recorded time: ``used`` (MHz) and ``ready`` (percent of a vCPU each).

    Both have one value for each sample time, NaN where absent.
    """

    name: str
    host: str
    vcpus: float
    used: FloatArray
    ready: FloatArray


@dataclass(frozen=True, slots=True)
class RecordedHost:
    """A host: its cores and their nominal speed in MHz."""

    name: str
    cores: float
    core_mhz: float


def judge(
    hosts: Sequence[RecordedHost], vms: Sequence[RecordedVm], interval_s: float, studies: Studies
) -> Verdict:
    """Return whether another placement would have served the VMs better; ``interval_s`` between two
    samples.
    """
    speed = {host.name: host.core_mhz for host in hosts}
    placed = [vm for vm in vms if vm.host in speed and not vm.name.startswith("vCLS")]
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
    wanted = [_wanted(vm, speed[vm.host], length) for vm in placed]
    capacity = {host.name: host.cores * host.core_mhz for host in hosts}
    mean = [
        Demand(vm.name, float(np.nanmean(one)))
        for vm, one in zip(placed, wanted, strict=True)
        if not np.isnan(one).all()
    ]
    now = Cluster(capacity, mean, {vm.name: vm.host for vm in placed})
    then, moves = now.balanced()
    gains = _gains(now, then, dict(zip((vm.name for vm in placed), wanted, strict=True)), length)
    gain, low, high = mean_interval(gains, studies.judging.confidence.value)
    load = {host: 100 * one / capacity[host] for host, one in now.load().items()}
    fullest = max(load, key=lambda host: load[host])
    figures = (
        Figure("gain by the model", "all VMs", gain, "%", None if isnan(low) else (low, high), length),
        Figure("imbalance", "hosts", float(np.std(list(load.values()))), "%", None, length),
        Figure("demand of its capacity", fullest, load[fullest], "%", None, length),
        Figure("moves", "all VMs", float(moves), "count", None, length),
    )
    bounds = "" if isnan(low) else f" (95 % CI {interval(low, high, '%')})"
    full = f"the fullest host, {shown(fullest)}, wants {format_value(load[fullest], '%')} of its CPU"
    if gain >= studies.drs.worth_percent.value:
        line = f"DRS would help here: about {signed(gain)} by {counted(moves, 'move')}."
    elif gain > 0 and low > 0 and load[fullest] >= studies.drs.busy_percent.value:
        line = f"DRS would help a little: about {signed(gain)} by {counted(moves, 'move')}."
    else:
        line = "DRS would bring nothing here: every host serves what its VMs want (~)."
    sentence = f"By the model {signed(gain)} would be served{bounds}; {full}."
    notes = [
        "A model, no measurement: real contention costs more than it says.",
        "Memory, affinity rules and reservations are not in it.",
    ]
    return verdict(line, sentence, "indicative", needed, figures, notes, "the test DRS balance measures it")


def _wanted(vm: RecordedVm, core_mhz: float, length: int) -> FloatArray:
    waited = np.nan_to_num(vm.ready[-length:]) / 100.0 * vm.vcpus * core_mhz
    result: FloatArray = vm.used[-length:] + waited
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
