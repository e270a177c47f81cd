"""Failures of guest operations: a guest that is busy is no failure but "try again"."""

from __future__ import annotations

from dataclasses import dataclass

from connections.address import Address
from connections.vsphere.faults import NotAllowedError, SoapFault
from resources.failures import LoginError, SourceError, TimedOutError
from resources.foreign_text import shown
from resources.vcenter_acting import load_acting


class GuestBusyError(TimedOutError):
    """VMware Tools do not answer now: they start, are busy, or were asked too often. Never: it died."""


class NoGuestFileError(SourceError):
    """The guest has no such file or folder."""


class GuestFileThereError(SourceError):
    """The guest already has a file or folder of that name."""


@dataclass(frozen=True, slots=True)
class _Meaning:
    """The error to raise for a fault; ``{guest}`` and ``{what}`` are filled in."""

    error: type[SourceError]
    happened: str
    meaning: str = ""
    advice: str = ""


_LOGIN = _Meaning(
    LoginError,
    "{guest} does not let the user in: wrong user name or password.",
    "It is the guest's own account, not vCenter's.",
    "Check it at the guest's console; on Windows take another account than Administrator.",
)
_OFF = _Meaning(SourceError, "{guest} is not running: {what}.", "", "Power it on, and wait for VMware Tools.")
_NO_FILE = _Meaning(NoGuestFileError, "{guest} has no such file: {what}.")
_MEANINGS = {
    "InvalidGuestLogin": _LOGIN,
    "GuestAuthenticationChallenge": _LOGIN,
    "FileNotFound": _NO_FILE,
    "NotADirectory": _NO_FILE,
    "FileAlreadyExists": _Meaning(GuestFileThereError, "{guest} already has such a file: {what}."),
    "InvalidPowerState": _OFF,
    "InvalidState": _OFF,
    "GuestPermissionDenied": _Meaning(
        SourceError,
        "The user may not do this in {guest}: {what}.",
        "The guest's operating system refuses it to this account.",
        "Use an account of the guest that may write to its disks.",
    ),
}


def guest_failure(error: SourceError, what: str, guest: str, address: Address) -> SourceError:
    """Return the error to raise for one that a guest operation ended with; ``guest`` is the VM's name."""
    if isinstance(error, NotAllowedError):
        return NotAllowedError(
            f"{address.user} may not use guest operations on {guest}: {what}.",
            meaning=error.meaning,
            advice="Give the account VirtualMachine.GuestOperations.Query, .Modify and .Execute there.",
            moid=error.moid,
        )
    if not isinstance(error, SoapFault):
        return error
    known, said = load_acting().guests, shown(error.text)
    if error.type_name in known.busy or any(text in error.text for text in known.busy_texts):
        return GuestBusyError(
            f"VMware Tools in {guest} do not answer now: {what}.",
            meaning=f"They start, are busy, or do not run. vCenter says: {said}",
            advice="Wait a minute; if it lasts, restart VMware Tools in the guest.",
        )
    found = _MEANINGS.get(error.type_name)
    if found is not None:
        happened = found.happened.format(guest=guest, what=what)
        return found.error(happened, meaning=found.meaning, advice=found.advice)
    return SoapFault(
        f"{guest} refused {what} ({error.type_name}){': ' + said if said else '.'}",
        type_name=error.type_name,
        text=error.text,
        detail=error.detail,
    )
