"""Where passwords come from: stdin, the system's keyring, a prompt; never arguments, never
the environment.
"""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable
from typing import Any, BinaryIO, Literal

import keyring
from keyring.errors import KeyringError

from connections.address import Address
from connections.core_dumps import forbid_core_dumps
from connections.vsphere.address import GUESTS
from resources.failures import UsageError

SERVICE = "hyperscope"
"""What our entries in the keyring are called; the user name of each is the address."""

Origin = Literal["stdin", "keyring", "prompt"]

_LONGEST = 4096


class Password:
    """A password that is read by calling the object; it appears in no repr, pickle, log or core dump."""

    __slots__ = ("_value", "origin")

    def __init__(self, value: str, origin: Origin) -> None:
        forbid_core_dumps()
        self._value = value
        self.origin = origin

    def __call__(self) -> str:
        """The password itself."""
        return self._value

    def __repr__(self) -> str:
        return f"Password(from {self.origin})"

    def __reduce__(self) -> Any:
        raise TypeError("a password is not pickled")


def find_password(
    address: Address,
    *,
    stdin: BinaryIO | None = None,
    interactive: bool = False,
    ask: Callable[[str], str] = getpass.getpass,
) -> Password:
    """Return the password of ``address``. Raises UsageError when there is none.

    The password is the next line of ``stdin`` if given (--password-stdin), else that of the keyring, else
    ``ask`` prompts for it if ``interactive``.
    """
    forbid_core_dumps()
    if stdin is not None:
        return Password(_line(stdin), "stdin")
    kept = _from_keyring(address)
    if kept is not None:
        return Password(kept, "keyring")
    if not interactive:
        raise UsageError(
            f"There is no password for {address}.",
            meaning="The keyring has none, and nobody is at a terminal to be asked.",
            advice="Give it as the first line of standard input with --password-stdin.",
        )
    return prompt_password(address, ask)


def prompt_password(address: Address, ask: Callable[[str], str] = getpass.getpass) -> Password:
    """Prompt for the password on the terminal, without echo. Raises UsageError."""
    try:
        place = f"the guests of {address.place}" if address.scheme == GUESTS.scheme else address.place
        value = ask(f"Password of {address.user} at {place}: ")
    except EOFError as error:
        raise UsageError("No password was given.") from error
    return Password(_given(value), "prompt")


def prompt_password_or_key(address: Address, ask: Callable[[str], str] = getpass.getpass) -> Password | None:
    """Prompt for the password where a key may do instead; None if the user gives none."""
    forbid_core_dumps()
    try:
        value = ask(f"Password of {address.user} at {address.place} (Enter: by key alone): ")
    except EOFError:
        return None
    return Password(value, "prompt") if value else None


def can_prompt() -> bool:
    """Return True if a user at a terminal can be prompted."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr is not None and sys.stderr.isatty()


def store_password(address: Address, password: Password) -> bool:
    """Store the password in the system's keyring; return False if no keyring accepts it."""
    try:
        keyring.set_password(SERVICE, str(address), password())
    except KeyringError:
        return False
    return True


def delete_password(address: Address) -> bool:
    """Delete the password from the keyring; return False if it was not there."""
    try:
        keyring.delete_password(SERVICE, str(address))
    except KeyringError:
        return False
    return True


def _from_keyring(address: Address) -> str | None:
    try:
        return keyring.get_password(SERVICE, str(address))
    except KeyringError:  # no keyring on this machine, or locked and nobody unlocked it
        return None


def _line(stdin: BinaryIO) -> str:
    # Only this line: what follows belongs to somebody else (the window's commands).
    line = stdin.readline(_LONGEST)
    try:
        return _given(line.decode("utf-8").rstrip("\r\n"))
    except UnicodeDecodeError:
        raise UsageError("The password on standard input is not UTF-8.") from None


def _given(value: str) -> str:
    if not value:
        raise UsageError("The password is empty.", meaning="vSphere has no accounts without one.")
    return value
