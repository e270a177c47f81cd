"""Why a host gives no esxtop over ssh, in one sentence each, with the way to get it."""

from __future__ import annotations

from collectors.esxtop.over_ssh.questions import NoAnswer, RemoteHost
from connections.address import Address
from connections.failures import ClosedError
from resources.failures import (
    ChangedCertificateError,
    DisconnectedError,
    HyperscopeError,
    LoginError,
    NoCountersError,
    PrivilegeError,
    RefusedError,
    SourceError,
    TimedOutError,
    UntrustedError,
)
from resources.foreign_text import shown

_SWITCH_ON = (
    "In the vSphere Client: the host > Configure > Services > SSH > Start; at its console: F2 > "
    "Troubleshooting Options > Enable SSH. ESXi warns of it until it is stopped again."
)
_LOCKDOWN = (
    "In lockdown mode a host lets only its exception users in: the host > Configure > Security Profile > "
    "Lockdown Mode. After five wrong passwords it locks the account for 15 minutes."
)
_LASTING = (ChangedCertificateError, ClosedError, LoginError, NoCountersError, PrivilegeError, UntrustedError)


def is_transient(error: HyperscopeError) -> bool:
    """True if the same may succeed later, False for errors that need a person.

    A refused login is one: to try a password again and again locks the account.
    """
    return isinstance(error, SourceError) and not isinstance(error, _LASTING)


def connecting_failed(error: SourceError, address: Address) -> SourceError:
    """Return the error of a connection to an ESXi host, with what ESXi is known for."""
    if isinstance(error, RefusedError):
        return RefusedError(
            f"{address.host} refuses ssh on port {address.port}.",
            meaning="On an ESXi host ssh is off until somebody starts it.",
            advice=_SWITCH_ON,
        )
    if isinstance(error, TimedOutError) and "does not answer on port" in error.happened:
        return TimedOutError(
            error.happened,
            meaning="The host is off, or a firewall swallows ssh: a network's, or ESXi's own, which may "
            "admit only some addresses.",
            advice=f"Check that it is up, and that ssh is on. {_SWITCH_ON}",
        )
    if isinstance(error, LoginError):
        return LoginError(error.happened, meaning=error.meaning, advice=f"{error.advice} {_LOCKDOWN}".strip())
    return error


def unusable(host: RemoteHost | NoAnswer, address: Address) -> HyperscopeError | None:
    """Return why there will be no esxtop; None if there is one to be tried."""
    if isinstance(host, NoAnswer):
        wrote = f"It wrote {host.said!r} instead." if host.said else "It wrote nothing."
        return NoCountersError(
            f"{address.place} lets {shown(address.user)} in, but runs no commands over ssh.",
            meaning=f"{wrote} Its shell wants a terminal, shows a menu, or is no shell.",
            advice="Log in as a user with ESXi's own shell, root for instance: esxtop needs no terminal, "
            "and gets none.",
        )
    if host.has_esxtop:
        return None
    what = f"It says that it is {host.product or host.system}." if host.product or host.system else ""
    return NoCountersError(
        f"{address.place} has no esxtop.",
        meaning=what or "Its shell finds no program of that name.",
        advice="Name an ESXi host; of a vCenter's hosts each has its own esxtop.",
    )


def ended(code: int | None, said: str, host: RemoteHost, address: Address, *, had_rows: bool) -> SourceError:
    """Return the error of an esxtop that ended by itself, with what it ``said``."""
    words = f"It said {said!r}." if said else "It said nothing."
    if not had_rows and host.is_root is False:
        return PrivilegeError(
            f"esxtop on {address.place} gives {shown(address.user)} nothing.",
            meaning=f"It needs root, and the account is none. {words}",
            advice="Record as root: ssh://root@….",
        )
    if not had_rows:
        return NoCountersError(
            f"esxtop on {address.place} ended before its first sample.",
            meaning=f"Its exit code is {'none: a signal ended it' if code is None else code}. {words}",
            advice="Try 'esxtop -b -a -n 2' in the host's shell.",
        )
    return DisconnectedError(f"esxtop on {address.place} ended.", meaning=words, advice="It is started anew.")


def nothing_written(address: Address, after_s: float, others: str) -> TimedOutError:
    """Return the error of an esxtop that writes nothing."""
    return TimedOutError(
        f"esxtop on {address.place} has written nothing for {after_s:g} s.",
        meaning=f"What came last is {others!r}, and no counters."
        if others
        else "It hangs, or the host does.",
        advice="Look at the host's console; esxtop is started anew.",
    )
