"""Makes the job file that fio gets: a template of resources/fio with checked numbers and disks in it.

Nothing of a job file is text that somebody typed: inputs are whole numbers within their limits, and a
disk's path has only the signs of a device's or a work file's name. fio expands ``$`` and reads ``:`` as the
end of a name, so neither may come through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from resources.failures import UsageError
from resources.fio_jobs import FioJob, FioJobs, Input
from resources.foreign_text import shown
from resources.units import format_bytes, format_count, format_duration

Guest = Literal["linux", "windows"]

_ENGINES: Mapping[Guest, str] = {"linux": "libaio", "windows": "windowsaio"}
_LINUX_PATH = re.compile(r"/[A-Za-z0-9_./+@=,:-]{1,250}")
_WINDOWS_DISK = re.compile(r"\\\\\.\\PhysicalDrive[0-9]{1,4}")
_WINDOWS_FILE = re.compile(r"[A-Za-z]:(\\[A-Za-z0-9_.+@=-]{1,100}){1,8}")
_SEEDS = 1 << 32


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk (or a file) of a guest that a job uses: its name in the job, and its path in the guest."""

    name: str
    path: str


def job_file(
    jobs: FioJobs, job: FioJob, inputs: Mapping[str, int], disks: Sequence[Disk], guest: Guest
) -> str:
    """Return the job file of ``job``, one section for each disk.

    ``inputs`` that are left out get their defaults. Each disk has a seed of its own, so that no two have
    the same content: the input's plus its number. Raises UsageError for a value outside its limits, an
    input that the job does not ask for, no disk, two disks of one path, or a path that is none of a disk or
    file.
    """
    values = checked_inputs(jobs.inputs_of(job), inputs)
    lines = [f"# {job.title}: {job.id}", "[global]", *_globals(job, values, guest)]
    if not disks:
        raise UsageError("A job needs at least one disk.")
    if len({disk.path for disk in disks}) < len(disks):
        raise UsageError("Two of the disks are the same one.", advice="Name each disk once.")
    for number, disk in enumerate(disks):
        lines += ["", f"[disk{number + 1}]", f"filename={fio_path(disk.path, guest)}"]
        if "seed" in values:
            lines.append(f"randseed={(values['seed'] + number) % _SEEDS}")
    return "\n".join(lines) + "\n"


def checked_inputs(known: Mapping[str, Input], given: Mapping[str, int]) -> dict[str, int]:
    """Return a value for each known input: the given one, else its default. Raises UsageError."""
    if unknown := given.keys() - known.keys():
        raise UsageError(
            f"This job has no input {shown(min(unknown))}.",
            advice=f"It asks for: {', '.join(known) or 'nothing'}.",
        )
    values = {}
    for name, one in known.items():
        value = given.get(name, one.default)
        if isinstance(value, bool) or not isinstance(value, int) or not one.least <= value <= one.most:
            least, most = input_text(one, one.least), input_text(one, one.most)
            raise UsageError(
                f"{one.title} can't be {shown(str(value))}.",
                advice=f"It is a whole number from {least} to {most}.",
            )
        values[name] = value
    return values


def input_text(one: Input, value: int) -> str:
    """Return a value of an input with its unit: ``70 %``, ``10 min``, ``4 KB``."""
    if one.kind == "percent":
        return f"{value} %"
    if one.kind == "seconds":
        return format_duration(value)
    return format_bytes(value) if one.kind == "bytes" else format_count(value)


def fio_path(path: str, guest: Guest) -> str:
    """Return a path as fio's option ``filename`` takes it, with colons escaped. Raises UsageError."""
    allowed = (_LINUX_PATH,) if guest == "linux" else (_WINDOWS_DISK, _WINDOWS_FILE)
    if not any(one.fullmatch(path) for one in allowed) or ".." in path:
        raise UsageError(
            f"{shown(path)} is no path of a disk or file that a test uses.",
            advice="Linux: /dev/disk/by-id/…; Windows: \\\\.\\PhysicalDrive1. No spaces, no $, no quotes.",
        )
    return path.replace(":", "\\:")


def _globals(job: FioJob, values: Mapping[str, int], guest: Guest) -> Iterator[str]:
    yield f"ioengine={_ENGINES[guest]}"
    yield "direct=1"
    yield "thread=1"
    for option, template in job.options.items():
        if template == "{seed}":
            continue  # of each disk
        text = str(template)
        if text.startswith("{"):
            name = text[1:-1]
            yield f"{option}={values[name]}{_suffix(option, name)}"
        else:
            yield f"{option}={text}"


def _suffix(option: str, name: str) -> str:
    """Fio reads a bare number as bytes, seconds or a count; a share of a disk needs its sign."""
    return "%" if option == "size" and name == "working_set" else ""
