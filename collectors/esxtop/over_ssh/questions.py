"""What a host is asked over ssh, and what it answers: its clock, who it is, which esxtop it has.

Every command is a constant: nothing that a user or another machine wrote becomes a part of one.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime

from collectors.axis import ClockReading
from collectors.esxtop.over_ssh.host_objects import (
    QUESTION,
    VMS_QUESTION,
    ObjectsOfHost,
    read_objects,
    read_running,
)
from connections.ssh.connection import CommandResult, SshConnection
from resources.failures import SourceError, TimedOutError
from resources.foreign_text import shown

_LONGEST = 200
_MAX_BYTES = 1 << 16
_MOST_OBJECTS = 1 << 22
"""A thousand VMs with their files' names: half a megabyte."""
_BEGIN, _END = "hyperscope: begin", "hyperscope: end"
_TIME = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,252}")

_CLOCK = f"echo '{_BEGIN}'; echo \"time=$(date -u '+%Y-%m-%d %H:%M:%S')\"; echo '{_END}'"
_WHO = f"""\
echo '{_BEGIN}'
echo "user=$(id -u 2>/dev/null)"
echo "name=$(uname -n 2>/dev/null)"
echo "system=$(uname -s 2>/dev/null)"
echo "esxtop=$(command -v esxtop 2>/dev/null)"
echo "product=$(vmware -v 2>/dev/null | head -n 1)"
echo '{_END}'
"""
# The management agent may be slow or stuck, and an esxtop that knows no -v may wait: these can do without.
_VERSION = f"""\
echo '{_BEGIN}'
echo "version=$(esxtop -v </dev/null 2>/dev/null | head -n 1)"
echo '{_END}'
"""
_UUID_OF_HARDWARE = f"""\
uuid() {{ vim-cmd hostsvc/hostsummary 2>/dev/null | sed -n 's/^ *uuid = "\\([0-9A-Fa-f-]*\\)".*/\\1/p'; }}
echo '{_BEGIN}'
echo "uuid=$(uuid | head -n 1)"
echo '{_END}'
"""
_VMS = f"echo '{_BEGIN}'\n{VMS_QUESTION}echo '{_END}'\n"
_OBJECTS = f"echo '{_BEGIN}'\n{QUESTION}echo '{_END}'\n"
_SOFT_S = 10.0


def esxtop_command(interval_s: int) -> str:
    """Return the command that streams all of esxtop's counters every so many seconds."""
    return f"exec esxtop -b -a -d {interval_s:d}"


@dataclass(frozen=True, slots=True)
class RemoteHost:
    """What a host says of itself; empty where it says nothing. All texts are safe to show.

    ``clock`` is what its clock showed, None if it has no ``date``. ``is_root`` is None if it does not
    tell. ``uuid`` is its hardware's, as a vCenter knows it. ``objects`` are its VMs and volumes,
    ``running`` the ids of its VMs' worlds, None if it does not tell.
    """

    clock: ClockReading | None
    is_root: bool | None
    name: str
    system: str
    has_esxtop: bool
    version: str
    product: str
    uuid: str
    objects: ObjectsOfHost = field(default_factory=ObjectsOfHost)
    running: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """A host whose shell did not do what it was told: ``said`` is the beginning of what it wrote instead."""

    said: str


def ask(connection: SshConnection, within_s: float) -> RemoteHost | NoAnswer:
    """Ask a host who it is. Raises SourceError."""
    done = _run(connection, _WHO, within_s)
    answers = _answers(done.stdout)
    if answers is None:
        return NoAnswer(_beginning(done.stdout) or _beginning(done.stderr.encode()))
    clock = ask_clock(connection, within_s)
    has_esxtop = bool(answers.get("esxtop"))
    if has_esxtop:
        for question in (_VERSION, _UUID_OF_HARDWARE):
            answers |= _asked_softly(connection, question)
    running = ask_running(connection) if has_esxtop else None
    objects = ObjectsOfHost() if running is None else ask_objects(connection)
    uuid, name, user = answers.get("uuid", "").lower(), answers.get("name", ""), answers.get("user", "")
    return RemoteHost(
        clock=clock,
        is_root=user == "0" if user.isascii() and user.isdigit() else None,
        name=name if _HOST.fullmatch(name) else "",
        system=shown(answers.get("system", ""), _LONGEST),
        has_esxtop=has_esxtop,
        version=shown(answers.get("version", ""), _LONGEST),
        product=shown(answers.get("product", ""), _LONGEST),
        uuid=uuid if _UUID.fullmatch(uuid) and uuid.strip("0f-") else "",
        objects=objects,
        running=running,
    )


def ask_clock(connection: SshConnection, within_s: float) -> ClockReading | None:
    """Return what the host's clock shows; None if it does not tell. Raises SourceError."""
    began, begun = time.time(), time.monotonic()
    said = _asked_softly(connection, _CLOCK, within_s).get("time", "")
    took_s = time.monotonic() - begun
    if not _TIME.fullmatch(said):
        return None
    try:
        host = datetime.strptime(said, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return ClockReading.answered(host.timestamp() * 1000, began, took_s, grain_ms=1000)


def _asked_softly(connection: SshConnection, question: str, within_s: float = _SOFT_S) -> dict[str, str]:
    """The answers to what a recording can do without; none if the host does not answer it.

    Raises SourceError when the connection is lost.
    """
    try:
        return _answers(_run(connection, question, within_s).stdout) or {}
    except SourceError:
        if not connection.is_open:
            raise
        return {}


def ask_running(connection: SshConnection) -> frozenset[str] | None:
    """Return the ids of the worlds of the VMs that run; None if the host does not tell.

    Raises SourceError for a lost connection.
    """
    return read_running(_listed(connection, _VMS))


def ask_objects(connection: SshConnection) -> ObjectsOfHost:
    """Return the host's VMs and volumes; none if it does not tell.

    Raises SourceError for a lost connection.
    """
    return read_objects(_listed(connection, _OBJECTS))


def _listed(connection: SshConnection, question: str) -> list[str]:
    try:
        done = connection.run(question, _SOFT_S, _MOST_OBJECTS)
    except SourceError:
        if not connection.is_open:
            raise
        return []
    return _between(done.stdout) or []


def _run(connection: SshConnection, question: str, within_s: float) -> CommandResult:
    try:
        return connection.run(question, within_s, _MAX_BYTES)
    except TimedOutError as error:
        if not connection.is_open:
            raise
        raise TimedOutError(
            f"The shell of {connection.address.place} does not answer within {within_s:g} s.",
            meaning="It was asked who it is; the host is overloaded, or the shell waits for something.",
            advice="Try 'uname -a' there over ssh.",
        ) from error


def _answers(output: bytes) -> dict[str, str] | None:
    """The answers by question; None if the shell did not run the questions to their end."""
    between = _between(output)
    if between is None:
        return None
    pairs = (line.partition("=") for line in between)
    return {name: value.strip() for name, sign, value in pairs if sign}


def _between(output: bytes) -> list[str] | None:
    lines = [line.strip() for line in output.decode("utf-8", "replace").splitlines()]
    if _BEGIN not in lines or _END not in lines:
        return None
    return lines[lines.index(_BEGIN) + 1 : lines.index(_END)]


def _beginning(output: bytes) -> str:
    text = output[:4096].decode("utf-8", "replace").strip()
    return shown(" ".join(text.split()), _LONGEST)
