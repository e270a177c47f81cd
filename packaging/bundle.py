"""Builds the program folder for this platform, and tests what was built.

    python run.py bundle            builds dist/hyperscope (and Hyperscope.app on macOS)

The frozen program is then run as a user would: its help, its self-test (a window on a sample session), and a
headless demo. A failure of any of them fails the build, and so does a component without a licence text.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from licences import UnknownOriginError, check_licences, write_licences

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
WORK = ROOT / "build"


def main() -> int:
    """Build and test; return the exit code."""
    spec = ROOT / "packaging" / "hyperscope.spec"
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    command += ["--distpath", str(DIST), "--workpath", str(WORK), str(spec)]
    code = subprocess.run(command, check=False, cwd=ROOT).returncode
    if code:
        return code
    program = console_program()
    print(f"built {program.parent.relative_to(ROOT)}: {size_mb(program.parent):.0f} MB", flush=True)
    try:
        texts = program.parent / "licences"
        components = write_licences(WORK / "contents.json", texts)
        check_licences(texts, components)
    except UnknownOriginError as error:
        print(f"bundle: {error}", file=sys.stderr)
        return 1
    print(f"licences: {len(components)} components with their texts", flush=True)
    sample = DIST / "selftest" / "demo.hscope"
    sample.unlink(missing_ok=True)
    demo = ["demo", "--headless", "--duration", "120", "--json", "-o", str(sample)]
    for arguments in (["--help"], ["selftest"], demo, ["info", str(sample)]):
        code = run(program, arguments)
        if code:
            print(f"bundle: {program.name} {' '.join(arguments)} ended with {code}", file=sys.stderr)
            return code
    return 0


def console_program() -> Path:
    """Return the path of the console executable in the built folder."""
    name = "hyperscope-cli.exe" if os.name == "nt" else "hyperscope-cli"
    return DIST / "hyperscope" / name


def run(program: Path, arguments: list[str]) -> int:
    """Run the frozen program with neither this clone nor its packages on its path; return its exit code."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    print(f"testing: {program.name} {' '.join(arguments)}", flush=True)
    folder = DIST / "selftest"
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        [str(program), *arguments],
        check=False,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        timeout=600,
    )
    return done.returncode


def size_mb(folder: Path) -> float:
    """Return the size of a folder in MB of 1024 × 1024 bytes; a link counts as a link, not as its target."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / (1 << 20)


if __name__ == "__main__":
    sys.exit(main())
