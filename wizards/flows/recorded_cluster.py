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
"""Samples of all sources are averaged over a minute: their instants differ, and DRS looks at minutes, too."""

_USED, _READY, _PCPU, _CORE = "cpu.used", "cpu.ready", "cpu.pcpu_used", "cpu.core_util"


@dataclass(frozen=True, slots=True)
class RecordedCluster:
    """All hosts and VMs of a session in a window; ``step_s`` lies between two values of a VM."""

    hosts: tuple[RecordedHost, ...]
    vms: tuple[RecordedVm, ...]
    step_s: float


def recorded_cluster(reader: SessionReader, window: TimeRange | None = None) -> RecordedCluster:
    """Return what a session tells of its hosts' cores and its VMs' CPU; what it doesn't tell is left out.

    A VM stands where it was at the window's end.
    """
    span = window or reader.span()
    if span is None:
        return RecordedCluster((), (), STEP_S)
    facts = [one for one in reader.facts() if one.start <= span.end]
    series = reader.series([_USED, _READY, _PCPU, _CORE])
    cores = _cores(facts, series)
    names = {ref: entity.name for ref, entity in reader.entities().items()}
    used, ready = (_by_vm(reader, series, counter, span) for counter in (_USED, _READY))
    placed, vcpus = _last(facts, "host"), _last(facts, "vcpus")
    vms = []
    for ref, values in sorted(used.items()):
        host = EntityRef("host", str(placed.get(ref, "")))
        count = vcpus.get(ref)
        if host in cores and isinstance(count, int | float) and count > 0:
            waits = ready.get(ref, np.full(values.size, np.nan))
            vms.append(RecordedVm(names.get(ref, ref.key), host.key, float(count), values, waits))
    return RecordedCluster(
        tuple(RecordedHost(ref.key, count) for ref, count in sorted(cores.items())), tuple(vms), STEP_S
    )


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
    reader: SessionReader, series: Sequence[Series], counter: str, span: TimeRange
) -> dict[EntityRef, FloatArray]:
    """The means of a VM's own series over each whole step of the window; the last source that has it
    counts.
    """
    own = {one.id: one.entity for one in series if one.counter == counter and _is_whole_vm(one)}
    steps = int(span.seconds // STEP_S)
    found: dict[EntityRef, FloatArray] = {}
    for frame in reader.read(np.array(sorted(own), np.int64), span):
        at = ((frame.times - span.start) / (STEP_S * 1000)).astype(np.int64)
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
