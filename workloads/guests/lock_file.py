"""The lock of a test run on a guest that is reached alone: a file in it, made as a whole or not at all.

It stands for the custom attribute that objects of a vCenter have, has the same text, and is the same setting.
"""

from __future__ import annotations

from resources.failures import BusyError
from resources.foreign_text import shown
from sessions.journal import Setting
from workloads.guests.shells import script_of
from workloads.guests.transport import GuestTransport, unexpected

LOCK = "attribute:vpw.lock"
_WITHIN_S = 60.0
_MAX_TEXT = 4096


def read_lock(transport: GuestTransport) -> str | None:
    """Return the text of a guest's lock, None if nobody holds it. Raises SourceError."""
    word, text = _asked(transport, "read")
    return None if word == "none" else text


def write_lock(transport: GuestTransport, value: Setting) -> None:
    """Take a guest's lock with a text, or free it with None.

    Raises BusyError if another run was faster, SourceError if the guest can't do it.
    """
    if value is None or value == "":
        _asked(transport, "free")
        return
    word, text = _asked(transport, f"take\n{_line(str(value))}")
    if word == "held":
        raise BusyError(
            f"{shown(transport.place)} is held by another test.",
            meaning=f"Its lock says: {shown(text, 200)}",
            advice="Wait for it; if its program is dead, restore its session, or take the lock over.",
        )


def _asked(transport: GuestTransport, told: str) -> tuple[str, str]:
    """Return what the script says: its word, and the lock's text."""
    output = transport.run(script_of(transport.guest, "lock"), f"{told}\n", _WITHIN_S)
    lines = output.out.decode("utf-8", "replace").splitlines()
    word = lines[0].strip() if lines else ""
    if output.exit_code or word not in ("none", "held", "taken", "free"):
        raise unexpected(transport.place, "The lock of tests could not be used", output)
    return word, lines[1].strip()[:_MAX_TEXT] if len(lines) > 1 else ""


def _line(text: str) -> str:
    return " ".join(text.split())[:_MAX_TEXT]
