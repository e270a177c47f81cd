"""Which series somebody means who asks what moved with it: by names, or by a finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from diagnosis.correlation import Question
from resources.failures import NotFoundError
from resources.foreign_text import shown
from sessions.current_records import with_current_names
from sessions.findings import Finding
from sessions.model import Entity, EntityRef, SampleSource, Series

_NAMED = 6
_DEEPEST = 4


def reference_named(session: SampleSource, entity: str, counter: str, instance: str | None = None) -> Series:
    """Return the series of an entity's counter; ``entity`` may be ``kind:name``, case does not matter.

    Of several instances the entity's own one counts, else the one with the highest value; of several sources
    the one with the most samples. A VM's virtual disks, ports and vCPUs count as its own. Raises
    NotFoundError, saying what there is.
    """
    entities = with_current_names(session.entities(), session.facts())
    refs = _called(entities, entity)
    if not refs:
        raise NotFoundError(f"No entity is called {entity!r}.", advice=_like(entities, entity))
    if len(refs) > 1:
        kinds = ", ".join(f"{ref.kind}:{shown(ref.key)}" for ref in refs[:_NAMED])
        raise NotFoundError(
            f"{len(refs)} entities are called {entity!r}.", advice=f"Choose one by kind or key: {kinds}."
        )
    mine = [one for one in session.series() if _belongs(one.entity, refs[0], entities)]
    found = [one for one in mine if one.counter.lower() == counter.lower()]
    if not found:
        alike = sorted({one.counter for one in mine}, key=lambda key: (counter.lower() not in key, key))
        known = ", ".join(alike[:_NAMED])
        raise NotFoundError(
            f"There is no counter {counter!r} of {entity!r}.",
            advice=f"There are: {known} …" if known else "Nothing was measured of it.",
        )
    if instance is not None:
        some = [one for one in found if one.spec.instance.lower() == instance.lower()]
        if not some:
            known = ", ".join(sorted({repr(shown(one.spec.instance)) for one in found})[:_NAMED])
            raise NotFoundError(
                f"{counter} of {entity!r} has no instance {instance!r}.", advice=f"There are: {known}."
            )
        found = some
    return _most_telling(session, found, refs[0])


def _called(entities: Mapping[EntityRef, Entity], text: str) -> list[EntityRef]:
    kind, colon, rest = text.partition(":")
    narrowed = bool(colon) and any(ref.kind == kind for ref in entities)
    wanted = (rest if narrowed else text).lower()
    return sorted(
        ref
        for ref, one in entities.items()
        if (not narrowed or ref.kind == kind) and wanted in (one.name.lower(), ref.key.lower())
    )


def _like(entities: Mapping[EntityRef, Entity], text: str) -> str:
    near = sorted({shown(one.name) for one in entities.values() if text.lower() in one.name.lower()})[:_NAMED]
    return f"There are: {', '.join(near)}." if near else "'hyperscope query S.hscope' lists all."


def _belongs(ref: EntityRef, owner: EntityRef, entities: Mapping[EntityRef, Entity]) -> bool:
    """True for the entity itself, and for what lies in a VM."""
    current: EntityRef | None = ref
    for _ in range(_DEEPEST if owner.kind == "vm" else 1):
        if current == owner:
            return True
        known = entities.get(current) if current is not None else None
        current = known.parent if known else None
    return False


def _most_telling(session: SampleSource, found: Sequence[Series], owner: EntityRef) -> Series:
    own = [one for one in found if one.entity == owner and not one.spec.instance]
    choices = own or [one for one in found if one.entity == owner] or list(found)
    stats = session.stats(np.array([one.id for one in choices], dtype=np.int64))
    if own:
        return choices[int(np.argmax(stats.count))]
    return choices[int(np.argmax(np.nan_to_num(stats.maximum, nan=-np.inf)))]


def question_of_finding(session: SampleSource, finding: Finding, top: int = 20) -> Question:
    """Return the question what moved with a finding: its first measured evidence, in its longest window.

    Raises NotFoundError if no evidence of it was measured.
    """
    window = max(finding.windows, key=lambda one: one.end - one.start, default=None)
    entities: Mapping[EntityRef, Entity] = session.entities()
    mine = [one for one in session.series() if _belongs(one.entity, finding.entity, entities)]
    for evidence in finding.evidence:
        some = [one for one in mine if one.counter == evidence.counter]
        exact = [one for one in some if one.spec.instance == evidence.instance]
        if exact or some:
            return Question(_most_telling(session, exact or some, finding.entity), window, top)
    raise NotFoundError(
        f"No evidence of the finding {shown(finding.title)!r} is a series of its own.",
        advice="Choose a series with --entity and --counter.",
    )
