"""Failures of an ssh connection, translated to our errors: sockets, handshake, login, channels."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from paramiko import SSHException

from connections.address import Address
from connections.failures import (
    broken_off,
    forget_frames,
    no_answer,
    no_common_encryption,
    reason,
    wrong_protocol,
)
from resources.failures import HyperscopeError, NotSSHError, SourceError, TimedOutError

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
    return broken_off(
        address,
        "the ssh connection",
        f"when it was to {what}",
        f"It was restarted, or something in between cuts connections ({reason(error)}).",
    )


def silent(what: str, address: Address) -> TimedOutError:
    """Return the error for a machine that sent no answer during the operation ``what``."""
    return no_answer(
        address,
        f"when it was to {what}",
        "It is overloaded or stuck, or the network in between lost the connection.",
        "the machine's console",
    )


def not_ssh(address: Address) -> NotSSHError:
    """Return the error for a server that does not speak ssh."""
    return wrong_protocol(
        NotSSHError,
        address,
        "ssh",
        "It is another service, or a proxy in between.",
        "Check the port: ssh has mostly 22. On an ESXi host the service is started under Services.",
    )


def no_common_way(address: Address, error: BaseException) -> NotSSHError:
    """Return the error for two sides that speak ssh but share no algorithm."""
    return no_common_encryption(
        NotSSHError,
        address,
        reason(error),
        "Its ssh is so old that it knows only ways that are broken today.",
        "Update it; OpenSSH has had better ones since 2014.",
    )
