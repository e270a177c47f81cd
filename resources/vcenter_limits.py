"""Loads the limits for queries to a vCenter (resources/vcenter/limits.toml)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from resources.toml_files import checked, knowledge_files, read_toml

__all__ = ["QueryLimits", "load_limits"]

_FILE = "limits.toml"


class QueryLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits for performance queries; the file says where each number comes from. ``…_s`` are seconds.

    ``elements``: XML elements of a request or reply. ``entities``: entities in one query.
    ``default_query_metrics``: metrics in a query if the server names no limit; ``cluster_query_metrics``: the
    same for clusters. ``workers``: queries at the same time, one for each ``entities_per_worker``.
    ``sampled``: entities of a kind whose available counters are asked for, again every ``resample_s``.
    ``realtime_s``: how long hosts keep samples. ``look_back_s``: how far back late samples are queried.
    ``join_s``: how often new entities are added. ``max_lag_s``: how late a sample may come. ``refused_s``:
    pause after a refused login. ``clock_jump_s``: from this difference on, a server's clock was set and did
    not drift. ``history_tries``: how often a part of the history is requested.
    """

    elements: int
    entities: int
    default_query_metrics: int
    cluster_query_metrics: int
    workers: int
    entities_per_worker: int
    sampled: int
    resample_s: float
    realtime_s: float
    look_back_s: float
    join_s: float
    max_lag_s: float
    refused_s: float
    clock_jump_s: float
    history_tries: float


class _Number(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    value: float
    source: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    limits: dict[str, _Number]


def load_limits(extra_dirs: Sequence[Path] = ()) -> QueryLimits:
    """Load the limits; a limit of the same name in ``extra_dirs`` replaces ours. Raises KnowledgeError."""
    values: dict[str, object] = {}
    origin = Path(_FILE)
    for place in knowledge_files("vcenter", extra_dirs):
        for origin in (path for path in place if path.name == _FILE):
            numbers = checked(read_toml(origin), _File, origin).limits
            values.update({name: _whole(number.value) for name, number in numbers.items()})
    return checked(values, QueryLimits, origin)


def _whole(value: float) -> float:
    return int(value) if value.is_integer() else value
