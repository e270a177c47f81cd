"""The folder of a job in a guest: made, looked at, and ended or removed with the job in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from resources.failures import SourceError, UsageError
from resources.foreign_text import shown
from sessions.journal import Setting
from workloads.guests.contract import base_folder
from workloads.guests.shells import script_of
from workloads.guests.transport import GuestTransport, unexpected

_WITHIN_S = 60.0
_NAME = re.compile(r"hyperscope-[0-9a-f]{20}")


@dataclass(frozen=True, slots=True)
class FolderState:
    """What there is of a folder: whether it exists, and its job's process if that runs."""

    exists: bool
    pid: int | None = None
    start: str = ""
    command: str = ""

    def process(self) -> str | None:
        """Return the process as a setting's value, None if none runs."""
        if self.pid is None:
            return None
        return json.dumps({"pid": self.pid, "start": self.start, "command": self.command})


def make_folder(transport: GuestTransport, folder: str, files: Mapping[str, str]) -> None:
    """Make a folder with text files in it. Raises SourceError if that is not possible, or it is there."""
    told = [f"{folder}\n"]
    for name, text in files.items():
        lines = text.splitlines()
        told += [f"{name}\n{len(lines)}\n", *(f"{line}\n" for line in lines)]
    output = transport.run(script_of(transport.guest, "make"), "".join(told), _WITHIN_S)
    if output.exit_code or output.out.strip() != b"made":
        raise unexpected(transport.place, "The job's folder could not be made", output)


def end_job(transport: GuestTransport, folder: str, *, remove: bool) -> None:
    """End the job of a folder, and remove the folder if told so; it is no error if it is gone.

    Raises SourceError if the job runs on, or the folder is none of ours.
    """
    told = f"{folder}\n{'remove' if remove else 'stop'}\n"
    output = transport.run(script_of(transport.guest, "end"), told, _WITHIN_S)
    said = output.out.strip()
    if said == b"alive":
        raise SourceError(
            f"The job in {transport.place} can't be ended.",
            meaning="Its process waits for a disk that answers nothing, and can't be killed until it does.",
            advice="Look at the guest's disks; the process ends as soon as they answer.",
        )
    if output.exit_code or said not in (b"gone", b"stopped"):
        raise unexpected(transport.place, "A job could not be ended", output)


def folder_state(transport: GuestTransport, folder: str) -> FolderState:
    """Return what there is of a folder now. Raises SourceError."""
    output = transport.run(script_of(transport.guest, "state"), f"{folder}\n", _WITHIN_S)
    if output.exit_code:
        raise unexpected(transport.place, "A job's folder could not be looked at", output)
    lines = output.out.decode("utf-8", "replace").splitlines()
    for line in lines:
        words = line.split(" ", 3)
        if words[0] == "process" and len(words) == 4 and words[1].isdigit():
            return FolderState(True, int(words[1]), shown(words[2]), shown(words[3]))
    return FolderState("folder" in lines)


def read_setting(transport: GuestTransport, folder: str, place: str, setting: str) -> Setting:
    """Return the value of a folder's setting: ``folder`` or ``process``.

    ``place`` is the folder's id in the journal, which is the value of ``folder`` while that exists.
    """
    state = folder_state(transport, _job_folder(transport, folder))
    if setting == "folder":
        return place if state.exists else None
    if setting == "process":
        return state.process()
    raise _no_setting(setting)


def write_setting(transport: GuestTransport, folder: str, setting: str, value: Setting) -> None:
    """Set a folder's setting to None: remove it with its job (``folder``), or end the job (``process``)."""
    if setting not in ("folder", "process"):
        raise _no_setting(setting)
    if value is not None:
        raise UsageError("A guest's folder is made by preparing a job, its process by starting it.")
    end_job(transport, _job_folder(transport, folder), remove=setting == "folder")


def is_job_name(name: str) -> bool:
    """Return True if the folder of a job can have that name."""
    return _NAME.fullmatch(name) is not None


def _job_folder(transport: GuestTransport, folder: str) -> str:
    """Return a folder that a journal names, if jobs are in such ones. Raises UsageError."""
    base = base_folder(transport.guest)
    if not folder.startswith(base) or not is_job_name(folder.removeprefix(base)):
        raise UsageError(
            f"{shown(folder, 80) or 'That'} is no folder of a job in {transport.place}.",
            meaning="The journal names it, and no test makes such a folder.",
            advice="It is left alone; see where the session comes from.",
        )
    return folder


def _no_setting(setting: str) -> UsageError:
    return UsageError(f"A guest has no setting {shown(setting)}.", advice="It has: folder, process.")
