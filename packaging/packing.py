"""Packs the program folder that ``bundle.py`` built, for a release.

    python packaging/packing.py NAME      of dist/hyperscope makes dist/release/hyperscope-VERSION-NAME…

An archive (a zip for Windows, else a tar.gz, which keeps links and rights; on macOS of Hyperscope.app), its
SHA-256 beside it in the form of ``sha256sum``, and a bill of materials (CycloneDX 1.5) of everything of
others inside. The same folder gives the same bytes: times and owners are those of nobody.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from licences import CONTENTS, Component, components_of

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
OLDEST_IN_A_ZIP = (1980, 1, 1, 0, 0, 0)


def main() -> int:
    """Pack; print what was made; return the exit code."""
    sys.path.insert(0, str(ROOT))
    from resources.version import VERSION  # noqa: PLC0415 - of this checkout, wherever the user stands

    if len(sys.argv) != len(("packing.py", "NAME")):
        print("packing: say for which system: windows-x86_64, macos-arm64, linux-x86_64", file=sys.stderr)
        return 2
    name = sys.argv[1]
    folder = program_folder(name)
    contents = folder.parent / CONTENTS
    if not folder.is_dir() or not contents.exists():
        print("packing: nothing is built yet: run 'python run.py bundle' first", file=sys.stderr)
        return 1
    target = DIST / "release" / f"hyperscope-{VERSION}-{name}"
    target.parent.mkdir(parents=True, exist_ok=True)
    archive = pack(folder, target)
    bill = target.with_name(f"{target.name}.cdx.json")
    text = json.dumps(bill_of_materials(VERSION, components_of(contents)), indent=1)
    bill.write_text(text + "\n", encoding="utf-8")
    for path in (archive, bill):
        print(f"{write_checksum(path).read_text(encoding='ascii').strip()}  ({path.stat().st_size:,} bytes)")
    return 0


def program_folder(name: str) -> Path:
    """Return where the program for the system ``name`` is built: for Windows also where it is under Wine."""
    if name.startswith("macos") and (DIST / "Hyperscope.app").is_dir():
        return DIST / "Hyperscope.app"
    wines = DIST / "windows" / "hyperscope"
    return wines if name.startswith("windows") and wines.is_dir() else DIST / "hyperscope"


def pack(folder: Path, target: Path) -> Path:
    """Pack ``folder`` into an archive whose name begins with that of ``target``; return its path."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    if "windows" in target.name:
        archive = target.with_name(f"{target.name}.zip")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for path in files:
                entry = zipfile.ZipInfo(_inside(path, folder), OLDEST_IN_A_ZIP)
                entry.compress_type = zipfile.ZIP_DEFLATED
                packed.writestr(entry, path.read_bytes())
        return archive
    archive = target.with_name(f"{target.name}.tar.gz")
    with (
        archive.open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as packed,
    ):
        for path in files:
            packed.add(path, _inside(path, folder), recursive=False, filter=_of_nobody)
    return archive


def bill_of_materials(version: str, components: Iterable[Component]) -> dict[str, object]:
    """Return the CycloneDX document of a program of this version made with ``components``."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "hyperscope",
                "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": [
            {
                "type": "library",
                "name": one.name,
                "version": one.version,
                "purl": f"pkg:{one.kind}/{quote(one.name.lower())}@{quote(one.version)}",
                "licenses": [{"license": {"name": one.terms}}],
            }
            for one in components
        ],
    }


def write_checksum(path: Path) -> Path:
    """Write the SHA-256 of a file beside it, as ``sha256sum --check`` reads it; return the path."""
    beside = path.with_name(f"{path.name}.sha256")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    beside.write_text(f"{digest}  {path.name}\n", encoding="ascii", newline="\n")
    return beside


def _inside(path: Path, folder: Path) -> str:
    return path.relative_to(folder.parent).as_posix()


def _of_nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = 0, 0, 0, "", ""
    return entry


if __name__ == "__main__":
    sys.exit(main())
