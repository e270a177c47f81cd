"""Devices and datastores that several hosts share: each is one entity with series of its own from
each host.
"""

from __future__ import annotations

from collections.abc import Mapping

from sessions.model import EntityRef, Series
from viewmodels.snapshot import Snapshot


def is_shared(ref: EntityRef, snapshot: Snapshot) -> bool:
    """True for a device or datastore that belongs to no single host."""
    entity = snapshot.entities.get(ref)
    return ref.kind in {"device", "datastore"} and entity is not None and entity.parent is None


def source_names(snapshot: Snapshot) -> Mapping[int, str]:
    """Return the names of the session's sources by their id."""
    return {source.id: source.spec.name for source in snapshot.sources}


def seen_by(series: Series, names: Mapping[int, str]) -> str:
    """Return the name of the host that measured this series of a shared device.

    A vCenter names the host in the instance; with esxtop each source is one host, so its name in ``names``
    (by source id) is used.
    """
    return series.spec.instance or names.get(series.source, "")
