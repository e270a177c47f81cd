"""Which guests of a session run in which of its VMs, in sentences; what is only a guess says so."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.current_records import with_current_names
from sessions.guest_vms import vms_of_guests
from sessions.model import EntityRef, SampleSource


@dataclass(frozen=True, slots=True)
class JoinedGuest:
    """A guest, its VM ("" where none can be told), and how that is known."""

    guest: str
    vm: str
    how: str
    is_guess: bool = False

    @property
    def text(self) -> str:
        """The sentence: ``app01 runs in web01, by its UUID``."""
        if not self.vm:
            return f"{self.guest}: no VM of this session is known by its UUID, a MAC address or a disk"
        return f"{self.guest} {'may run' if self.is_guess else 'runs'} in {self.vm}, {self.how}"

    def to_json(self) -> dict[str, object]:
        """Return it as ``info --json`` prints it."""
        return {"guest": self.guest, "vm": self.vm or None, "how": self.how, "is_guess": self.is_guess}


def joined_guests(session: SampleSource) -> list[JoinedGuest]:
    """Return the guests of a session that has VMs as well, by name."""
    facts = (
        session.facts()
    )  # those that ended, too: a vCenter that is not recorded any more told its VMs' UUIDs
    named = with_current_names(session.entities(), facts)
    guests: list[EntityRef] = sorted(ref for ref in named if ref.kind == "guest")
    if not guests or not any(ref.kind == "vm" for ref in named):
        return []
    known = vms_of_guests(named, facts)
    return [
        JoinedGuest(named[ref].name, named[known[ref].vm].name, known[ref].text, known[ref].is_guess)
        if ref in known
        else JoinedGuest(named[ref].name, "", "")
        for ref in guests
    ]
