"""The login: the one request that carries the password, whose failures must not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyVmomi import vim, vmodl

from collectors.vsphere.address import Address
from resources.failures import LoginError, SourceError

LOCALE = "en"
"""Faults are compared with documented English texts."""


def log_in(manager: Any, address: Address, password: Callable[[], str]) -> None:
    """Make the stub's session ours. Raises LoginError, SourceError, and what sockets and HTTP raise."""
    try:
        _ask(manager, address.user, password)
    except vmodl.MethodFault as fault:
        # Without its traceback, whose frames hold the request.
        raise _refused(fault, address) from fault.with_traceback(None)


def _ask(manager: Any, user: str, password: Callable[[], str]) -> None:
    try:
        manager.Login(user, password(), LOCALE)
    except vim.fault.InvalidLocale:
        manager.Login(user, password(), None)


def _refused(fault: vmodl.MethodFault, address: Address) -> SourceError:
    place, user = address.place, address.user
    if isinstance(fault, vim.fault.PasswordExpired):
        return LoginError(
            f"The password of {user} at {place} has expired.",
            advice="Log in with the vSphere Client to set a new one.",
        )
    if isinstance(fault, vim.fault.InvalidLogin):
        return LoginError(
            f"{place} does not let {user} in: wrong user name or password.",
            meaning="Or the account is locked after too many attempts.",
            advice="A vCenter wants the domain with the name, as in administrator@vsphere.local.",
        )
    if isinstance(fault, vim.fault.NoPermission):
        return LoginError(
            f"{user} may not log in to {place}.",
            meaning="The password is right, but the account has no role there, or the host is locked down.",
            advice="Give it the read-only role on the root of the inventory, propagating to its children.",
        )
    return SourceError(
        f"{place} could not check the login of {user} ({type(fault).__name__}).",
        meaning="Its identity service may be starting or out of reach.",
        advice="Try again in a minute; if it lasts, log in with the vSphere Client.",
    )
