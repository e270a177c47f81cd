"""Failures that any connection can have, translated to our errors: names, sockets, time-outs,
our own closing.
"""

from __future__ import annotations

import errno
import socket
from typing import TypeVar

from connections.address import Address
from resources.failures import (
    DisconnectedError,
    RefusedError,
    SourceError,
    TimedOutError,
    UnknownHostError,
)

Failure = TypeVar("Failure", bound=SourceError)


class ClosedError(DisconnectedError):
    """This program closed the connection."""

    def __init__(self, happened: str = "The connection is closed.", **words: str) -> None:
        super().__init__(happened, **words)


def unconnected(error: OSError | UnicodeError, address: Address, services: str) -> SourceError:
    """Translate an error of connecting a socket to ``address``; ``services`` names what
    should listen there.
    """
    place = address.place
    if isinstance(error, socket.gaierror | UnicodeError):
        return UnknownHostError(
            f"The name {address.host} is unknown.",
            meaning="Your DNS gives no address for it.",
            advice="Check its spelling; try its full name with the domain, or its IP address.",
        )
    if isinstance(error, TimeoutError):
        return TimedOutError(
            f"{address.host} does not answer on port {address.port}.",
            meaning="A firewall swallows the connection, the machine is off, or its services are stuck.",
            advice="Check that it is up and that this machine may reach it.",
        )
    if isinstance(error, ConnectionRefusedError):
        return RefusedError(
            f"{address.host} refuses connections to port {address.port}.",
            meaning="The machine is there, but nothing listens on that port: its services are down, "
            "or the port is another one.",
            advice=f"Check the port, and that {services} run.",
        )
    if isinstance(error, OSError) and error.errno in _NO_WAY:
        return RefusedError(
            f"There is no way to {place} from here: {reason(error)}.",
            meaning="No route leads to its network, or a router refuses.",
            advice="Check VPN, routing and firewall.",
        )
    return DisconnectedError(
        f"{place} broke the connection off while it was made.",
        meaning=f"Its services may be starting, or a firewall cuts it ({reason(error)}).",
        advice="Try again in a minute.",
    )


def broken_off(address: Address, connection: str, during: str, why: str) -> DisconnectedError:
    """Return the error for a server that closed an open ``connection`` (``the ssh connection``).

    ``during`` says when, ``when asked for the list of VMs``; ``why`` is the usual cause.
    """
    return DisconnectedError(
        f"{address.place} broke {connection} off {during}.", meaning=why, advice="Try again in a minute."
    )


def no_answer(address: Address, during: str, why: str, look_at: str) -> TimedOutError:
    """Return the error for a server that sent no answer in time over an open connection.

    ``during`` says when, ``when asked for the list of VMs``; ``why`` is the usual cause; ``look_at`` is where
    to look if it happens again.
    """
    return TimedOutError(
        f"{address.place} did not answer in time {during}.",
        meaning=why,
        advice=f"Try again; if it lasts, look at {look_at}.",
    )


def wrong_protocol(
    kind: type[Failure], address: Address, protocol: str, meaning: str, advice: str
) -> Failure:
    """Return an error of type ``kind`` for a port where something other than ``protocol`` answers."""
    return kind(
        f"What listens at {address.host} on port {address.port} does not speak {protocol}.",
        meaning=meaning,
        advice=advice,
    )


def no_common_encryption(
    kind: type[Failure], address: Address, why: str, meaning: str, advice: str
) -> Failure:
    """Return an error of type ``kind`` for a server with which we share no way to encrypt."""
    return kind(f"{address.place} and we agree on no way to encrypt ({why}).", meaning=meaning, advice=advice)


_NO_WAY = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EADDRNOTAVAIL)


def reason(error: BaseException) -> str:
    """Return the operating system's text for ``error``, or the error's own, without a full stop."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split()).rstrip(".") or type(error).__name__


def forget_frames(error: BaseException | None) -> None:
    """Clear the tracebacks of ``error`` and of its causes, because their frames hold what was
    sent (passwords).
    """
    while error is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__
