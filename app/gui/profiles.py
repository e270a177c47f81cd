"""Connections that are kept under a name, in the settings folder; passwords are never among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from app.gui.settings import read_json, write_json
from widgets.connect.values import Profile

_MAX_PROFILES = 50


class Profiles:
    """Keeps ``profiles.json``; the one that was used last comes first. A damaged file has none."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "profiles.json"

    def entries(self) -> Sequence[Profile]:
        """All profiles, the one used last first."""
        try:
            found = msgspec.convert(read_json(self._path).get("profiles", []), list[Profile])
        except msgspec.ValidationError:
            return []
        return [one for one in found if one.name and one.places]

    def used(self, profile: Profile) -> None:
        """Keep a profile, or put a known one first; one without a name is called after its places."""
        named = profile if profile.name else replace(profile, name=profile.words)
        kept = [one for one in self.entries() if one.name != named.name][: _MAX_PROFILES - 1]
        write_json(self._path, {"profiles": msgspec.to_builtins([named, *kept])})

    def forget(self, name: str) -> None:
        """Keep it no longer."""
        kept = [one for one in self.entries() if one.name != name]
        write_json(self._path, {"profiles": msgspec.to_builtins(kept)})
