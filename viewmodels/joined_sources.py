"""What several sources say of one entity: how it was recognised in them."""

from __future__ import annotations

from sessions.current_records import with_current_names
from sessions.model import EntityRef, SampleSource

_JOINED_BY = "joined_by"
_GUESS = "guess"


def guessed_names(session: SampleSource) -> list[str]:
    """Return the names of the VMs that were recognised by their names alone."""
    facts = session.facts()
    known = {fact.entity: str(fact.value) for fact in facts if fact.name == _JOINED_BY and fact.end is None}
    guessed: list[EntityRef] = [ref for ref, how in known.items() if how.endswith(_GUESS)]
    if not guessed:
        return []
    named = with_current_names(session.entities(), facts)
    return sorted(named[ref].name if ref in named else ref.key for ref in guessed)
