"""Builds the program folder for this platform, and tests what was built.

    python run.py bundle            builds dist/hyperscope (and Hyperscope.app on macOS)

The frozen program is then run as a user would: its help, its self-test (a window on a sample session; on
Linux on a display, where Xvfb is there), and a headless demo. A failure of any of them fails the build, and
so does a component without a licence text, and a library of Qt's that is missing.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from licences import CONTENTS, UnknownOriginError, check_licences, write_licences
from selection import unmet

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
WORK = ROOT / "build"
MAX_MB = 200
"""How large the folder may be, in MB of 1024 × 1024 bytes: what the project promises."""


def main() -> int:
    """Build and test; return the exit code."""
    spec = ROOT / "packaging" / "hyperscope.spec"
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    command += ["--distpath", str(DIST), "--workpath", str(WORK), str(spec)]
    code = subprocess.run(command, check=False, cwd=ROOT).returncode
    if code:
        return code
    program = console_program()
    if sys.platform.startswith("linux"):
        slim(program.parent)
        if missing := unmet(program.parent, brought_by_qt()):
            print(f"bundle: a library that Qt needs is not inside: {', '.join(missing)}", file=sys.stderr)
            return 1
    size = size_mb(program.parent)
    print(f"built {program.parent.relative_to(ROOT)}: {size:.0f} MB", flush=True)
    if size > MAX_MB:
        print(
            f"bundle: {size:.0f} MB is more than {MAX_MB}: what came in is for selection.py", file=sys.stderr
        )
        return 1
    try:
        texts = program.parent / "licences"
        components = write_licences(DIST / CONTENTS, texts)
        check_licences(texts, components)
    except UnknownOriginError as error:
        print(f"bundle: {error}", file=sys.stderr)
        return 1
    print(f"licences: {len(components)} components with their texts", flush=True)
    sample = DIST / "selftest" / "demo.hscope"
    sample.unlink(missing_ok=True)
    demo = ["demo", "--headless", "--duration", "120", "--json", "-o", str(sample)]
    for arguments in (["--help"], demo, ["info", str(sample)]):
        code = run([str(program), *arguments])
        if code:
            print(f"bundle: {program.name} {' '.join(arguments)} ended with {code}", file=sys.stderr)
            return code
    return window(program)


def window(program: Path) -> int:
    """Run the self-test, on a real display where one can be had; return the exit code."""
    seen = DIST / "selftest" / "window.json"
    on_display = display_command()
    code = run([*on_display, str(program), "selftest", "--json"], seen)
    if code:
        print(f"bundle: the self-test ended with {code}", file=sys.stderr)
        return code
    drawn_by = json.loads(seen.read_text(encoding="utf-8"))["platform"]
    print(f"the window was drawn by Qt's {drawn_by}", flush=True)
    if on_display and drawn_by == "offscreen":
        print("bundle: the window was not shown on the display", file=sys.stderr)
        return 1
    return 0


def display_command() -> list[str]:
    """Return what a command line must begin with to have a display: Xvfb, on a Linux without one."""
    if not sys.platform.startswith("linux") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return []
    xvfb = shutil.which("xvfb-run")
    return [xvfb, "-a"] if xvfb else []


def slim(folder: Path) -> None:
    """Take from a Linux folder what nothing reads: debuggers' symbols, and the second of two equal programs.

    numpy's libraries are left as they are: they were changed after linking, which strip may not survive.
    """
    if shutil.which("strip"):
        libraries = [path for path in folder.rglob("*.so*") if path.is_file() and not path.is_symlink()]
        libraries = [str(path) for path in libraries if path.parent.name != "numpy.libs"]
        subprocess.run(["strip", "--strip-unneeded", *libraries], check=True)
    twin = folder / "hyperscope-cli"
    twin.unlink()
    twin.symlink_to(
        "hyperscope"
    )  # one has a console and the other none: that is a matter of Windows and macOS


def brought_by_qt() -> set[str]:
    """Return the names of the libraries that PySide6 ships."""
    found = importlib.util.find_spec("PySide6")
    assert found is not None
    places = found.submodule_search_locations or ()
    return {path.name for place in places for path in (Path(place) / "Qt" / "lib").iterdir()}


def console_program() -> Path:
    """Return the path of the console executable in the built folder."""
    name = "hyperscope-cli.exe" if os.name == "nt" else "hyperscope-cli"
    return DIST / "hyperscope" / name


def run(command: Sequence[str], output: Path | None = None) -> int:
    """Run the frozen program with neither this clone nor its packages on its path; return its exit code.

    What it prints is kept in ``output``, if one is given.
    """
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    print(f"testing: {' '.join(Path(word).name for word in command)}", flush=True)
    folder = DIST / "selftest"
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        command,
        check=False,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=600,
    )
    if output is not None:
        output.write_bytes(done.stdout)
    return done.returncode


def size_mb(folder: Path) -> float:
    """Return the size of a folder in MB of 1024 × 1024 bytes; a link counts as a link, not as its target."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / (1 << 20)


if __name__ == "__main__":
    sys.exit(main())
