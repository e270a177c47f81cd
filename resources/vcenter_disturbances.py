"""Loads which events of a vCenter spoil a measurement (resources/vcenter/disturbances.toml)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml

DISTURBANCES_FILE = RESOURCES / "vcenter" / "disturbances.toml"


class _Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: str
    source: str
    types: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    by_others: bool = False
    text: str = ""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    disturbance: tuple[_Row, ...]


@dataclass(frozen=True, slots=True)
class DisturbanceKind:
    """What an event means for a measurement. ``by_others``: only if another account did it.

    ``text`` is what the event's text must match, None for any.
    """

    kind: str
    by_others: bool
    text: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Disturbances:
    """The checked content of disturbances.toml: kinds by event type, and by a TaskEvent's method."""

    events: Mapping[str, DisturbanceKind]
    tasks: Mapping[str, DisturbanceKind]


@cache
def load_disturbances(path: Path = DISTURBANCES_FILE) -> Disturbances:
    """Load and check disturbances.toml. Raises KnowledgeError."""
    events: dict[str, DisturbanceKind] = {}
    tasks: dict[str, DisturbanceKind] = {}
    for row in checked(read_toml(path), _File, path).disturbance:
        try:
            pattern = re.compile(row.text) if row.text else None
        except re.error as error:
            raise knowledge_error(path, row.text, f"is no regular expression: {error}") from error
        kind = DisturbanceKind(row.kind, row.by_others, pattern)
        for known, names in ((events, row.types), (tasks, row.tasks)):
            for name in names:
                if name in known:
                    raise knowledge_error(path, name, "is there twice")
                known[name] = kind
    return Disturbances(events, tasks)
