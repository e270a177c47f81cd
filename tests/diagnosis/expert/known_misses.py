"""What the product does not judge as the expert does yet: ``known_misses.toml``, each with its reason."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Sequence
from functools import cache

import msgspec

from tests.diagnosis.expert.judging import FOLDER


class Miss(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Claims of one scenario that the product does not meet, and why as far as can be seen."""

    scenario: str
    view: str
    claims: tuple[str, ...]
    why: str


def _read() -> list[Miss]:
    document = tomllib.loads((FOLDER / "known_misses.toml").read_text(encoding="utf-8"))
    return msgspec.convert(document.get("miss", []), list[Miss])


@cache
def known_misses() -> dict[tuple[str, str], dict[str, str]]:
    """The reason of each known miss by claim, for each scenario and view."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for one in _read():
        found.setdefault((one.scenario, one.view), {}).update(dict.fromkeys(one.claims, one.why))
    return found


def take_off(mended: Collection[tuple[str, str, str]]) -> None:
    """Write the file again without these claims (scenario, view, claim)."""
    path = FOLDER / "known_misses.toml"
    head = path.read_text(encoding="utf-8").partition("[[miss]]")[0]
    kept: list[str] = []
    for one in _read():
        left = [key for key in one.claims if (one.scenario, one.view, key) not in mended]
        if left:
            kept.append(_as_toml(one, left))
    path.write_text(head + "\n".join(kept), encoding="utf-8")


def _as_toml(one: Miss, left: Sequence[str]) -> str:
    quoted = [json.dumps(key, ensure_ascii=False) for key in left]
    claims = quoted[0] if len(quoted) == 1 else "\n" + "".join(f"    {key},\n" for key in quoted)
    why = json.dumps(one.why, ensure_ascii=False)
    return f'[[miss]]\nscenario = "{one.scenario}"\nview = "{one.view}"\nclaims = [{claims}]\nwhy = {why}\n'
