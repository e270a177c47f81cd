"""What stands in the folder of a job in a guest: the files that the launcher reads, and those that it writes.

The launcher (resources/guests/run.sh, for Windows run.ps1) is told everything by files: ``job.fio``,
``disks``, ``settings``. It writes ``pid``, ``out``, ``err``, ``state``, fio's output in pieces (``part.1``,
``part.2`` …), and ``rc`` last, by renaming: "EXIT-CODE WORD DETAIL".
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from resources.foreign_text import shown
from workloads.environment import DiskIdentity, Work
from workloads.job_file import Guest

_FOLDERS: Mapping[Guest, str] = {"linux": "/var/tmp/", "windows": "C:\\Windows\\Temp\\"}  # noqa: S108 - made there with mkdir, which fails if somebody was first

EndingWord = Literal["ended", "stopped", "silent", "full", "refused", "broken", "late"]


@dataclass(frozen=True, slots=True)
class LaunchSettings:
    """What the launcher is told beside the job; ``start_ms`` is an instant of the guest's own clock.

    ``interval_s`` is how often fio writes what it did so far; after ``silence_s`` without a sign of the
    controller, or with less than ``free_kb`` left where its folder is, the launcher ends the job. It waits
    at most ``wait_s`` for the start: a clock may be set back meanwhile; 0 is without limit. ``fio`` is the
    path of a fio that was copied into the guest, empty for the guest's own.
    """

    interval_s: int
    silence_s: int
    free_kb: int
    fio: str = ""
    start_ms: int = 0
    wait_s: int = 0

    def at(self, start_ms: int) -> LaunchSettings:
        """Return the same settings with another start."""
        return replace(self, start_ms=start_ms)

    def text(self) -> str:
        """Return the content of the file ``settings``."""
        lines = [
            f"start_ms {self.start_ms}",
            f"wait_s {self.wait_s}",
            f"interval_s {self.interval_s}",
            f"silence_s {self.silence_s}",
            f"free_kb {self.free_kb}",
            *([f"fio {self.fio}"] if self.fio else []),
        ]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a job ended: fio's exit code, and why. ``detail`` lists the objections of a refusal."""

    exit_code: int
    word: EndingWord
    detail: str = ""


def base_folder(guest: Guest) -> str:
    """Return the folder of a guest in which the folders of runs are."""
    return _FOLDERS[guest]


def folder_of(run: str, worker: str, guest: Guest) -> str:
    """Return the folder of a worker's job in its guest.

    It follows from the run's id and the worker's name alone, so that the journal can name it before it is
    made; neither of them is part of the path as text.
    """
    digest = hashlib.sha256(f"{run}\0{worker}".encode(errors="surrogatepass")).hexdigest()
    return f"{_FOLDERS[guest]}hyperscope-{digest[:20]}"


def scratch_of(folder: str) -> str:
    """Return the folder, beside a job's, for what a way into a guest leaves there while a script runs."""
    return f"{folder}5c"


def disks_text(work: Work) -> str:
    """Return the content of the file ``disks``: path, UUID and size of each, or a file's path.

    Paths have passed ``job_file.fio_path`` before; no field has a bar or a line end in it.
    """
    known: dict[str, DiskIdentity] = {one.path: one for one in work.identities}
    lines = []
    for disk in work.disks:
        identity = known.get(disk.path)
        if identity is None:
            lines.append(f"file|{_cell(disk.path)}||")
        else:
            lines.append(f"disk|{_cell(disk.path)}|{_cell(identity.uuid)}|{identity.size_bytes}")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return re.sub(r"[^!-{}~]", "?", text)


def parse_ending(text: str) -> Ending:
    """Return what ``rc`` says. What no launcher writes is a broken ending."""
    match = re.fullmatch(r"(\d{1,5}) ([a-z]+) ?(.*)", text, re.DOTALL)
    if match is None or match[2] not in get_args(EndingWord):
        return Ending(-1, "broken", shown(text))
    return Ending(int(match[1]), match[2], shown(match[3]))  # type: ignore[arg-type] # checked above
