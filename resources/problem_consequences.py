"""The rows of resources/problems/_consequences.toml: which problem explains which."""

from __future__ import annotations

from typing import Literal

import msgspec

Relation = Literal["same", "host", "host_of", "on_host", "pool", "cluster", "user", "part", "stored", "way"]


class Consequence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An upstream problem that explains a downstream one at the same time.

    ``relation``: ``same`` entity; ``host``: the upstream entity is the host of the downstream one;
    ``host_of``: the other way round; ``on_host``: two entities of one host; ``pool``: the upstream entity is
    a resource pool that the downstream one is in; ``cluster``: the downstream entity is the cluster that the
    upstream one's host is in; ``user``: the upstream entity is a VM with disks on the downstream one;
    ``part``: the upstream entity is a host or disk that a vSAN datastore, the downstream one, is made of;
    ``stored``: the upstream entity is a datastore on which the downstream one, a VM, has disks, or which lies
    on the downstream one, a device; ``way``: both are devices over one bad way, and the upstream one tells
    what they share. At least the part ``overlap`` (0
    to 1) of the downstream windows must lie in the upstream windows, widened by ``within_s`` seconds.
    ``causes``: the downstream finding's first cause must be one of these (empty: any); ``unless``: it must be
    none of these. ``upstream_causes``: so must the upstream finding's be one of these.
    """

    upstream: str
    downstream: str
    relation: Relation
    because: str
    source: str
    overlap: float = 0.5
    within_s: float = 120.0
    causes: list[str] = msgspec.field(default_factory=list)
    unless: list[str] = msgspec.field(default_factory=list)
    upstream_causes: list[str] = msgspec.field(default_factory=list)
