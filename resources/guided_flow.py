"""The guided troubleshooting as knowledge: its questions in their order, and what to do where and how.

``troubleshooting/flow.toml`` names the questions (rows) and the problem cards that answer each;
``troubleshooting/ways.toml`` gives the setting in the vSphere Client, the PowerCLI line and the esxcli line
for steps of the cards' causes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Literal

import msgspec

from resources.problem_cards import Problems, load_problems
from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml

FOLDER = "troubleshooting"
_FLOW, _WAYS = "flow.toml", "ways.toml"
_PLACE = re.compile(r"\{(\w+)\}")
PLACES = ("vm", "host", "pool", "cluster", "device", "datastore", "nic")
"""What a line to copy may name in {braces}."""
Group = Literal["first", "definite", "probable", "later"]


class SourcedNumber(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number with its unit and who says so."""

    value: float
    unit: str
    source: str


class Numbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long is looked at (seconds), and when a problem is one of bursts: from so many on, with at least
    this part (0 to 1) of the time between them.
    """

    normal_s: SourcedNumber
    context_s: SourcedNumber
    least_overlap_s: SourcedNumber
    verify_s: SourcedNumber
    verify_least_s: SourcedNumber
    verify_patience: SourcedNumber
    settle_s: SourcedNumber
    change_before_s: SourcedNumber
    bursts_least: SourcedNumber
    calm_part: SourcedNumber


class Noticed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody can have noticed; ``rows`` are looked at first where problems are equally bad."""

    id: str
    title: str
    rows: list[str]
    source: str


class RowGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A group of rows with its heading."""

    id: Group
    title: str


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question of the guide, with the problems that answer it.

    ``of`` are the kinds of entities that can have the symptom; for others the row is not applicable, and
    ``otherwise`` says why. ``not_load`` are the parts of the load (comparison/rules.toml) that its problems
    change themselves: they don't tell whether the load was the same. ``takes_away`` are those of its problems
    that only ever take them away: once such a problem is gone, what is used can only be more, so that less of
    it is less work. ``guide`` is its place in VMware's guide, empty for a question of our own.
    """

    id: str
    group: Group
    title: str
    guide: str
    problems: list[str]
    of: list[str]
    source: str
    otherwise: str = ""
    not_load: list[str] = msgspec.field(default_factory=list)
    takes_away: list[str] = msgspec.field(default_factory=list)


class Flow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The whole flow. ``counted`` says what a number without a unit counts, ``well`` what is said of a check
    that found nothing and has no number to tell; both by problem.
    """

    kinds: list[str]
    setting_counters: list[str]
    identity_facts: list[str]
    setting_facts: list[str]
    counted: dict[str, str]
    well: dict[str, str]
    numbers: Numbers
    symptoms: list[Noticed]
    groups: list[RowGroup]
    rows: list[Row]

    @cached_property
    def row_of(self) -> Mapping[str, Row]:
        """The row of each problem."""
        return {problem: row for row in self.rows for problem in row.problems}

    def noticed(self, symptom: str) -> Noticed | None:
        """Return what can have been noticed by its id; None if there is no such id."""
        return next((one for one in self.symptoms if one.id == symptom), None)


class Way(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a step is done. ``steps`` are those that it does: ``problem/cause:number``, counted from 1.

    ``seen_by`` are facts of an inventory and counters that show the setting: a change of one of them says
    that the step was done. ``client`` is the path in the vSphere Client. ``powercli`` and ``esxcli`` may name
    what the problem is of in {braces} (``PLACES``).
    """

    id: str
    steps: list[str]
    source: str
    client: str = ""
    powercli: str = ""
    esxcli: str = ""
    seen_by: list[str] = msgspec.field(default_factory=list)


class _WayFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    sources: dict[str, str]
    ways: list[Way]


class Ways:
    """The ways by the step that they do."""

    def __init__(self, ways: Sequence[Way], sources: Mapping[str, str]) -> None:
        self.every, self.sources = tuple(ways), dict(sources)
        self._by_step = {step: way for way in ways for step in way.steps}

    def of(self, problem: str, cause: str, number: int) -> Way | None:
        """Return how the cause's step of this number (from 1) is done; None if that is not known."""
        return self._by_step.get(f"{problem}/{cause}:{number}")


@cache
def load_flow() -> Flow:
    """Load the flow. Raises KnowledgeError if a problem belongs to no row, or to two."""
    path = RESOURCES / FOLDER / _FLOW
    flow = checked(read_toml(path), Flow, path)
    _check_flow(flow, load_problems(), path)
    return flow


@cache
def load_ways() -> Ways:
    """Load the ways. Raises KnowledgeError for a step that no card has, or that two ways do."""
    path = RESOURCES / FOLDER / _WAYS
    found = checked(read_toml(path), _WayFile, path)
    _check_ways(found, load_problems(), path)
    return Ways(found.ways, found.sources)


def _check_flow(flow: Flow, problems: Problems, path: Path) -> None:
    placed = [problem for row in flow.rows for problem in row.problems]
    known = {card.id for card in problems.cards}
    for problem in sorted({*placed} ^ known):
        what = "is in no row" if problem in known else "is no problem card"
        raise knowledge_error(path, "rows", f"{problem} {what}")
    twice = sorted({one for one in placed if placed.count(one) > 1})
    if twice:
        raise knowledge_error(path, "rows", f"{twice[0]} is in two rows")
    rows = {row.id for row in flow.rows}
    for symptom in flow.symptoms:
        if unknown := sorted({*symptom.rows} - rows):
            raise knowledge_error(path, f"symptom {symptom.id}", f"there is no row {unknown[0]}")
    for row in flow.rows:
        if {*flow.kinds} - {*row.of} and not row.otherwise:
            raise knowledge_error(path, f"row {row.id}", "it does not say why it is not for all kinds")


def _check_ways(found: _WayFile, problems: Problems, path: Path) -> None:
    steps = {
        f"{card.id}/{cause.id}:{number}"
        for card in problems.cards
        for cause in card.causes
        for number in range(1, len(cause.remedies) + 1)
    }
    done: set[str] = set()
    for way in found.ways:
        entry = f"way {way.id}"
        for step in way.steps:
            if step not in steps:
                raise knowledge_error(path, entry, f"no card has the step {step}")
            if step in done:
                raise knowledge_error(path, entry, f"another way does {step}, too")
            done.add(step)
        for line in (way.powercli, way.esxcli):
            if unknown := {*_PLACE.findall(line)} - {*PLACES}:
                raise knowledge_error(path, entry, f"a line names {min(unknown)}, which nobody knows")
        if way.source.partition(":")[0].split()[0].rstrip(";") not in found.sources:
            raise knowledge_error(path, entry, f"its source {way.source!r} begins with no known tag")
        if not (way.client or way.powercli or way.esxcli):
            raise knowledge_error(path, entry, "it says neither where nor how")
