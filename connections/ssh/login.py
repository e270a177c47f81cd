"""Logging in over ssh: with a key file, the keys of an agent, or a password, in this order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paramiko import (
    Agent,
    BadAuthenticationType,
    PasswordRequiredException,
    PKey,
    SSHException,
    Transport,
)

from connections.address import Address
from connections.core_dumps import forbid_core_dumps
from connections.failures import forget_frames
from connections.ssh.faults import VENDOR, broken, silent
from resources.failures import AccessDeniedError, LoginError, SourceError, UsageError

_LONGEST_AGENT = 4
"""Keys of an agent that are tried: sshd lets nobody try more than six times (MaxAuthTries)."""

_USUAL_KEYS = ("id_ed25519", "id_ecdsa", "id_rsa")

_TIMED_OUT = "Authentication timeout."  # paramiko's words; it has no class for it


@dataclass(frozen=True, slots=True)
class SshLogin:
    """The user's means to log in.

    ``password`` and ``passphrase`` are called when needed, and their results not kept.

    ``key_file`` is a private key in OpenSSH or PEM format; ``agent`` says whether to use an ssh agent.
    """

    password: Callable[[], str] | None = None
    key_file: Path | None = None
    passphrase: Callable[[], str] | None = None
    agent: bool = False


def log_in(transport: Transport, address: Address, login: SshLogin) -> None:
    """Log in over a connection whose host key was checked.

    Raises LoginError, TimedOutError, DisconnectedError, and UsageError for a key file that can't be read as a
    key.
    """
    forbid_core_dumps()
    refusal: BaseException | None = None
    for attempt in _attempts(transport, address, login):
        try:
            attempt()
        except VENDOR as error:
            forget_frames(error)  # their frames hold the password
            if (fatal := _fatal(transport, address, error)) is not None:
                raise fatal from error
            refusal = error
        if transport.is_authenticated():
            return
    raise _refused(address, refusal) from refusal


def _attempts(transport: Transport, address: Address, login: SshLogin) -> Iterator[Callable[[], Any]]:
    user = address.user
    if login.key_file is not None:
        key = _private_key(login.key_file, login.passphrase)
        yield lambda: transport.auth_publickey(user, key)
    if login.agent:
        agent = Agent()
        try:
            for one in agent.get_keys()[:_LONGEST_AGENT]:
                yield lambda one=one: transport.auth_publickey(user, one)  # type: ignore[misc]
        finally:
            agent.close()
    if login.password is not None:
        password = login.password
        yield lambda: transport.auth_password(user, password())


def _fatal(transport: Transport, address: Address, error: BaseException) -> SourceError | None:
    """What ``error`` is if another way to log in is no use any more."""
    if isinstance(error, TimeoutError) or str(error) == _TIMED_OUT:
        return silent(f"log {address.user} in", address)
    if transport.is_active():
        return None
    if "Too many authentication failures" in str(error):
        return _refused(address, error)
    return broken(f"log {address.user} in", address, error)


def _refused(address: Address, error: BaseException | None) -> LoginError:
    allowed = ", ".join(error.allowed_types) if isinstance(error, BadAuthenticationType) else ""
    if error is None:
        return LoginError(
            f"There is nothing to log {address.user} in to {address.place} with.",
            meaning="No password and no key was given, and no ssh agent has one.",
        )
    if allowed:
        return LoginError(
            f"{address.place} accepts none of the given keys and passwords of {address.user}.",
            meaning=f"It takes only: {allowed}.",
            advice="Give a key where it wants one, or let its sshd take passwords.",
        )
    return LoginError(
        f"{address.place} does not let {address.user} in: wrong user name, password or key.",
        meaning="Or the account is locked after too many attempts.",
        advice="Try the same with ssh from this machine.",
    )


def usable_key(folder: Path) -> Path | None:
    """Return the first of the usual private keys in an ``.ssh`` folder that has no passphrase, or None."""
    return next((path for name in _USUAL_KEYS if is_usable_key(path := folder / name)), None)


def is_usable_key(path: Path) -> bool:
    """Return True for the file of a private key without a passphrase."""
    try:
        PKey.from_path(path, None)
    except (OSError, SSHException, TypeError, ValueError):
        return False
    return True


def _private_key(path: Path, passphrase: Callable[[], str] | None) -> PKey:
    try:
        return PKey.from_path(path, passphrase().encode("utf-8") if passphrase is not None else None)
    except (PasswordRequiredException, TypeError) as error:  # cryptography has no class of its own for it
        forget_frames(error)
        raise UsageError(
            f"The key {path} is locked with a passphrase.", advice="Give the passphrase, or use an ssh agent."
        ) from error
    except OSError as error:
        raise AccessDeniedError(f"The key {path} can't be read: {error.strerror or error}.") from error
    except (SSHException, ValueError) as error:
        forget_frames(error)
        raise UsageError(
            f"The file {path} is no private key of ssh, or its passphrase is wrong.",
            meaning="It takes RSA, ECDSA and Ed25519 keys as ssh-keygen makes them.",
        ) from error
