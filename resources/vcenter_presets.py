"""Loads what a recording of vCenter asks for: named presets of counters (resources/vcenter/presets.toml)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from resources.failures import UsageError
from resources.toml_files import checked, knowledge_files, read_toml

__all__ = ["DEFAULT_PRESET", "Preset", "load_presets", "require_preset"]

DEFAULT_PRESET = "troubleshooting"
_FILE = "presets.toml"


class ByKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """vCenter names (``group.name.rollup``, with * and ?) by kind of entity."""

    vm: tuple[str, ...] = ()
    host: tuple[str, ...] = ()
    cluster: tuple[str, ...] = ()
    datastore: tuple[str, ...] = ()

    def of(self, kind: str) -> tuple[str, ...]:
        """The names for one kind; none for a kind that has no counters of its own."""
        names: tuple[str, ...] = getattr(self, kind, ())
        return names


class Preset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named choice of counters.

    ``counters``: canonical keys with * and ?. ``without``: vCenter names that are left out all the same.
    ``raw``: vCenter names kept with vCenter's number. ``rollups``: names of the 300 s rollups.
    ``everything``: also whatever the server defines beyond the catalogue.
    """

    title: str
    source: str
    counters: tuple[str, ...]
    without: tuple[str, ...] = ()
    raw: ByKind = ByKind()
    rollups: ByKind = ByKind()
    everything: bool = False


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    presets: dict[str, Preset]


def load_presets(extra_dirs: Sequence[Path] = ()) -> dict[str, Preset]:
    """The presets by name; one in a later place replaces the shipped one. Raises KnowledgeError."""
    presets: dict[str, Preset] = {}
    for place in knowledge_files("vcenter", extra_dirs):
        for path in place:
            if path.name == _FILE:
                presets.update(checked(read_toml(path), _File, path).presets)
    return presets


def require_preset(name: str, extra_dirs: Sequence[Path] = ()) -> Preset:
    """The preset of that name. Raises UsageError for one that there is not, KnowledgeError."""
    presets = load_presets(extra_dirs)
    if name not in presets:
        raise UsageError(f"There is no preset {name!r}.", advice=f"There are {', '.join(sorted(presets))}.")
    return presets[name]
