"""The scoreboard's results, one JSON line a run; a run that is already in the file need not be repeated."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
_CODE = (
    "benchmarks",
    "collectors/esxtop_names",
    "lab",
    "diagnosis",
    "sessions",
    "tests/lab",
    "tests/sessions",
    "tests/vcenter_lab",
)
_KNOWLEDGE = "resources"

Run = tuple[str, int]
"""Scenario and seed."""


def fingerprint() -> str:
    """Hash what a result depends on besides scenario and seed: our
    code, our TOML files and numpy's version.
    """
    digest = hashlib.sha256(np.__version__.encode())
    files = [path for folder in _CODE for path in (ROOT / folder).rglob("*.py")]
    files += [path for end in ("py", "toml") for path in (ROOT / _KNOWLEDGE).rglob(f"*.{end}")]
    for path in sorted(files):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def refusal_of(path: Path) -> str:
    """Return why results can't be appended to a file, in a sentence; empty if they can."""
    try:
        path.open("ab").close()
    except OSError as error:
        return f"{path} can't be written: {error.strerror or error}. Nothing was played; choose another file."
    return ""


class _Entry(msgspec.Struct, frozen=True):
    """One line of the file."""

    scenario: str
    seed: int
    code: str
    problems: dict[str, object]


class BoardLog:
    """A file of scoreboard results, to which results are appended and from which they are read again.

    Results of other versions of the code, and a line that was cut off, are ignored. Raises OSError where the
    file can't be read or written.
    """

    def __init__(self, path: Path, code: str) -> None:
        self._path = path
        self._code = code

    def known(self, wanted: Iterable[Run]) -> dict[Run, Mapping[str, object]]:
        """Return the results of those of the ``wanted`` runs that are already in the file."""
        if not self._path.exists():
            return {}
        chosen = set(wanted)
        entries = [_entry(line) for line in self._path.read_bytes().splitlines()]
        return {
            run: entry.problems
            for entry in entries
            if entry and entry.code == self._code and (run := (entry.scenario, entry.seed)) in chosen
        }

    def add(self, run: Run, problems: Mapping[str, object]) -> None:
        """Append the result of one run; the line is written to the file when this returns."""
        line = msgspec.json.encode(_Entry(*run, self._code, dict(problems)))
        with self._path.open("ab+") as file:
            cut_off = file.tell() > 0 and not self._ends_whole(file.tell())
            file.write((b"\n" if cut_off else b"") + line + b"\n")

    def _ends_whole(self, size: int) -> bool:
        with self._path.open("rb") as file:
            file.seek(size - 1)
            return file.read(1) == b"\n"


def _entry(line: bytes) -> _Entry | None:
    try:
        return msgspec.json.decode(line, type=_Entry)
    except msgspec.DecodeError:
        return None
