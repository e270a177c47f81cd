"""How tests log in to guests over ssh: a key, the agent's keys, or a password that several may share."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from pathlib import Path

from connections.address import Address
from connections.secrets import Password, can_prompt, find_password
from connections.ssh.login import SshLogin, usable_key
from resources.failures import UsageError


class GuestLogins:
    """Returns for each guest what to log in with; the order is that of the calls.

    ``key_file`` is a private key; without one the usual one of this user, if it has no passphrase.
    ``next_password`` returns the next line of stdin: there may be a line for each guest, and the last one is
    that of all further guests. Without it the keyring is asked, then whoever is at the terminal: once for
    each user name, since guests mostly share a login. No password is asked for that is not needed.
    """

    def __init__(
        self,
        key_file: Path | None = None,
        next_password: Callable[[], bytes | None] | None = None,
        *,
        ssh_folder: Path | None = None,
    ) -> None:
        self._key = key_file or usable_key(ssh_folder or Path.home() / ".ssh")
        self._next_password = next_password
        self._line: bytes | None = None
        self._prompted: dict[str, Password] = {}
        self._lock = threading.Lock()

    def __call__(self, address: Address) -> SshLogin:
        """Return what to log in to this guest with. Raises UsageError if stdin has no line at all."""
        return SshLogin(password=self._password(address), key_file=self._key, agent=True)

    def _password(self, address: Address) -> Callable[[], str]:
        if self._next_password is None:

            def later() -> str:
                return self._asked(address)()

            return later
        line = self._next_password()
        self._line = line if line is not None else self._line
        return find_password(address, stdin=io.BytesIO(self._line or b""))

    def _asked(self, address: Address) -> Password:
        with self._lock:  # many guests are logged in to at once, and one question is enough
            if address.user in self._prompted:
                return self._prompted[address.user]
            try:
                password = find_password(address, interactive=can_prompt())
            except UsageError as error:
                raise UsageError(
                    f"No key lets {address.user} in to {address.place}, and there is no password.",
                    meaning="Neither the given key nor the agent's were accepted, and the keyring has none.",
                    advice="Give the password as a line of standard input with --password-stdin.",
                ) from error
            if password.origin == "prompt":
                self._prompted[address.user] = password
            return password
