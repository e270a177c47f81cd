"""The hosts and VMs of a recorded session with what the VMs used and waited for: what “would DRS help?”
asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sessions.model import EntityRef, Fact, FloatArray, Series
from sessions.store import SessionReader
from sessions.times import TimeRange
from wizards.flows.verdicts.drs_record import RecordedHost, RecordedVm

STEP_S = 60.0
"""Samples of all sources are averaged over a minute, or over the longest interval of a source: their instants
differ, and DRS looks at minutes, too."""

USED = "cpu.used"
"""What a VM used: the counter without which nothing can be said."""

_READY, _PCPU, _CORE = "cpu.ready", "cpu.pcpu_used", "cpu.core_util"


@dataclass(frozen=True, slots=True)
class RecordedCluster:
    """The hosts and VMs of a cluster in a window; ``step_s`` lies between two values of a VM.

    ``name`` is empty for hosts that no cluster is known of, such as those of esxtop captures.
    """

    name: str
    hosts: tuple[RecordedHost, ...]
    vms: tuple[RecordedVm, ...]
    window: TimeRange
    step_s: float


def recorded_clusters(reader: SessionReader, window: TimeRange | None = None) -> tuple[RecordedCluster, ...]:
    """Return what a session tells of its hosts' cores and its VMs' CPU, a value for each cluster.

    What it doesn't tell is left out. A VM stands where it was at the window's end. Hosts without a cluster
    count as one.
    """
    span = window or reader.span()
    if span is None:
        return ()
    facts = [one for one in reader.facts() if one.start <= span.end]
    series = reader.series([USED, _READY, _PCPU, _CORE])
    cores = _cores(facts, series)
    step_s = max([STEP_S, *(seconds for seconds in reader.info().intervals.values() if seconds)])
    vms = _vms(reader, facts, series, span, step_s)
    entities = reader.entities()
    hosts_of: dict[EntityRef | None, list[EntityRef]] = {}
    for host in sorted(cores):
        parent = entities[host].parent if host in entities else None
        cluster = parent if parent is not None and parent.kind == "cluster" else None
        hosts_of.setdefault(cluster, []).append(host)
    names = _last(facts, "name")
    return tuple(
        RecordedCluster(
            "" if ref is None else str(names.get(ref, entities[ref].name if ref in entities else ref.key)),
            tuple(RecordedHost(host.key, cores[host]) for host in hosts),
            tuple(vm for vm in vms if EntityRef("host", vm.host) in hosts),
            span,
            step_s,
        )
        for ref, hosts in sorted(hosts_of.items(), key=lambda one: "" if one[0] is None else one[0].key)
    )


def _vms(
    reader: SessionReader,
    facts: Sequence[Fact],
    series: Sequence[Series],
    span: TimeRange,
    step_s: float,
) -> list[RecordedVm]:
    names = {ref: entity.name for ref, entity in reader.entities().items()}
    newest, placed, vcpus = (_last(facts, name) for name in ("name", "host", "vcpus"))
    used, ready = (_by_vm(reader, series, counter, span, step_s) for counter in (USED, _READY))
    found = []
    for ref, values in sorted(used.items()):
        host, count = placed.get(ref), vcpus.get(ref)
        if host is not None and isinstance(count, int | float) and count > 0:
            waits = ready.get(ref, np.full(values.size, np.nan))
            name = str(newest.get(ref, names.get(ref, ref.key)))
            found.append(RecordedVm(name, str(host), float(count), values, waits, ref.key))
    return found


def _last(facts: Sequence[Fact], name: str) -> dict[EntityRef, str | float | bool]:
    found = sorted((one for one in facts if one.name == name), key=lambda one: one.start)
    return {one.entity: one.value for one in found}


def _cores(facts: Sequence[Fact], series: Sequence[Series]) -> dict[EntityRef, float]:
    """The cores that vCenter tells; else the PCPUs of a capture, two of them a core with hyper-threading.

    Captures of hosts without hyper-threading have no core utilisation (resources/counters/cpu.toml).
    """
    pcpus: dict[EntityRef, set[str]] = {}
    threaded: set[EntityRef] = set()
    for one in series:
        if one.counter == _PCPU and one.spec.instance.isdigit():
            pcpus.setdefault(one.entity, set()).add(one.spec.instance)
        elif one.counter == _CORE:
            threaded.add(one.entity)
    found = {ref: len(instances) / (2 if ref in threaded else 1) for ref, instances in pcpus.items()}
    told = _last(facts, "cpu.cores")
    return found | {
        ref: float(value) for ref, value in told.items() if isinstance(value, int | float) and value > 0
    }


def _by_vm(
    reader: SessionReader, series: Sequence[Series], counter: str, span: TimeRange, step_s: float
) -> dict[EntityRef, FloatArray]:
    """The means of a VM's own series over each step of the window; the last source that has it counts.

    The last step may be a part of one, at least half.
    """
    own = {one.id: one.entity for one in series if one.counter == counter and _is_whole_vm(one)}
    steps = round(span.seconds / step_s)
    found: dict[EntityRef, FloatArray] = {}
    for frame in reader.read(np.array(sorted(own), np.int64), span):
        at = ((frame.times - span.start) / (step_s * 1000)).astype(np.int64)
        kept = at < steps
        for column, series_id in enumerate(frame.ids.tolist()):
            values = frame.values[kept, column]
            known = ~np.isnan(values)
            count = np.bincount(at[kept][known], minlength=steps)
            total = np.bincount(at[kept][known], weights=values[known], minlength=steps)
            found[own[series_id]] = total / np.where(count == 0, np.nan, count)
    return found


def _is_whole_vm(one: Series) -> bool:
    return one.entity.kind == "vm" and not one.spec.instance
