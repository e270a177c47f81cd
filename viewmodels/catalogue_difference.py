"""What a recorded server's own list of counters has beyond our catalogue, and what it lacks of it."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from resources.catalogue import Catalogue, Counter
from resources.documented_counters import load_documented_counters
from resources.foreign_text import shown
from resources.units import format_count
from sessions.model import Entity, EntityRef, Fact
from sessions.server_counters import ServerCounter, server_counters

_NAMED = 6
_CELL = 120


@dataclass(frozen=True, slots=True)
class CatalogueDifference:
    """The comparison for one server.

    ``defined``: how many counters it defines. ``newer``: those that our catalogue does not know and that
    came after vSphere 6.5; ``older``: those that it does not know and 6.5 already had. ``lacking``: counters
    of ours none of whose vCenter spellings this server defines. ``units``: units that are news to us.
    """

    server: str
    is_vcenter: bool
    defined: int
    newer: Sequence[ServerCounter]
    older: Sequence[ServerCounter]
    lacking: Sequence[Counter]
    units: Sequence[str]

    @property
    def known(self) -> int:
        """How many of its counters our catalogue knows by their meaning."""
        return self.defined - len(self.newer) - len(self.older)

    def to_json(self) -> dict[str, object]:
        """Return the comparison as ``info --json`` has it."""
        return {
            "server": self.server,
            "defined": self.defined,
            "known": self.known,
            "unknown": [_as_json(one, is_newer=True) for one in self.newer]
            + [_as_json(one, is_newer=False) for one in self.older],
            "lacking": [
                {"counter": one.key, "label": one.label, "names": [twin.name for twin in one.vcenter]}
                for one in self.lacking
            ],
            "unknown_units": list(self.units),
        }


def catalogue_differences(
    facts: Iterable[Fact], entities: Mapping[EntityRef, Entity], catalogue: Catalogue
) -> list[CatalogueDifference]:
    """Return the comparison for each server whose list of counters the session has, by name."""
    found = []
    for ref, counters in server_counters(facts).items():
        name = entities[ref].name if ref in entities else ref.key
        found.append(_compared(name, ref.kind == "vcenter", counters, catalogue))
    return sorted(found, key=lambda one: one.server)


def _compared(
    server: str, is_vcenter: bool, counters: Sequence[ServerCounter], catalogue: Catalogue
) -> CatalogueDifference:
    names, documented = {one.name for one in counters}, load_documented_counters()
    unknown = [one for one in counters if not catalogue.vcenter(one.name)]
    kinds = {"host", "vm", "cluster", "datastore"} if is_vcenter else {"host", "vm"}
    lacking = [
        one
        for one in catalogue.counters()
        if any(twin.on in kinds for twin in one.vcenter)
        and not any(twin.name in names for twin in one.vcenter)
    ]
    return CatalogueDifference(
        server,
        is_vcenter,
        len(counters),
        [one for one in unknown if one.name not in documented.names],
        [one for one in unknown if one.name in documented.names],
        lacking,
        sorted({one.unit for one in counters} - documented.units),
    )


def difference_lines(one: CatalogueDifference) -> list[str]:
    """Return the comparison in sentences, with the first names of each kind; JSON has all of them."""
    others = format_count(one.defined - one.known)
    known = format_count(one.known)
    lines = [f"{one.server} defines {_counted(one.defined)}: {known} in our catalogue, {others} not."]
    if one.newer:
        lines.append(
            f"Newer than vSphere 6.5 and unknown to us: {_some([_described(c) for c in one.newer])}."
        )
    if one.older:
        groups = Tally(counter.group for counter in one.older)
        told = ", ".join(f"{group} {format_count(n)}" for group, n in sorted(groups.items()))
        lines.append(f"As old as vSphere 6.5, without a meaning of ours: {told}.")
    if one.lacking:
        told = _some([f"{counter.label} ({counter.vcenter[0].name})" for counter in one.lacking])
        lines.append(f"Of our catalogue it lacks {_counted(len(one.lacking))}: {told}.")
    if one.units:
        lines.append(f"Units that are news to us: {_some(one.units)}; their numbers are kept as they are.")
    if one.newer or one.older:
        lines.append("The preset everything records them, too: as raw/vcenter/NAME, in the server's unit.")
    return lines


def differences_page(differences: Sequence[CatalogueDifference]) -> str:
    """Return the comparison of all servers as a page in Markdown, with every counter."""
    parts = ["# Counters of the recorded servers\n"]
    if not differences:
        parts.append(
            "This session has no server's list of counters. A vCenter or an ESXi host gives it to what is "
            "recorded through its API; esxtop and captures have none, and an older Hyperscope did not keep "
            "it. Connect to a vCenter or a host and record to get it.\n"
        )
    for one in differences:
        parts.append(f"## {_cell(one.server)}\n")
        parts += [f"{_cell(line, 2000)}\n" for line in difference_lines(one)]
        if one.newer:
            parts += ["### Newer than vSphere 6.5, unknown to us\n", _table(one.newer)]
        if one.lacking:
            rows = (
                f"| {c.label} | `{c.key}` | {', '.join(t.name for t in c.vcenter)} |" for c in one.lacking
            )
            head = "| Counter | Key | vCenter calls it |\n| --- | --- | --- |\n"
            parts += ["### Ours that it lacks\n", head + "\n".join(rows) + "\n"]
        if one.older:
            parts += ["### As old as vSphere 6.5, without a meaning of ours\n", _table(one.older)]
    return "\n".join(parts)


def _table(counters: Sequence[ServerCounter]) -> str:
    rows = (
        f"| {_cell(one.name)} | {_cell(one.unit)} | {one.level or ''} | {_cell(one.summary or one.label)} |"
        for one in counters
    )
    return (
        "| Name | Unit | Level | What the server says of it |\n| --- | --- | --- | --- |\n"
        + "\n".join(rows)
        + "\n"
    )


def _cell(text: str, most: int = _CELL) -> str:
    """Foreign text in a page: on one line, without anything that Markdown would take for markup."""
    return "".join(f"\\{sign}" if sign in "\\`*_[]|<>#" else sign for sign in shown(text, most))


def _counted(number: int) -> str:
    return f"{format_count(number)} {'counter' if number == 1 else 'counters'}"


def _described(one: ServerCounter) -> str:
    return f"{one.name} ({one.unit})"


def _some(texts: Sequence[str]) -> str:
    more = len(texts) - _NAMED
    told = ", ".join(texts[:_NAMED])
    return f"{told} and {format_count(more)} more" if more > 0 else told


def _as_json(one: ServerCounter, *, is_newer: bool) -> dict[str, object]:
    return {
        "name": one.name,
        "unit": one.unit,
        "stats": one.stats,
        "level": one.level,
        "device_level": one.device_level,
        "label": one.label,
        "summary": one.summary,
        "newer_than_65": is_newer,
    }
