"""Loads what is asked of vSAN's performance service, and what it means (resources/vcenter/vsan.toml)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from resources.toml_files import checked, knowledge_files, read_toml

__all__ = ["FACTORS", "EntityType", "Metric", "OfDatastore", "VsanService", "load_vsan_service"]

_FILE = "vsan.toml"

Architecture = Literal["OSA", "ESA"]
Conversion = Literal["same", "us_to_ms", "bytes_to_mb", "permille_to_percent"]

FACTORS: dict[Conversion, float] = {
    "same": 1.0,
    "us_to_ms": 0.001,
    "bytes_to_mb": 1.0 / (1 << 20),
    "permille_to_percent": 0.1,
}
"""By what the service's number is multiplied to become the canonical one."""


class Metric(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a label of the service means: a counter of the catalogue, and of which part of its entity."""

    counter: str
    conversion: Conversion = "same"
    part: str = ""

    @property
    def factor(self) -> float:
        """By what the service's number is multiplied."""
        return FACTORS[self.conversion]


class EntityType(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A type of entity that is asked for.

    ``labels`` and, for the express architecture, ``express`` name groups of labels; ``only`` is the one
    architecture that has the type.
    """

    id: str
    title: str
    labels: tuple[str, ...]
    express: tuple[str, ...] = ()
    only: Architecture | None = None


class OfDatastore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A counter of the whole vSAN datastore, computed from ``labels`` of all entities of ``types``.

    ``how``: the highest or the lowest of all; "missed": what is missing to 100 %, weighted by the label
    ``weight``; "skew": the slowest disk over the median of its group or host.
    """

    counter: str
    types: tuple[str, ...]
    labels: tuple[str, ...]
    how: Literal["highest", "lowest", "missed", "skew"]
    title: str
    only: Architecture | None = None
    weight: str = ""


class _Timing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    interval_s: int
    late_s: float
    look_back: int
    piece_s: int
    skew_from_ms: float
    source: str


class VsanService(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"timing": "service"}):
    """All that is known of the service.

    ``timing`` (``service`` in TOML): its interval, how late samples are asked for (s), how many intervals are
    asked again, how much one call asks for (s), from which latency on a disk may be slow (ms).
    """

    timing: _Timing
    labels: dict[str, dict[str, Metric]]
    type: tuple[EntityType, ...]
    datastore: tuple[OfDatastore, ...]

    def types(self, architecture: Architecture) -> list[EntityType]:
        """Return the types that one architecture has."""
        return [one for one in self.type if one.only in (None, architecture)]

    def metrics(self, of: EntityType, architecture: Architecture) -> dict[str, Metric]:
        """Return the metrics of a type by label."""
        groups = of.labels + (of.express if architecture == "ESA" else ())
        return {label: metric for group in groups for label, metric in self.labels[group].items()}

    def of_datastore(self, architecture: Architecture) -> list[OfDatastore]:
        """Return the counters of a datastore of one architecture."""
        return [one for one in self.datastore if one.only in (None, architecture)]


def load_vsan_service(extra_dirs: Sequence[Path] = ()) -> VsanService:
    """Load it; a file of the same name in ``extra_dirs`` replaces ours. Raises KnowledgeError."""
    places = [path for place in knowledge_files("vcenter", extra_dirs) for path in place]
    path = [one for one in places if one.name == _FILE][-1]
    return checked(read_toml(path), VsanService, path)
