"""Connection profiles, stored in the settings folder without passwords."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from app.gui.json_files import change_json, read_json
from widgets.connect.values import Profile

_MAX_PROFILES = 50


class Profiles:
    """Keeps profiles in ``profiles.json``, the last used first; a damaged file counts as empty."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "profiles.json"

    def entries(self) -> Sequence[Profile]:
        """Return all profiles, the last used first."""
        return _profiles(read_json(self._path))

    def used(self, profile: Profile) -> None:
        """Store a profile, or move it to the front; one without a name is named after its servers."""
        named = profile if profile.name else replace(profile, name=profile.label)
        self._change(lambda known: [named, *(one for one in known if one.name != named.name)])

    def forget(self, name: str) -> None:
        """Delete the profile with this name."""
        self._change(lambda known: [one for one in known if one.name != name])

    def _change(self, change: Callable[[list[Profile]], list[Profile]]) -> None:
        def changed(stored: dict[str, Any]) -> dict[str, Any]:
            return {"profiles": msgspec.to_builtins(change(_profiles(stored))[:_MAX_PROFILES])}

        change_json(self._path, changed)


def _profiles(stored: dict[str, Any]) -> list[Profile]:
    try:
        found = msgspec.convert(stored.get("profiles", []), list[Profile])
    except msgspec.ValidationError:
        return []
    return [one for one in found if one.name and one.places]
