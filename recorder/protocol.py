"""The recorder's language: commands as JSON lines on stdin, events as JSON lines on stdout.

{"do": "mark", "text": "I changed the limit", "at": "2026-11-21T14:21:35Z"}    at is optional
{"do": "unmark", "text": "I changed the limit", "at": "2026-11-21T14:21:35Z"}  that mark goes
{"do": "change mark", "text": "I changed the limit", "at": "2026-11-21T14:21:35Z", "to": "of db-prod"}
{"do": "pause"}   {"do": "resume"}   {"do": "stop"}   {"do": "detach"}
{"do": "password", "source": "vcenter://admin@vc01", "password": "…"}          answers the event "password"
{"do": "trust", "source": "vcenter://admin@vc01", "sha256": "AA:BB:…"}         answers "certificate"; "" is no
"""

from __future__ import annotations

import msgspec

from resources.failures import UsageError


class Mark(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="mark"):
    """Drop a note on the time axis; ``at`` is ISO 8601, now when empty."""

    text: str
    at: str = ""


class Unmark(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="unmark"):
    """Take the mark of exactly this text and time away; a warning where there is none."""

    text: str
    at: str


class ChangeMark(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="change mark"):
    """The mark of exactly this text and time says ``to`` from now on; a warning where there is none."""

    text: str
    at: str
    to: str


class Pause(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="pause"):
    """Leave the sources alone."""


class Resume(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="resume"):
    """Go on after a pause."""


class Stop(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="stop"):
    """End the recording."""


class Detach(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="detach"):
    """Go on when stdin ends and nobody reads stdout any more; a stop file (see stop_file) ends it then."""


class Password(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="password"):
    """The password of a source that asked for it. Never shown: its repr has none."""

    source: str
    password: str

    def __repr__(self) -> str:
        return f"Password(source={self.source!r})"


class Trust(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="trust"):
    """The certificate of a source that asked is the right one; an empty ``sha256`` says that it is not."""

    source: str
    sha256: str


Command = Mark | Unmark | ChangeMark | Pause | Resume | Stop | Detach | Password | Trust

_MOST_BYTES = 1 << 16


def read_command(line: bytes) -> Command:
    """The command of a line. Raises UsageError, which never repeats what the line says."""
    if len(line) > _MOST_BYTES:
        raise UsageError("A command on stdin is longer than any can be.")
    try:
        command: Command = msgspec.json.decode(line, type=Command)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        # Not chained: the library's message may quote the line, and the line may hold a password.
        raise UsageError(
            "A line on stdin is no command of the recorder.",
            advice='Commands are JSON lines: {"do": "mark", "text": …}, {"do": "pause"}, {"do": "stop"} …',
        ) from None
    return command
