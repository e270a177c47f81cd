"""Builds the program folder for Windows with the Windows Python under Wine, and runs it as a user would."""

from __future__ import annotations

from pathlib import Path

from bundle import MAX_MB, size_mb
from windows_runs import short_run
from wine import ROOT, WINES_OWN, on_windows, run_python

FOLDER = ROOT / "dist" / "windows" / "hyperscope"
PACKAGING = ROOT / "packaging"


def build() -> int:
    """Build ``dist/windows/hyperscope`` with the licences of what is inside; run it; return the exit code."""
    words = ["-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    words += ["--distpath", on_windows(FOLDER.parent), "--workpath", on_windows(ROOT / "build" / "windows")]
    code = run_python([*words, on_windows(PACKAGING / "hyperscope.spec")])
    if code:
        return code
    if problem := what_is_wrong(FOLDER):
        print(f"windows: {problem}")
        return 1
    print(f"built {FOLDER.relative_to(ROOT)}: {size_mb(FOLDER):.0f} MB", flush=True)
    licences = [on_windows(PACKAGING / "licences.py"), on_windows(FOLDER)]
    if code := run_python(licences):
        return code
    return short_run(FOLDER / "hyperscope-cli.exe")


def what_is_wrong(folder: Path) -> str:
    """Return what a program folder must not be: too large, or with Wine's stand-ins; else nothing."""
    size = size_mb(folder)
    if size > MAX_MB:
        return f"{size:.0f} MB is more than {MAX_MB}: what came in is for selection.py"
    stand_ins = [path.name for path in folder.rglob("*.dll") if path.name.lower() in WINES_OWN]
    return f"these belong to Windows, not to us: {', '.join(sorted(stand_ins))}" if stand_ins else ""
