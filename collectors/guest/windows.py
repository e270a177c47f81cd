"""Follows a Windows guest over ssh by its own typeperf, which is there on every Windows."""

from __future__ import annotations

import re
import time

from collectors.feed import Controls
from collectors.guest.about import About
from collectors.guest.typeperf import TypeperfReader
from collectors.guest.watching import GuestWatching
from connections.ssh.connection import SshConnection
from connections.ssh.conversation import Conversation
from resources.failures import NoCountersError, NotSSHError, SourceError, TimedOutError
from resources.foreign_text import shown
from resources.guest_counters import WindowsCounters

_STEP_S = 0.2
_ANSWER_S = 30.0
_MAX_ANSWER = 1 << 16
_OWN_UNAMES = ("MINGW", "MSYS", "CYGWIN")
_MAC = re.compile(r"\b[0-9A-F]{2}(?:-[0-9A-F]{2}){5}\b")


def is_windows(connection: SshConnection) -> bool:
    """Ask which system the guest has. Raises SourceError for one that is neither Linux nor Windows."""
    text, code = _answer(connection, "uname -s")
    system = text.strip()
    if system == "Linux":
        return False
    if code == 0 and system and not system.startswith(_OWN_UNAMES):
        raise NotSSHError(
            f"{connection.address.place} has another system than Linux or Windows: {shown(system, 40)}.",
            meaning="What its kernel counts is read from /proc of Linux, or by typeperf of Windows.",
        )
    return True


def follow_windows(
    connection: SshConnection,
    watching: GuestWatching,
    controls: Controls,
    counters: WindowsCounters,
    interval_s: int,
    silent_s: float,
) -> None:
    """Take what typeperf prints until it ends by itself, or until asked to stop or to pause.

    Raises SourceError.
    """
    macs = _MAC.findall(_answer(connection, "getmac /fo csv /nh")[0].upper())
    reader = TypeperfReader(counters, float(interval_s))
    began = b""
    with connection.converse(command_line(counters, interval_s), "typeperf") as asked:
        heard = time.monotonic()
        while not controls.is_set() and not controls.paused:
            chunk = asked.read(_STEP_S)
            if chunk == b"":
                if reader.has_header:
                    return
                raise _no_counters(connection, began, asked)
            if chunk:
                heard = time.monotonic()
                had_header = reader.has_header
                began = (began + chunk)[:200]
                rows = reader.feed(chunk, time.time() * 1000)
                if reader.has_header and not had_header:
                    watching.meet(_about(reader, macs))
                for row in rows:
                    watching.take_row(row)
            elif time.monotonic() - heard > silent_s:
                raise TimedOutError(
                    f"{connection.address.place}: typeperf has said nothing for {silent_s:g} s.",
                    meaning="The guest hangs, or is not run by its host.",
                    advice="Look at its console.",
                )


def command_line(counters: WindowsCounters, interval_s: int) -> str:
    """The command line: fixed paths and two numbers, for cmd, PowerShell and sh alike."""
    paths = " ".join(f'"{one.path}"' for one in counters.counter)
    return f"typeperf -si {interval_s:d} -sc {counters.limits.samples:d} {paths}"


def _about(reader: TypeperfReader, macs: list[str]) -> About:
    about = About(system="Windows", name=reader.host)
    about.macs = {f"nic{number}": mac.lower().replace("-", ":") for number, mac in enumerate(macs)}
    return about


def _answer(connection: SshConnection, command: str) -> tuple[str, int | None]:
    """What a fixed command prints, and its exit code."""
    said = bytearray()
    with connection.converse(command, command) as asked:
        asked.end_input()
        while chunk := asked.read(_ANSWER_S):
            said += chunk
            if len(said) > _MAX_ANSWER:
                raise SourceError(f"{connection.address.place} has more to say to '{command}' than it may.")
        return bytes(said).decode("utf-8", "replace"), asked.exit_code(_ANSWER_S)


def _no_counters(connection: SshConnection, began: bytes, asked: Conversation) -> NoCountersError:
    said = shown(began.decode("utf-8", "replace"), 200) or shown(asked.stderr(), 200)
    return NoCountersError(
        f"typeperf of {connection.address.place} finds none of the counters{f': {said}' if said else '.'}",
        meaning="On a Windows in another language they have other names, and typeperf takes no others; or "
        "the user may not read them.",
        advice="An English Windows can be recorded; the user must be in 'Performance Monitor Users'.",
    )
