"""What ended a problem before the recording did: where events tell it, and where a VM left a capture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from diagnosis.detect import Hit
from diagnosis.samples import SampleTable
from diagnosis.session_events import SessionEvents, told_text
from diagnosis.topology import Topology
from resources.units import format_duration
from sessions.model import EntityRef, IntArray
from sessions.times import TimeRange

_GONE_SAMPLES = 3  # DESIGN: one or two samples that are missing at the end are no move
_OF_THE_VM = ("cpu.", "mem.")
"""Groups of counters that end with a VM: of its disks esxtop goes on to print zeros."""
_LATE = "Steps against it come too late unless it returns: ask who did that, and why."


def end_note(
    hit: Hit,
    windows: Sequence[TimeRange],
    axis: IntArray,
    topology: Topology,
    events: SessionEvents,
    table: SampleTable,
) -> tuple[str, ...]:
    """Return the sentence that a finding gets when it was over before the last sample, and something that
    happened about then is told, or its VM is gone since; ``axis`` are the times of its source (ms).
    """
    after = axis[axis > windows[-1].end] if windows else axis[:0]
    if not after.size or axis[-1] - windows[-1].end < hit.compiled.sustained.clear_s * 1000:
        return ()
    own = with_all_above(topology, hit.entity)
    if hit.entity.kind == "host":  # what was on it for a time may have left
        vms = topology.below(hit.source, hit.entity, "vm")
        own |= {topology.base(one.ref) for one in vms if one.periods}
    told = events.at_end(int(after[0]), own)
    if not told:
        return _left_note(hit, topology, table)
    said = "; ".join(dict.fromkeys(told_text(one) for one in told))
    ago = format_duration((int(axis[-1]) - windows[-1].end) / 1000)
    return (f"It ended {ago} before the last sample, when this was told: {said}. {_LATE}",)


def _left_note(hit: Hit, topology: Topology, table: SampleTable) -> tuple[str, ...]:
    """That the VM has no samples any more: a capture of one host does not tell where it went."""
    if hit.entity.kind != "vm" or not (gone_s := gone_for_s(table, topology, hit.source, hit.entity)):
        return ()
    host = topology.host(hit.source, hit.entity)
    where = topology.entity(host).name if host else "its host"
    gone = f"It is gone since {format_duration(gone_s)} before the last sample: it left {where}, or was"
    return (f"{gone} switched off. Steps here come too late unless it returns.",)


def gone_for_s(table: SampleTable, topology: Topology, source: int, vm: EntityRef) -> float:
    """Return for how long (s) none of a VM's columns has had a sample at the end; 0 for one that is there."""
    axis, series = table.axis(source), topology.series.of_entity(source, vm, _OF_THE_VM)
    if table.holds_at_end(source, series, _GONE_SAMPLES):
        return 0.0
    ids, last = np.array(series, dtype=np.int64), TimeRange(int(axis[-_GONE_SAMPLES:][0]), int(axis[-1]))
    if table.counts_in(ids, last).any():  # of a long time hardly anything is read so
        return 0.0
    seen = int(table.last_in(ids, table.window).max(initial=0))
    return float(axis[-1] - seen) / 1000 if seen else 0.0


def with_all_above(topology: Topology, ref: EntityRef) -> set[EntityRef]:
    """Return the entity as the session knows it, and what contains it."""
    return {topology.base(ref), *topology.ancestors(ref).values()}
