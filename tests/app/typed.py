"""Commands of guided tests as a user types them, in a process of their own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_WITHIN_S = 600


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Typist:
    """Types commands; known hosts are in ``folder``, ``secrets`` go to stdin. ``program`` is the module that
    runs them, with its first words.
    """

    folder: Path
    login: Sequence[str] = ()
    secrets: Sequence[str] = ()
    program: Sequence[str] = ("app",)

    def dying(self, step: int, when: str = "while restoring", how: str = "SIGKILL") -> Typist:
        """One whose program gets a signal before a step (``tests.app.dying``); for -1 it counts them."""
        return replace(self, program=("tests.app.dying", when, str(step), how, str(self._steps)))

    @property
    def steps(self) -> int:
        """How many steps the last such program did that lived on."""
        return int(self._steps.read_text())

    @property
    def _steps(self) -> Path:
        return self.folder / "steps"

    @property
    def environment(self) -> Mapping[str, str]:
        return {**os.environ, "XDG_DATA_HOME": str(self.folder / "data"), "COLUMNS": "200"}

    def words(self, *words: object) -> list[str]:
        acts = words[:1] == ("restore",) or words[:2] in [("test", one) for one in _ACTING]
        return [sys.executable, "-m", *self.program, *map(str, words), *(self.login if acts else ())]

    def __call__(self, *words: object) -> Said:
        done = subprocess.run(
            self.words(*words), cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False,
            input="".join(f"{one}\n" for one in self.secrets), timeout=_WITHIN_S,
        )  # fmt: skip
        return Said(done.returncode, done.stdout, done.stderr)

    def begin(self, *words: object) -> subprocess.Popen[str]:
        """Start a command and let it go on."""
        begun = self._begin(words, stderr=subprocess.STDOUT)
        assert begun.stdin is not None
        begun.stdin.close()
        return begun

    def attached(self, *words: object) -> subprocess.Popen[str]:
        """Start a command that goes on taking lines from stdin, as a window starts it."""
        return self._begin(words, stderr=subprocess.DEVNULL)

    def _begin(self, words: Sequence[object], stderr: int) -> subprocess.Popen[str]:
        begun = subprocess.Popen(
            self.words(*words), cwd=ROOT, env=self.environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
        )  # fmt: skip
        assert begun.stdin is not None
        begun.stdin.write("".join(f"{one}\n" for one in self.secrets))
        begun.stdin.flush()
        return begun


_ACTING = ("plan", "check", "run", "resume")


def shorten(
    plan: Path, *, warm_up: float = 1, steady: float = 0, measure: float = 4, settle: float = 0
) -> None:
    """Make the phases of a plan short, as an admin does who edits it."""
    text = plan.read_text()
    for name, value in (
        ("warm_up_s", warm_up),
        ("steady_s", steady),
        ("measure_s", measure),
        ("settle_s", settle),
    ):
        text = re.sub(rf"^{name} = [1-9][0-9.]*$", f"{name} = {float(value)}", text, flags=re.MULTILINE)
    plan.write_text(text)


def confirmed(plan: Path) -> list[str]:
    """The words that confirm every disk of a plan."""
    workers = tomllib.loads(plan.read_text())["workers"]
    uuids = [disk["uuid"] for one in workers for disk in one["disks"] if disk.get("uuid")]
    return [word for uuid in uuids for word in ("--confirm", uuid.replace("-", "")[-8:])]
