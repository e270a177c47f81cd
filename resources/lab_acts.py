"""What an admin can do to the running lab, in the place of the vSphere Client (lab/site/acts.toml)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Literal

import msgspec

from resources.failures import NotFoundError
from resources.foreign_text import shown
from resources.problem_cards import load_problems
from resources.toml_files import RESOURCES, checked, knowledge_error, read_toml

Target = Literal["vm", "vm_disks", "vm_vcpus", "vm_pool", "busiest_disk", "busiest_sender", "jobs"]

_KINDS: dict[Target, tuple[str, ...]] = {
    "busiest_disk": ("vm", "device", "datastore"),
    "busiest_sender": ("vm", "host", "nic"),
    "jobs": ("vm", "host"),
}
"""About which kinds of entities an act can be done; else about a VM."""


class LabAct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One act: ``steps`` of problem cards that it does (``problem/cause:number``), and to whom (``of``).

    ``sets`` is the parameter of the physics that becomes ``to``; empty for an act that is more than that.
    ``event`` is the kind of event that a vCenter would record, with the text ``said``; empty where no source
    sees it.
    """

    id: str
    title: str
    steps: list[str]
    of: Target
    said: str
    sets: str = ""
    to: float = 0.0
    event: str = ""

    def is_for(self, kind: str) -> bool:
        """Return True if it can be done about an entity of this kind."""
        return kind in _KINDS.get(self.of, ("vm",))


class LabCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A case to practise on: a scenario of the lab with the seed of its datacenter, and what it is about."""

    scenario: str
    seed: int
    title: str


class _ActFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cases_minutes: int
    goes_on_s: float
    acts: list[LabAct]
    cases: list[LabCase]


class LabActs:
    """All acts, and the ``cases`` to practise them on.

    ``goes_on_s`` is how long (s) the lab goes on after an act, at least; ``cases_minutes`` how long a case
    is recorded if nobody stops it.
    """

    def __init__(
        self, acts: Sequence[LabAct], cases: Sequence[LabCase], goes_on_s: float, cases_minutes: int
    ) -> None:
        self.every, self.cases = tuple(acts), tuple(cases)
        self.goes_on_s, self.cases_minutes = goes_on_s, cases_minutes

    def of(self, problem: str, cause: str, number: int) -> tuple[LabAct, ...]:
        """Return the acts that do the cause's step of this number (from 1): none, one, or a choice."""
        step = f"{problem}/{cause}:{number}"
        return tuple(one for one in self.every if step in one.steps)

    def address_of(self, case: LabCase, fields: str) -> str:
        """Return the address from which a case is recorded, with a set of counters."""
        return f"lab:{case.scenario}?seed={case.seed}&fields={fields}&minutes={self.cases_minutes}"

    def called(self, name: str) -> LabAct:
        """Return an act by its id. Raises NotFoundError that says which there are."""
        found = next((one for one in self.every if one.id == name), None)
        if found is None:
            raise NotFoundError(
                f"The lab can't do {shown(name, 60)!r}.",
                advice=f"It can do {', '.join(one.id for one in self.every)}.",
            )
        return found


@cache
def load_lab_acts() -> LabActs:
    """Load the acts. Raises KnowledgeError for a step that no card has."""
    path = RESOURCES / "lab" / "site" / "acts.toml"
    found = checked(read_toml(path), _ActFile, path)
    steps = {
        f"{card.id}/{cause.id}:{number}"
        for card in load_problems().cards
        for cause in card.causes
        for number in range(1, len(cause.remedies) + 1)
    }
    for act in found.acts:
        if unknown := sorted({*act.steps} - steps):
            raise knowledge_error(path, f"act {act.id}", f"no card has the step {unknown[0]}")
    return LabActs(found.acts, found.cases, found.goes_on_s, found.cases_minutes)
