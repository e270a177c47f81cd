"""What must work on a Windows, in seven steps: a line is printed for each.

Run from this checkout by the Windows Python, or with a frozen program in a folder with blanks and umlauts.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wine import NATIVE, PYTHON, WINES_OWN, WITHOUT_CPP, Ran, on_windows, run


@dataclass
class Steps:
    """Steps in a folder, one after the other: with this checkout's Hyperscope, or a frozen ``program``."""

    folder: Path
    program: Path | None = None
    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def step(
        self, title: str, words: Sequence[str], *, cpp: bool = True, holds: str = "",
        environment: Mapping[str, str] | None = None,
    ) -> Ran:  # fmt: skip
        """Run ``hyperscope`` with ``words``; the step fails if that fails, or does not print ``holds``.

        Without ``cpp`` it is a Windows that never had the Visual C++ redistributable.
        """
        done = self.command(
            words, {"WINEDLLOVERRIDES": NATIVE if cpp else WITHOUT_CPP, **(environment or {})}
        )
        text = done.out.decode("utf-8", "replace")
        why = f"exit code {done.code}" if done.code else f"{holds!r} is not in {text[-500:]!r}"
        said = done.err.decode("utf-8", "replace")[-2000:]
        self.holds(title, not done.code and holds in text, f"{why}\n{said}")
        return done

    def command(self, words: Sequence[str], environment: Mapping[str, str] | None = None) -> Ran:
        """Run ``hyperscope`` with ``words``."""
        start = [] if self.program else ["-P", "-m", "app"]
        return run([*start, *words], program=self.program, environment=environment)

    def holds(self, title: str, passed: bool, why: str = "") -> None:
        """Note and print whether something holds, and why not."""
        (self.passed if passed else self.failed).append(title)
        print(f"ok     {title}" if passed else f"FAILED {title}: {why}", flush=True)

    def place(self, name: str) -> str:
        """Return the Windows path of a file of this run."""
        return on_windows(self.folder / name)


def short_run(program: Path | None = None) -> int:
    """Run what must work, from this checkout or as a frozen ``program``; print a line for each step;
    return 0 or 1.
    """
    with tempfile.TemporaryDirectory(prefix="Büro ") as folder:
        if program is not None:  # a user puts it where there are blanks and umlauts
            moved = Path(folder) / "Hyperscope für uns"
            shutil.copytree(program.parent, moved)
            lend(moved)
            program = moved / program.name
        steps = Steps(Path(folder), program)
        basics(steps)
        window = steps.folder / "window.png"
        steps.step("open the window", ["selftest", "--screenshot", on_windows(window)])
        if not window.exists():
            steps.failed.append("a picture of the window")
    return 1 if steps.failed else 0


def basics(steps: Steps) -> None:
    """Start, make a capture of the lab, import and diagnose it, name it in a pipe, record."""
    steps.step("start without the C++ redistributable", ["--help"], cpp=False, holds="import")
    capture = steps.place("Büro 🙂.csv")
    steps.step("write a capture of the lab", ["lab", "export", "cpu-limit-vm", "-o", capture])
    session = steps.place("Büro 🙂 数据.hscope")
    steps.step("import it", ["import", capture, "-o", session], cpp=False)
    steps.step("diagnose it", ["diagnose", session, "--json"], holds='"cpu.limit"')
    steps.step("its name in a pipe", ["info", session], holds="Büro 🙂.csv")
    live = ["demo", "--headless", "--duration", "120", "-o", steps.place("demo.hscope")]
    steps.step("record the lab by a process of its own", live)


def lend(folder: Path) -> list[Path]:
    """Put into a program's folder what every Windows 10 has and Wine has not; return the paths."""
    return [Path(shutil.copy(PYTHON / library, folder)) for library in WINES_OWN]
