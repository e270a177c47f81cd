"""What a guided test can act on from this window: the lab, the vCenter that is recorded, guests over ssh."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.gui.session_model import SessionModel
from resources.guided_tests import GuidedTest
from wizards.flows.cards import Connected, Reach

__all__ = ["Place", "Reach", "TestPlaces"]


@dataclass(frozen=True, slots=True)
class Place:
    """What a test acts on: a lab, a vCenter with the names of the VMs whose guests are entered and the
    account there, or guests over ssh. Guests that nobody named yet have no addresses.
    """

    addresses: tuple[str, ...]
    workers: tuple[str, ...] = ()
    guest_user: str = ""

    @property
    def reach(self) -> Reach:
        """How it is reached."""
        if not self.addresses:
            return "ssh"
        scheme = self.addresses[0].partition(":")[0]
        return "lab" if scheme == "lab" else "ssh" if scheme == "ssh" else "vcenter"


class TestPlaces:
    """Where tests can be run. ``lab`` is the chosen lab, ``guest_user`` the account of guests that was named
    last. ``recorded_address`` returns the address, with its user, of the vCenter from which the open session
    is recorded, empty if this window does not know it.
    """

    __test__ = False  # pytest: this is none of its tests

    def __init__(self, session: SessionModel) -> None:
        self._session = session
        self.lab = "lab:default"
        self.guest_user = ""
        self.recorded_address: Callable[[], str] = lambda: ""

    @property
    def connected(self) -> Connected:
        """What the open session is connected to: the lab, or a vCenter whose address this user has."""
        snapshot = self._session.whole
        if snapshot is None:
            return Connected("")
        kinds = {one.spec.kind: one for one in reversed(snapshot.sources)}  # the first, not its rollups
        reach: Reach = "lab" if "lab" in kinds else "vcenter" if "vcenter" in kinds else ""
        if reach == "vcenter" and not self.recorded_address():
            return Connected(
                ""
            )  # a file of somebody else's: nobody knows the account, so it can't be acted on
        name = "The lab" if reach == "lab" else kinds[reach].spec.name if reach == "vcenter" else ""
        return Connected(reach, name)

    def reaches(self, test: GuidedTest) -> list[Reach]:
        """Return how what a test can act on is reached from here, the nearest first."""
        others: list[Reach] = ["ssh", "lab"]
        every = dict.fromkeys((self.connected.reach, *others))
        return [one for one in every if one and one in test.environments]

    def place(self, reach: Reach) -> Place:
        """Return what a test acts on before anything was chosen."""
        if reach == "lab":
            return Place((self.lab,))
        if reach == "ssh":
            return Place(())
        return Place((self.recorded_address() or f"vcenter://{self.connected.name}",))
