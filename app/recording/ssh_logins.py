"""How ``record`` logs in over ssh: with this user's key or an agent's, else with a password."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from connections.address import Address
from resources.failures import LoginError

if TYPE_CHECKING:
    from connections.ssh.login import SshLogin


def has_keys() -> bool:
    """Return True if this user has a key without a passphrase, or an ssh agent."""
    return "SSH_AUTH_SOCK" in os.environ or _key() is not None


def ssh_login(password: Callable[[], str], key: Path | None = None) -> SshLogin:
    """Return what to log in with; ``password`` is called only if no key is taken.

    It is also the passphrase of the ``key``, where that has one; without a key this user's own counts.
    """
    from connections.ssh.login import SshLogin, is_usable_key  # noqa: PLC0415 - paramiko, which only ssh needs

    if key is not None and key.exists() and not is_usable_key(key):
        return SshLogin(key_file=key, passphrase=password, agent=True)
    return SshLogin(password, key or _key(), agent=True)


def no_password(address: Address) -> Callable[[], str]:
    """Return what is called for a password where none was given."""

    def refused() -> str:
        raise LoginError(
            f"{address.place} accepts no key of yours for {address.user}, and there is no password.",
            meaning="That of --key, or those in ~/.ssh, and those of an ssh agent were tried.",
            advice="Put a key there, or give the password: when asked for it, or with --password-stdin.",
        )

    return refused


def _key() -> Path | None:
    from connections.ssh.login import usable_key  # noqa: PLC0415

    return usable_key(Path.home() / ".ssh")
