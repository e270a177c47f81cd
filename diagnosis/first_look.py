"""The one thing to do about a warning whose numbers support no cause: to look at what it is."""

from __future__ import annotations

from collections.abc import Sequence

from diagnosis.detect import Hit
from diagnosis.orders import GIVING_ORDERS
from diagnosis.topology import Topology
from resources.first_looks import FirstLooks
from sessions.findings import CauseVerdict

_DECIDING = 2
"""Sentences that are quoted of what would decide the cause."""


def first_look(
    hit: Hit, causes: Sequence[CauseVerdict], topology: Topology, looks: FirstLooks
) -> tuple[str, ...]:
    """Return the step, which changes nothing; none for what is only worth knowing, or has a cause."""
    if hit.severity == "info" or any(one.verdict in GIVING_ORDERS for one in causes):
        return ()
    missing = dict.fromkeys(one.because for one in causes if one.verdict == "unknown")
    host = hit.host or topology.host(hit.source, hit.entity)
    step = looks.step(
        hit.entity.kind,
        topology.shown_name(hit.entity),
        topology.entity(host).name if host else "",
        [said for said in missing if said][:_DECIDING],
    )
    return (step,) if step else ()
