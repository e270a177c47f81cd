"""Refusals of a vCenter to change something, as our failures: what they mean, and what to try."""

from __future__ import annotations

from collections.abc import Mapping

from connections.address import Address
from connections.vsphere.faults import NotAllowedError, SoapFault, soap_error
from resources.failures import SourceError, TimedOutError
from resources.foreign_text import shown
from resources.vcenter_acting import load_acting


class OutcomeUnknownError(TimedOutError):
    """The connection broke while a change was made, and it could not be found out whether it holds."""


def outcome_unknown(what: str, address: Address) -> OutcomeUnknownError:
    """Return the error for a change whose reply was lost and that can't be found in the server."""
    return OutcomeUnknownError(
        f"Whether {address.place} did {what} is not known.",
        meaning="The connection broke while it was asked to; no task and no setting shows that it did.",
        advice="Look at the object's tasks in the vSphere Client; 'restore' puts back what was changed.",
    )


def refusal(error: SourceError, what: str, address: Address) -> SourceError:
    """Return the error to raise for one that the server answered with when asked to change something."""
    if isinstance(error, NotAllowedError):
        return NotAllowedError(
            f"{address.user} may not do this on {address.place}: {what}.",
            meaning=error.meaning,
            advice="Give the account a role with that privilege on the object, then try again.",
            moid=error.moid,
        )
    if not isinstance(error, SoapFault):
        return error
    known = load_acting().refusals.get(error.type_name)
    said = shown(error.text)
    fault = SoapFault(
        f"{address.place} refused {what} ({error.type_name}){': ' + said if said else '.'}",
        type_name=error.type_name,
        text=error.text,
        detail=error.detail,
    )
    if known is not None:
        fault.meaning, fault.advice = known.meaning, known.advice
    return fault


def task_failure(
    type_name: str, text: str, detail: Mapping[str, str], what: str, address: Address
) -> SourceError:
    """Return the error to raise for the fault with which a task ended; as for ``soap_error``."""
    return refusal(soap_error(type_name, text, detail, what, address), what, address)
