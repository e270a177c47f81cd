"""Connection profiles, stored in the settings folder without passwords."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec

from app.gui.settings import read_json, write_json
from widgets.connect.values import Profile

_MAX_PROFILES = 50


class Profiles:
    """Keeps profiles in ``profiles.json``, the last used first; a damaged file counts as empty."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "profiles.json"

    def entries(self) -> Sequence[Profile]:
        """Return all profiles, the last used first."""
        try:
            found = msgspec.convert(read_json(self._path).get("profiles", []), list[Profile])
        except msgspec.ValidationError:
            return []
        return [one for one in found if one.name and one.places]

    def used(self, profile: Profile) -> None:
        """Store a profile, or move it to the front; one without a name is named after its servers."""
        named = profile if profile.name else replace(profile, name=profile.label)
        kept = [one for one in self.entries() if one.name != named.name][: _MAX_PROFILES - 1]
        write_json(self._path, {"profiles": msgspec.to_builtins([named, *kept])})

    def forget(self, name: str) -> None:
        """Delete the profile with this name."""
        kept = [one for one in self.entries() if one.name != name]
        write_json(self._path, {"profiles": msgspec.to_builtins(kept)})
