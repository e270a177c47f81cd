"""Runs Hyperscope from a fresh clone, on a machine that has nothing but Python 3.11 or newer.

    python run.py              the workbench on the embedded lab (without a display: the same, headless)
    python run.py test         every check and every test, with all that they need
    python run.py lint         formatting, lint, types and layers only
    python run.py bench        the benchmarks, each beside its peer; writes benchmarks/RESULTS.md
    python run.py lock         resolve the requirement files anew (developers)
    python run.py ARGS…        anything else goes to hyperscope: python run.py import capture.csv -o s.hscope

Standard library only. It makes .venv beside this file from the hash-locked files in requirements/ and
makes it again when those change.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
OLDEST = (3, 11)

# What each kind of work installs; the later ones hold all of the earlier ones.
LEVELS = ("run", "test", "bench")
LOCKS = {"run": (), "test": ("--group", "dev"), "bench": ("--group", "dev", "--group", "bench")}


def main(words: Sequence[str]) -> int:
    """Do what the words say; returns the exit code."""
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        return fail(f"Python {found} is too old.", f"Install Python {OLDEST[0]}.{OLDEST[1]} or newer.")
    verb = words[0] if words else ""
    if verb == "test":
        return test(words[1:])
    if verb == "lint":
        return prepare("test") or lint()
    if verb == "bench":
        return prepare("bench") or python("-m", "benchmarks", *words[1:], where=ROOT)
    if verb == "lock":
        return lock(words[1:])
    # -P: a folder called app where the user stands must not be taken for ours.
    return prepare("run") or python("-P", "-m", "app", *(words or ("demo",)))


def test(words: Sequence[str]) -> int:
    """Lint and every test; words go to pytest (then only the tests run)."""
    if code := prepare("test"):
        return code
    if words:
        return python("-m", "pytest", *words, where=ROOT)
    return lint() or python("-m", "pytest", "-n", "auto", "--dist", "worksteal", "-q", where=ROOT)


def lint() -> int:
    """Formatting, lint, types, layers, generated pages: all of them run, the first failure is returned."""
    checks: tuple[tuple[str, ...], ...] = (
        ("-m", "ruff", "format", "--check", "."),
        ("-m", "ruff", "check", "."),
        ("-m", "mypy"),
        ("-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"),
        ("docs/generate.py", "--check"),
    )
    codes = []
    for check in checks:
        say("checking: " + " ".join(word for word in check if not word.startswith("-"))[:60])
        codes.append(python(*check, where=ROOT))
    return next((code for code in codes if code), 0)


def prepare(level: str) -> int:
    """Make or renew .venv so that it holds what ``level`` needs; returns 0 or an exit code."""
    have = installed_level()
    if have is not None and LEVELS.index(have) >= LEVELS.index(level):
        return 0
    if not PYTHON.exists() and (code := make_venv()):
        return code
    say(f"installing what '{level}' needs into {VENV.name} …")
    # Hashes are checked, and nothing is built: a package without a wheel for this machine is an error here.
    code = python(
        *("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"),
        *("--require-hashes", "--only-binary", ":all:", "-r", str(lock_file(level))),
    )
    if code:
        return fail(
            "The packages could not be installed.",
            "Look at pip's message above; it needs a package index, or a proxy set as pip expects it.",
        )
    stamp_file().write_text(f"{level}\n{fingerprint()}\n", encoding="utf-8")
    return 0


def make_venv() -> int:
    """Create .venv, on Debian and Ubuntu with the package that their Python leaves out."""
    say(f"making {VENV.name} …")
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode == 0:
        return 0
    name = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    line = f"apt-get install -y {name}"
    if "ensurepip" not in done.stdout + done.stderr or not shutil.which("apt-get"):
        return fail("Python could not make a virtual environment.", (done.stderr or done.stdout).strip())
    if os.name != "posix" or os.geteuid() != 0:  # type: ignore[unused-ignore,attr-defined]
        return fail("This Python comes without its venv module.", f"Run: sudo {line}")
    say(f"installing {name} …")
    subprocess.run(["apt-get", "update", "-qq"], check=False)
    subprocess.run(line.split(), check=False, stdout=subprocess.DEVNULL)
    return subprocess.run(command, check=False).returncode


def installed_level() -> str | None:
    """What .venv was made for, None when there is none, it is broken, or the lock files have changed."""
    try:
        level, made_from = stamp_file().read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return None
    return level if level in LEVELS and made_from == fingerprint() and PYTHON.exists() else None


def fingerprint() -> str:
    """Changes with any lock file and with the Python that made .venv."""
    digest = hashlib.sha256(repr(sys.version_info[:2]).encode())
    for level in LEVELS:
        digest.update(lock_file(level).read_bytes())
    return digest.hexdigest()[:32]


def lock_file(level: str) -> Path:
    """The requirement file of a level."""
    return ROOT / "requirements" / f"{level}.txt"


def stamp_file() -> Path:
    """Says what .venv holds."""
    return VENV / "hyperscope-installed.txt"


def lock(words: Sequence[str]) -> int:
    """Resolve every requirement file for Windows, macOS and Linux, CPython 3.11 and newer, with hashes."""
    if code := prepare("run"):
        return code
    code = python(
        *("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"),
        *("-r", str(lock_file("lock"))),
    )
    options = (
        *("--quiet", "--universal", "--python-version", ".".join(map(str, OLDEST)), "--generate-hashes"),
        *("--no-annotate", "--no-header", "--no-emit-index-url"),
    )
    for level, groups in LOCKS.items():
        target = str(lock_file(level).relative_to(ROOT))
        code = code or python(
            *("-m", "uv", "pip", "compile", *options, *groups, *words, "-o", target, "pyproject.toml"),
            where=ROOT,
        )
    return code


def python(*words: str, where: Path | None = None) -> int:
    """Run .venv's Python where the user stands (or in ``where``) and return its exit code."""
    # Importable from anywhere; UTF-8 on a Windows console and in its pipes.
    environment = {**os.environ, "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([str(PYTHON), *words], env=environment, cwd=where) as child:
        while True:
            try:
                return child.wait()
            except KeyboardInterrupt:
                continue  # Ctrl-C went to the child as well: let it clean up and say so


def say(text: str) -> None:
    """Tell the person at the terminal, apart from the program's own output."""
    print(text, file=sys.stderr, flush=True)


def fail(what: str, try_this: str) -> int:
    """Say what is wrong in one line and what to do in the next."""
    say(f"run.py: {what}\n        {try_this}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
