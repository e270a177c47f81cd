"""Loads how much a vCenter is asked at once (resources/vcenter/limits.toml)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from resources.toml_files import checked, knowledge_files, read_toml

__all__ = ["QueryLimits", "load_limits"]

_FILE = "limits.toml"


class QueryLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Numbers and seconds; the file says where each comes from.

    ``elements``: XML elements of a request or reply. ``entities``: in one query. ``default_query_metrics``:
    where the server does not say. ``cluster_query_metrics``: of one cluster. ``workers``: queries at a time,
    one for each ``entities_per_worker``. ``sampled``: entities whose available counters stand for their
    kind, asked again every ``resample_s``. ``realtime_s``: how long hosts keep samples. ``look_back_s``: how
    long a late sample is waited for. ``join_s``: how often new entities are taken in. ``max_lag_s``: how
    long after its instant a sample is waited for. ``refused_s``: rest after a refused login.
    ``clock_jump_s``: from when on a server's clock was set, and did not drift. ``history_tries``: how often
    a part of the history is asked for.
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
    """The shipped limits, each replaced by one of the same name in ``extra_dirs``. Raises KnowledgeError."""
    values: dict[str, object] = {}
    origin = Path(_FILE)
    for place in knowledge_files("vcenter", extra_dirs):
        for origin in (path for path in place if path.name == _FILE):
            numbers = checked(read_toml(origin), _File, origin).limits
            values.update({name: _whole(number.value) for name, number in numbers.items()})
    return checked(values, QueryLimits, origin)


def _whole(value: float) -> float:
    return int(value) if value.is_integer() else value
