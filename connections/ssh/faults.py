"""Failures of an ssh connection, translated to our errors: sockets, handshake, login, channels."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from paramiko import SSHException

from connections.address import Address
from connections.failures import forget_frames, reason
from resources.failures import DisconnectedError, HyperscopeError, NotSSHError, SourceError, TimedOutError

VENDOR = (SSHException, OSError, EOFError)
"""What paramiko and sockets raise."""

# What paramiko logs is said by the errors that follow; without a handler of its own, Python prints it.
logging.getLogger("paramiko").addHandler(logging.NullHandler())


@contextmanager
def translated(what: str, address: Address) -> Iterator[None]:
    """Translate paramiko's errors to SourceErrors; ``what`` names the operation: ``start a command``."""
    try:
        yield
    except HyperscopeError:
        raise
    except VENDOR as error:
        forget_frames(error)
        raise broken(what, address, error) from error


def broken(what: str, address: Address, error: BaseException) -> SourceError:
    """Return the error for a connection that broke during the operation ``what``."""
    if isinstance(error, TimeoutError):
        return silent(what, address)
    return DisconnectedError(
        f"{address.place} broke the ssh connection off when it was to {what}.",
        meaning=f"It was restarted, or something in between cuts connections ({reason(error)}).",
        advice="Try again in a minute.",
    )


def silent(what: str, address: Address) -> TimedOutError:
    """Return the error for a machine that sent no answer during the operation ``what``."""
    return TimedOutError(
        f"{address.place} did not answer in time when it was to {what}.",
        meaning="It is overloaded or stuck, or the network in between lost the connection.",
        advice="Try again; if it lasts, look at the machine's console.",
    )


def not_ssh(address: Address) -> NotSSHError:
    """Return the error for a server that does not speak ssh."""
    return NotSSHError(
        f"What listens at {address.host} on port {address.port} does not speak ssh.",
        meaning="It is another service, or a proxy in between.",
        advice="Check the port: ssh has mostly 22. On an ESXi host the service is started under Services.",
    )


def no_common_way(address: Address, error: BaseException) -> NotSSHError:
    """Return the error for two sides that speak ssh but share no algorithm."""
    return NotSSHError(
        f"{address.place} and we agree on no way to encrypt ssh ({reason(error)}).",
        meaning="Its ssh is so old that it knows only ways that are broken today.",
        advice="Update it; OpenSSH has had better ones since 2014.",
    )
