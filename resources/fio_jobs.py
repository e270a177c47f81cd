"""The jobs of fio that tests use, as templates with typed inputs (resources/fio/*.toml)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from resources.failures import KnowledgeError
from resources.toml_files import checked, knowledge_error, knowledge_files, read_toml, shipped_once

_FOLDER = "fio"
_INPUTS = "_inputs.toml"

InputKind = Literal["percent", "count", "seconds", "bytes"]
Writes = Literal["nothing", "working set", "all"]

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_OPTION = re.compile(r"[a-z][a-z0-9_]*")
_VALUE = re.compile(r"[a-z0-9%,.:/-]*|\{[a-z_]+\}")
"""What a template may say: no text of a template can begin another option, and no value brings a text
along.
"""

_NOT_IN_TEMPLATES = frozenset(
    {
        "filename",
        "directory",
        "ioengine",
        "direct",
        "thread",
        "exec_prerun",
        "exec_postrun",
        "include",
        "opendir",
    }
)
"""Options that the launcher sets, or that run or read something else."""


class Input(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that a job asks for: a whole number from ``least`` to ``most``.

    ``kind`` gives its unit: percent, count (of things), seconds, bytes.
    """

    title: str
    kind: InputKind
    default: int
    least: int
    most: int
    help: str = ""


class FioJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A job as a template: ``options`` with ``{name}`` where the input ``name`` stands.

    ``writes`` says which part of a disk is written. ``needs`` is the oldest fio that does it right, "" for
    any.
    """

    id: str
    title: str
    purpose: str
    writes: Writes
    source: str
    options: Mapping[str, str | int]
    inputs: tuple[str, ...] = ()
    needs: str = ""


class FioJobs(msgspec.Struct, frozen=True):
    """All jobs by id, and all inputs by name."""

    jobs: Mapping[str, FioJob]
    inputs: Mapping[str, Input]

    def inputs_of(self, job: FioJob) -> Mapping[str, Input]:
        """Return the inputs that a job asks for, in its order."""
        return {name: self.inputs[name] for name in job.inputs}


class _JobFile(msgspec.Struct, forbid_unknown_fields=True):
    job: list[FioJob]


class _InputFile(msgspec.Struct, forbid_unknown_fields=True):
    inputs: dict[str, Input]


@shipped_once
def load_fio_jobs(extra_dirs: Sequence[Path] = ()) -> FioJobs:
    """Load the jobs that ship with Hyperscope, then ``fio/*.toml`` of each of ``extra_dirs``.

    A file in a later folder replaces the one with the same name. Raises KnowledgeError naming file and job.
    """
    files = {path.name: path for place in knowledge_files(_FOLDER, extra_dirs) for path in place}
    path = files.pop(_INPUTS)
    inputs = checked(read_toml(path), _InputFile, path).inputs
    for name, one in inputs.items():
        if not one.least <= one.default <= one.most:
            raise knowledge_error(path, name, "its default is not between its least and its most")
    jobs: dict[str, FioJob] = {}
    for _, path in sorted(files.items()):
        for job in checked(read_toml(path), _JobFile, path).job:
            if job.id in jobs:
                raise knowledge_error(path, job.id, "there are two jobs of this id")
            _check(job, inputs, path)
            jobs[job.id] = job
    return FioJobs(jobs, inputs)


def _check(job: FioJob, inputs: Mapping[str, Input], path: Path) -> None:
    def refuse(what: str) -> KnowledgeError:
        return knowledge_error(path, job.id, what)

    used: set[str] = set()
    for option, value in job.options.items():
        if not _OPTION.fullmatch(option) or option in _NOT_IN_TEMPLATES:
            raise refuse(f"{option!r} is no option that a template may set")
        if isinstance(value, str) and not _VALUE.fullmatch(value):
            raise refuse(f"{option}: {value!r} is no plain value, nor one input in braces")
        used |= set(_PLACEHOLDER.findall(str(value)))
    if unknown := (used | set(job.inputs)) - inputs.keys():
        raise refuse(f"{', '.join(sorted(unknown))}: no input is called so")
    if used != set(job.inputs):
        raise refuse(
            f"its inputs and what its options use differ: {', '.join(sorted(used ^ set(job.inputs)))}"
        )
    writing = str(job.options.get("rw", "read")).removeprefix("rand") != "read"
    if writing != (job.writes != "nothing"):
        raise refuse("what it writes and its option rw contradict each other")
