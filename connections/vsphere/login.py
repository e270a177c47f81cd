"""The login request; its errors must not contain the password."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from pyVmomi import vim, vmodl

from connections.address import Address
from connections.failures import forget_frames
from connections.vsphere.faults import VENDOR, fault_name
from resources.failures import DisconnectedError, LoginError, SourceError
from resources.vcenter_privileges import LoginLimits

LOCALE = "en"
"""Faults are compared with documented English texts."""


class LoginGuard:
    """Logs in, and limits repeated logins, so that a password that is suddenly refused does not
    lock the account.

    A starting vCenter may refuse a good password, so a password that worked before is tried again, but only
    as often and after such pauses as ``limits`` say. Not thread-safe: one login at a time.
    """

    def __init__(
        self, address: Address, limits: LoginLimits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._address = address
        self._limits = limits
        self._clock = clock
        self._worked = False
        self._refusal: LoginError | None = None
        self._refusals = 0
        self._refused_at = 0.0

    def log_in(self, manager: Any, password: Callable[[], str]) -> None:
        """Log in with the SessionManager.

        Raises LoginError, DisconnectedError during a pause, and as ``log_in``.
        """
        self._refuse_too_many()
        try:
            log_in(manager, self._address, password)
        except LoginError as error:
            self._refusal = error
            self._refusals += 1
            self._refused_at = self._clock()
            self._refuse_too_many()
            raise
        self._worked, self._refusal, self._refusals = True, None, 0

    def _refuse_too_many(self) -> None:
        if self._refusal is None:
            return
        if not self._worked or self._refusals >= self._limits.tries:
            raise self._refusal.with_traceback(None)
        rest = self._refused_at + self._limits.rest_s - self._clock()
        if rest > 0:
            raise DisconnectedError(
                f"{self._address.place} refused the password of {self._address.user} that it took before.",
                meaning="Its identity service may be starting; a second refusal counts.",
                advice=f"It is tried again in {rest:.0f} s, not sooner, lest the account is locked.",
            ) from self._refusal


def log_in(manager: Any, address: Address, password: Callable[[], str]) -> None:
    """Log in with the SessionManager. Raises LoginError, SourceError, and errors of sockets and HTTP."""
    try:
        _ask(manager, address.user, password)
    except vmodl.MethodFault as fault:
        forget_frames(fault)
        raise _refused(fault, address) from fault
    except VENDOR as error:
        forget_frames(error)
        raise error.with_traceback(None) from None


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
    return DisconnectedError(
        f"{place} could not check the login of {user} ({fault_name(fault)}).",
        meaning="Its identity service may be starting or out of reach.",
        advice="Try again in a minute; if it lasts, log in with the vSphere Client.",
    )
