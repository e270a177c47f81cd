"""What ended a problem before the recording did: where events tell it, and where a VM left a capture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from diagnosis.derived import FIRST_DERIVED
from diagnosis.detect import Hit
from diagnosis.samples import SampleTable
from diagnosis.session_events import SessionEvents, told_text
from diagnosis.topology import Topology
from resources.units import format_duration
from sessions.model import EntityRef, IntArray
from sessions.times import TimeRange

_GONE_SAMPLES = 3  # DESIGN: one or two samples that are missing at the end are no move
_NAMED = 3
"""Events that a note tells in full."""
_OF_THE_VM = ("cpu.", "mem.")
"""Groups of counters that end with a VM: of its disks esxtop goes on to print zeros."""
_TOO_LATE = "come too late"
_LATE = f"Steps against it {_TOO_LATE} unless it returns: find out who or what did that."


def end_note(
    hit: Hit,
    windows: Sequence[TimeRange],
    axis: IntArray,
    topology: Topology,
    events: SessionEvents,
    table: SampleTable,
    notes: Sequence[str] = (),
) -> tuple[str, ...]:
    """Return the sentence that a finding gets when it was over before the last sample, and something that
    happened about then is told, or its VM is gone since; ``axis`` are the times of its source (ms). That
    steps come too late is not said again where one of its card's ``notes`` does.
    """
    after = axis[axis > windows[-1].end] if windows else axis[:0]
    if not after.size or axis[-1] - windows[-1].end < hit.compiled.sustained.clear_s * 1000:
        return ()
    own = with_all_above(topology, hit.entity)
    if hit.entity.kind == "host":  # what was on it for a time may have left
        vms = topology.below(hit.source, hit.entity, "vm")
        own |= {
            topology.base(one.ref)
            for one in vms
            if one.periods or gone_for_s(table, topology, hit.source, one.ref)
        }
    told = events.at_end(int(after[0]), own)
    if not told:
        return _left_note(hit, topology, table)
    texts = list(dict.fromkeys(told_text(one).rstrip(" .") for one in told))
    named = texts if len(texts) <= _NAMED + 1 else [*texts[:_NAMED], f"and {len(texts) - _NAMED} more"]
    said = "; ".join(named)
    ago = format_duration((int(axis[-1]) - windows[-1].end) / 1000)
    late = "" if any(_TOO_LATE in one for one in notes) else f" {_LATE}"
    return (f"It ended {ago} before the last sample, when this was told: {said}.{late}",)


def _left_note(hit: Hit, topology: Topology, table: SampleTable) -> tuple[str, ...]:
    """That the VM has no samples any more: a capture of one host does not tell where it went."""
    if hit.entity.kind != "vm" or not (gone_s := gone_for_s(table, topology, hit.source, hit.entity)):
        return ()
    host = topology.host(hit.source, hit.entity)
    where = topology.entity(host).name if host else "its host"
    gone = f"It was gone for the last {format_duration(gone_s)} of the recording: it left {where}, or was"
    return (f"{gone} switched off. Steps here come too late unless it comes back.",)


def gone_for_s(table: SampleTable, topology: Topology, source: int, vm: EntityRef) -> float:
    """Return for how long (s) nothing measured of a VM has had a sample at the end; 0 for one that is there,
    and where its host has none either.
    """
    host, ids = topology.host(source, vm), _measured(topology, source, vm)
    if _has_samples_at_end(table, source, ids):
        return 0.0
    of_host = _measured(topology, source, host) if host else ids[:0]
    if of_host.size and not _has_samples_at_end(table, source, of_host):
        return 0.0
    seen = int(table.last_in(ids, table.window).max(initial=0))
    return float(table.axis(source)[-1] - seen) / 1000 if seen else 0.0


def _measured(topology: Topology, source: int, ref: EntityRef) -> IntArray:
    """The ids of an entity's series of CPU and memory; what follows from facts has values when it is gone."""
    series = topology.series.of_entity(source, ref, _OF_THE_VM)
    return np.array([one for one in series if one < FIRST_DERIVED], dtype=np.int64)


def _has_samples_at_end(table: SampleTable, source: int, ids: IntArray) -> bool:
    axis = table.axis(source)
    if table.holds_at_end(source, ids.tolist(), _GONE_SAMPLES):
        return True
    last = TimeRange(int(axis[-_GONE_SAMPLES:][0]), int(axis[-1]))
    return bool(table.counts_in(ids, last).any())  # of a long time hardly anything is read so


def with_all_above(topology: Topology, ref: EntityRef) -> set[EntityRef]:
    """Return the entity as the session knows it, and what contains it."""
    return {topology.base(ref), *topology.ancestors(ref).values()}
