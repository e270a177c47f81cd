"""What a command of guided tests says to the window that started it, one JSON line each.

Questions are those of ``recorder.protocol``; the last line is what was found, what was put back, or why not.
"""

from __future__ import annotations

import msgspec

from recorder.protocol import CertificateWanted, PasswordWanted
from resources.failures import HyperscopeError, UsageError
from sessions.journal import Setting
from wizards.flows.check_result import CheckResult
from wizards.flows.surroundings import Surroundings

MAX_MESSAGE_BYTES = 256 << 20
"""Of a vCenter with 10,000 VMs the answer has about 20 MB."""


class Found(msgspec.Struct, frozen=True, tag_field="event", tag="found"):
    """What an environment has; of a plan also its checks, and what it changes as it is now (object, setting,
    value).
    """

    around: Surroundings
    checks: tuple[CheckResult, ...] = ()
    settings: tuple[tuple[str, str, Setting], ...] = ()


class PutBack(msgspec.Struct, frozen=True, tag_field="event", tag="put back"):
    """How many changes were put back or needed nothing, were left alone, and could not be put back."""

    back: int = 0
    left: int = 0
    failed: int = 0


class Failed(msgspec.Struct, frozen=True, tag_field="event", tag="failed"):
    """Why there is no answer: an error's exit code and its three sentences."""

    code: int = 1
    happened: str = ""
    meaning: str = ""
    advice: str = ""

    @classmethod
    def of(cls, error: HyperscopeError) -> Failed:
        """Return the message of an error."""
        return cls(error.exit_code, error.happened, error.meaning, error.advice)

    def error(self) -> HyperscopeError:
        """Return the error, for a message."""
        return HyperscopeError(self.happened, meaning=self.meaning, advice=self.advice)


Message = PasswordWanted | CertificateWanted | Found | PutBack | Failed

_MESSAGE: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)


def encode(message: Found | PutBack | Failed) -> bytes:
    """Return the line of a message."""
    return msgspec.json.encode(message) + b"\n"


def read_message(line: bytes) -> Message:
    """Parse a line. Raises UsageError for one that is no message."""
    try:
        return _MESSAGE.decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise UsageError("A command of guided tests wrote a line that can't be read.") from error
