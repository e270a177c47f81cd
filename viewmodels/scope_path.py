"""The path of a scope: ``esx03.lab › db-prod › vCPU 2``, each step with the entities that it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from resources.foreign_text import shown
from sessions.model import EntityRef
from sessions.scope import Scope
from sessions.times import TimeRange
from viewmodels.carriers import owners_during
from viewmodels.entity_names import NAMELESS, entity_name
from viewmodels.entity_words import counted
from viewmodels.snapshot import Snapshot

EVERYTHING = "Everything"
_NAME = 80
_MAX_NAMED = 2
_DEEPEST = 6  # a session is untrusted: its parents may form a circle
_SHOWN_ABOVE = frozenset({"host", "vm", "adapter"})
"""The kinds that stand before a part in its path; clusters and pools would only make it long."""


@dataclass(frozen=True, slots=True)
class PathStep:
    """A step of the path: its ``text``, and the entities to look at when it is clicked (none: everything).

    ``joint`` stands before it: ``›`` after what it is in, ``on`` before what it is on, ``,`` in a list.
    """

    text: str
    refs: tuple[EntityRef, ...] = ()
    joint: Literal["", "›", "on", ","] = ""


def scope_path(scope: Scope, snapshot: Snapshot) -> Sequence[PathStep]:
    """Return the steps for the entities of a scope: a path, two names, or ``3 VMs on esx03.lab``."""
    window = scope.window_in(snapshot.span)
    refs = scope.entities
    if not refs:
        return (PathStep(EVERYTHING),)
    if len(refs) == 1:
        return _path_of(refs[0], snapshot, window)
    above = [one for one in _shared_above(refs, snapshot, window) if one not in refs]
    ends = [PathStep(_text(one, snapshot), (one,), "on") for one in above]
    if len(refs) <= _MAX_NAMED:
        names = (_text(ref, snapshot) for ref in refs)
        return [
            *(
                PathStep(name, (ref,), "," if at else "")
                for at, (ref, name) in enumerate(zip(refs, names, strict=True))
            ),
            *ends,
        ]
    return [PathStep(counted(refs), refs), *ends]


def path_text(ref: EntityRef, snapshot: Snapshot, window: TimeRange | None = None) -> str:
    """Return the path of one entity as text: ``esx03.lab › db-prod › vCPU 2``."""
    return " › ".join(step.text for step in _path_of(ref, snapshot, window))


def text_of(steps: Sequence[PathStep]) -> str:
    """Return a path as one text."""
    return "".join(f"{_JOINTS[step.joint]}{step.text}" for step in steps)


_JOINTS = {"": "", "›": " › ", "on": " on ", ",": ", "}


def ancestors(ref: EntityRef, snapshot: Snapshot, window: TimeRange | None) -> list[EntityRef]:
    """Return what an entity is in, the nearest first: its VM, the host where that was last in the window."""
    found: list[EntityRef] = []
    current: EntityRef | None = ref
    while current is not None and len(found) < _DEEPEST:
        around = owners_during(current, snapshot, window)
        owners = [one for one in around if one in snapshot.entities and one.kind != "pool"]
        hosts = [one for one in owners if one.kind == "host"]
        nearest = hosts or owners
        current = nearest[-1] if nearest else None
        if current is None or current in found or current == ref:
            break
        found.append(current)
    return found


def _path_of(ref: EntityRef, snapshot: Snapshot, window: TimeRange | None) -> list[PathStep]:
    above = [one for one in reversed(ancestors(ref, snapshot, window)) if one.kind in _SHOWN_ABOVE]
    return [PathStep(_text(one, snapshot), (one,), "›" if at else "") for at, one in enumerate([*above, ref])]


def _shared_above(refs: Sequence[EntityRef], snapshot: Snapshot, window: TimeRange | None) -> list[EntityRef]:
    """Return the nearest VM or host that all the entities are in; empty if they share none."""
    first, *others = refs
    shared = [one for one in ancestors(first, snapshot, window) if one.kind in {"vm", "host"}]
    for ref in others:
        if not shared:
            break  # as a rule at the second of thousands
        above = ancestors(ref, snapshot, window)
        shared = [one for one in shared if one in above]
    return shared[:1]


def _text(ref: EntityRef, snapshot: Snapshot) -> str:
    name = snapshot.name(ref) if ref.kind == "host" else entity_name(ref, snapshot).own
    return shown(name, _NAME) or NAMELESS
