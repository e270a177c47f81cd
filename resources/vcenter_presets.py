"""Loads the presets: named selections of the counters to record from a vCenter
(resources/vcenter/presets.toml).
"""

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
    """vCenter counter names (``group.name.rollup``, with * and ?) by kind of entity."""

    vm: tuple[str, ...] = ()
    host: tuple[str, ...] = ()
    cluster: tuple[str, ...] = ()
    datastore: tuple[str, ...] = ()

    def of(self, kind: str) -> tuple[str, ...]:
        """Return the names for one kind of entity; empty for a kind without counters of its own."""
        names: tuple[str, ...] = getattr(self, kind, ())
        return names


class Preset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named selection of counters to record.

    ``counters``: canonical keys with * and ?. ``without``: vCenter names that are excluded from these.
    ``raw``: vCenter names that are recorded unconverted. ``rollups``: vCenter names recorded as 300 s
    rollups. ``everything``: also record all counters of the server that the catalogue does not know.
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
    """Load the presets by name; one in ``extra_dirs`` replaces ours of the same name. Raises
    KnowledgeError.
    """
    presets: dict[str, Preset] = {}
    for place in knowledge_files("vcenter", extra_dirs):
        for path in place:
            if path.name == _FILE:
                presets.update(checked(read_toml(path), _File, path).presets)
    return presets


def require_preset(name: str, extra_dirs: Sequence[Path] = ()) -> Preset:
    """Return the preset of that name. Raises UsageError if there is none, KnowledgeError for a bad file."""
    presets = load_presets(extra_dirs)
    if name not in presets:
        raise UsageError(f"There is no preset {name!r}.", advice=f"There are {', '.join(sorted(presets))}.")
    return presets[name]
