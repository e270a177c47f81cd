"""What goes wrong with an ssh connection, said as our own errors: sockets, handshake, login, channels."""

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
    """Vendor errors inside become SourceErrors that name ``what`` was done: ``start a command``."""
    try:
        yield
    except HyperscopeError:
        raise
    except VENDOR as error:
        forget_frames(error)
        raise broken(what, address, error) from error


def broken(what: str, address: Address, error: BaseException) -> SourceError:
    """The connection was made, and broke when it was to do ``what``."""
    if isinstance(error, TimeoutError):
        return silent(what, address)
    return DisconnectedError(
        f"{address.place} broke the ssh connection off when it was to {what}.",
        meaning=f"It was restarted, or something in between cuts connections ({reason(error)}).",
        advice="Try again in a minute.",
    )


def silent(what: str, address: Address) -> TimedOutError:
    """The connection stands, and nothing comes over it."""
    return TimedOutError(
        f"{address.place} did not answer in time when it was to {what}.",
        meaning="It is overloaded or stuck, or the network in between lost the connection.",
        advice="Try again; if it lasts, look at the machine's console.",
    )


def not_ssh(address: Address) -> NotSSHError:
    """Something answers there that speaks another language."""
    return NotSSHError(
        f"What listens at {address.host} on port {address.port} does not speak ssh.",
        meaning="It is another service, or a proxy in between.",
        advice="Check the port: ssh has mostly 22. On an ESXi host the service is started under Services.",
    )


def no_common_way(address: Address, error: BaseException) -> NotSSHError:
    """Both speak ssh, and agree on no way to encrypt."""
    return NotSSHError(
        f"{address.place} and we agree on no way to encrypt ssh ({reason(error)}).",
        meaning="Its ssh is so old that it knows only ways that are broken today.",
        advice="Update it; OpenSSH has had better ones since 2014.",
    )
