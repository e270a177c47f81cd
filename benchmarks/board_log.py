"""The scoreboard's outcomes run by run, as JSON lines: a run that is there need not be played again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
_CODE = ("benchmarks", "collectors/columns", "collectors/lab", "diagnosis", "sessions")
_KNOWLEDGE = ("resources",)

Run = tuple[str, int]
"""Scenario and seed."""


def fingerprint() -> str:
    """What an outcome depends on besides scenario and seed: the code and knowledge behind it, and numpy."""
    digest = hashlib.sha256(np.__version__.encode())
    files = [path for folder in _CODE for path in (ROOT / folder).rglob("*.py")]
    files += [
        path for folder in _KNOWLEDGE for end in ("py", "toml") for path in (ROOT / folder).rglob(f"*.{end}")
    ]
    for path in sorted(files):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


class BoardLog:
    """Appends outcomes to a file and knows those that the same code left there.

    A line is ``{"scenario", "seed", "code", "problems"}``; lines of other code, and one that was cut off, are
    passed over. Raises OSError where the file can't be read or written.
    """

    def __init__(self, path: Path, code: str) -> None:
        self._path = path
        self._code = code

    def known(self, wanted: Iterable[Run]) -> dict[Run, Mapping[str, object]]:
        """Outcomes by run, of the wanted runs that are there."""
        if not self._path.exists():
            return {}
        chosen = set(wanted)
        found: dict[Run, Mapping[str, object]] = {}
        for line in self._path.read_text(encoding="utf-8").splitlines():
            entry = _entry(line)
            if entry.get("code") == self._code and (run := (entry["scenario"], entry["seed"])) in chosen:
                found[run] = entry["problems"]
        return found

    def add(self, run: Run, problems: Mapping[str, object]) -> None:
        """Append one outcome; it is in the file when this returns."""
        entry = {"scenario": run[0], "seed": run[1], "code": self._code, "problems": problems}
        whole = not self._path.exists() or self._path.read_bytes()[-1:] in (b"", b"\n")
        with self._path.open("a", encoding="utf-8") as file:
            file.write(("" if whole else "\n") + json.dumps(entry) + "\n")


def _entry(line: str) -> dict[str, object]:
    try:
        entry = json.loads(line)
    except ValueError:
        return {}
    return entry if isinstance(entry, dict) and {"scenario", "seed", "problems"} <= entry.keys() else {}
