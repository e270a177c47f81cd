"""Devices and datastores that hosts share: one entity, of which each host has series of its own."""

from __future__ import annotations

from collections.abc import Mapping

from sessions.model import EntityRef, Series
from viewmodels.snapshot import Snapshot


def is_shared(ref: EntityRef, snapshot: Snapshot) -> bool:
    """Whether this is a device or datastore that belongs to no single host."""
    entity = snapshot.entities.get(ref)
    return ref.kind in {"device", "datastore"} and entity is not None and entity.parent is None


def source_names(snapshot: Snapshot) -> Mapping[int, str]:
    """What the sources are called, by their id."""
    return {source.id: source.spec.name for source in snapshot.sources}


def seen_by(series: Series, names: Mapping[int, str]) -> str:
    """The name of the host whose view of a shared device this series is.

    vCenter names the host in the instance; of esxtop each source is one host. ``names``: of the sources.
    """
    return series.spec.instance or names.get(series.source, "")
