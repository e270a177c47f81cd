"""What ended a problem before the recording did, where events tell it."""

from __future__ import annotations

from collections.abc import Sequence

from diagnosis.detect import Hit
from diagnosis.session_events import SessionEvents, told_text
from diagnosis.topology import Topology
from resources.units import format_duration
from sessions.model import EntityRef, IntArray
from sessions.times import TimeRange

_LATE = "Steps against it come too late unless it returns: ask who did that, and why."


def end_note(
    hit: Hit, windows: Sequence[TimeRange], axis: IntArray, topology: Topology, events: SessionEvents
) -> tuple[str, ...]:
    """Return the sentence that a finding gets when it was over before the last sample, and something that
    happened about then is told; ``axis`` are the times of its source (ms).
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
        return ()
    said = "; ".join(dict.fromkeys(told_text(one) for one in told))
    ago = format_duration((int(axis[-1]) - windows[-1].end) / 1000)
    return (f"It ended {ago} before the last sample, when this was told: {said}. {_LATE}",)


def with_all_above(topology: Topology, ref: EntityRef) -> set[EntityRef]:
    """Return the entity as the session knows it, and what contains it."""
    return {topology.base(ref), *topology.ancestors(ref).values()}
