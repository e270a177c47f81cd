"""What may explain a problem because it happened shortly before (problems/_changes.toml)."""

from __future__ import annotations

import msgspec


class Changes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Seconds, and kinds of events (``sessions.model.Event.kind``).

    ``before_s`` and ``after_s``: how near to the beginning of a problem; ``settles_s``: how long after an
    event the inventory may take to say where its VM is. At most ``most`` are named.

    ``own``: kinds that count when they are of the entity, its host or what both lie in; ``arriving``: by
    which VMs come to its host; ``storing``: of VMs whose disks lie on it.
    """

    before_s: float = 0.0
    after_s: float = 0.0
    settles_s: float = 0.0
    most: int = 0
    own: list[str] = msgspec.field(default_factory=list)
    arriving: list[str] = msgspec.field(default_factory=list)
    storing: list[str] = msgspec.field(default_factory=list)
