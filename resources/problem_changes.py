"""Which events may explain a problem that began shortly after them (problems/_changes.toml)."""

from __future__ import annotations

import msgspec


class Changes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Kinds of events (``sessions.model.Event.kind``) that may explain a problem, and how near they must be.

    An event counts from ``before_s`` seconds before to ``after_s`` seconds after a problem begins. For
    ``inventory_delay_s`` seconds after an event, the inventory may still show its VM on the old host. At most
    ``max_count`` events are named.

    ``own``: kinds that count on the entity, its host or their parents; ``arriving``: kinds by which VMs came
    to the host; ``storing``: kinds that count on VMs whose disks lie on the entity.
    """

    before_s: float = 0.0
    after_s: float = 0.0
    inventory_delay_s: float = 0.0
    max_count: int = 0
    own: list[str] = msgspec.field(default_factory=list)
    arriving: list[str] = msgspec.field(default_factory=list)
    storing: list[str] = msgspec.field(default_factory=list)
