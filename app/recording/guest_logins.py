"""How tests log in to guests over ssh: a key, the agent's keys, or a password that several may share."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from connections.address import Address
from connections.secrets import find_password
from connections.ssh.login import SshLogin, is_usable_key, usable_key
from resources.failures import UsageError


class GuestLogins:
    """Returns for each guest what to log in with; the order is that of the calls.

    ``key_file`` is a private key, whose passphrase is asked for as a password if it has one; without one the
    usual key of this user counts, if that has none. ``agent`` says whether an ssh agent is asked.

    ``next_password`` returns the next line of stdin: there may be a line for each guest, and the last one is
    that of all further guests. Without it the keyring has a guest's password, else ``ask`` asks a person:
    once for each user name, since guests mostly share a login, and only when a password is needed.
    """

    def __init__(
        self,
        ask: Callable[[Address], str],
        *,
        key_file: Path | None = None,
        agent: bool = True,
        next_password: Callable[[], bytes | None] | None = None,
        ssh_folder: Path | None = None,
    ) -> None:
        self._ask, self._agent, self._next_password = ask, agent, next_password
        self._key = key_file or usable_key(ssh_folder or Path.home() / ".ssh")
        self._is_locked = self._key is not None and not is_usable_key(self._key)
        self._line: bytes | None = None
        self._asked: dict[str, str] = {}
        self._lock = threading.Lock()

    def __call__(self, address: Address) -> SshLogin:
        """Return what to log in to this guest with. Raises UsageError if stdin has no line at all."""
        password = self._password(address)
        if self._is_locked:
            return SshLogin(key_file=self._key, passphrase=password, agent=self._agent)
        return SshLogin(password, self._key, agent=self._agent)

    def _password(self, address: Address) -> Callable[[], str]:
        if self._next_password is None:
            return partial(self._found, address)
        line = self._next_password()
        self._line = line if line is not None else self._line
        return find_password(address, stdin=io.BytesIO(self._line or b""))

    def _found(self, address: Address) -> str:
        with self._lock:  # many guests are logged in to at once, and one question is enough
            try:
                return find_password(address)()
            except UsageError:  # the keyring has none
                if address.user not in self._asked:
                    self._asked[address.user] = self._ask(address)
                return self._asked[address.user]
