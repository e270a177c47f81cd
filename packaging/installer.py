"""Makes the Windows installer of the program folder that was built, with NSIS's makensis (Windows, Linux).

    python packaging/installer.py      makes dist/release/hyperscope-VERSION-windows-x86_64-setup.exe

What it does is in ``installer.nsi``: per user, without admin rights; ``/S`` installs in silence, and
``/D=FOLDER`` (last, without quotes) elsewhere. The portable zip beside it is made by ``packing.py``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from file_version import numbers
from icons import installer_picture, make_icons
from packing import write_checksum

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from resources.version import VERSION  # noqa: E402 - of this checkout, wherever the user stands

SCRIPT = Path(__file__).with_name("installer.nsi")
FOLDERS = (ROOT / "dist" / "hyperscope", ROOT / "dist" / "windows" / "hyperscope")
"""Where the program folder for Windows is built: on Windows itself, and under Wine."""

PICTURE = "installer.bmp"
RELEASE = ROOT / "dist" / "release"
PLACES = (r"C:\Program Files (x86)\NSIS\makensis.exe", r"C:\Program Files\NSIS\makensis.exe")


def main() -> int:
    """Make the installer; print what was made; return the exit code."""
    compiler = find_compiler()
    if compiler is None:
        print("installer: there is no makensis here: install NSIS 3", file=sys.stderr)
        return 1
    folder = next((one for one in FOLDERS if (one / "hyperscope-cli.exe").exists()), None)
    if folder is None:
        print("installer: there is no program folder for Windows: build it first", file=sys.stderr)
        return 1
    installer = RELEASE / f"hyperscope-{VERSION}-windows-x86_64-setup.exe"
    make_installer(compiler, folder, installer)
    line = write_checksum(installer).read_text(encoding="ascii").strip()
    print(f"{line}  ({installer.stat().st_size:,} bytes)")
    return 0


def make_installer(
    compiler: str, folder: Path, installer: Path, version: str = VERSION, *, target: str = ""
) -> None:
    """Make ``installer`` of the program in ``folder``. Raises CalledProcessError if makensis refuses.

    ``target`` is a processor as NSIS names it, ``amd64-unicode``, instead of the one that runs everywhere.
    """
    icons = installer.parent / "icons"
    installer.parent.mkdir(parents=True, exist_ok=True)
    make_icons(icons)
    try:
        (icons / PICTURE).write_bytes(installer_picture())
        words = command(compiler, folder, icons, installer, version)
        if target:
            words.insert(1, f"-XTarget {target}")
        subprocess.run(words, check=True)
    finally:
        shutil.rmtree(icons)


def command(compiler: str, folder: Path, icons: Path, installer: Path, version: str) -> list[str]:
    """Return the command line of makensis; ``icons`` is the folder that has its pictures."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    names = {
        "VERSION": version,
        "VERSION_NUMBERS": ".".join(map(str, numbers(version))),
        "SOURCE": str(folder),
        "ICON": str(icons / "hyperscope.ico"),
        "PICTURE": str(icons / PICTURE),
        "OUT": str(installer),
        "KILOBYTES": str(sum(path.stat().st_size for path in files) // 1024),
        "LONGEST": str(max(len(str(path.relative_to(folder))) for path in files)),
    }
    return [compiler, "-V2", *(f"-D{name}={text}" for name, text in names.items()), str(SCRIPT)]


def find_compiler(places: Sequence[str] = PLACES) -> str | None:
    """Return the path of makensis; None where there is none."""
    if found := shutil.which("makensis"):
        return found
    return next((place for place in places if os.name == "nt" and Path(place).exists()), None)


if __name__ == "__main__":
    sys.exit(main())
