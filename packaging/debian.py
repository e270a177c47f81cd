"""Makes a Debian package of the Linux program folder that ``bundle.py`` built.

    python packaging/debian.py      of dist/hyperscope makes dist/release/hyperscope_VERSION_ARCH.deb

The folder goes to /usr/lib/hyperscope as it is; beside it are the command, an entry for menus, and the type
of session files. Nothing runs when it is installed or removed: the desktop's own triggers see the new files,
and settings and sessions, which lie in users' folders, stay where they are.
"""

from __future__ import annotations

import gzip
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from icons import make_icons
from packing import write_checksum

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from app.display import QT_LIBRARIES, X11_LIBRARIES  # noqa: E402 - of this checkout, wherever the user stands
from resources.version import VERSION  # noqa: E402

FOLDER = ROOT / "dist" / "hyperscope"
RELEASE = ROOT / "dist" / "release"
PLACE = Path("usr/lib/hyperscope")
MIME_TYPE = "application/x-hyperscope-session"
ARCHITECTURES = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
TIME_OF_NOBODY = "315532800"
"""1980-01-01, the time of every file: the same folder gives the same package."""

MAINTAINER = "Hyperscope <noreply@hyperscope.invalid>"
SUMMARY = "performance troubleshooting workbench for VMware vSphere"

CONTROL = """\
Package: hyperscope
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {kilobytes}
Depends: {depends}
Recommends: libcups2, shared-mime-info, desktop-file-utils
Section: admin
Priority: optional
Description: {summary}
 Hyperscope answers three questions about a vSphere environment: what is slow,
 why, and did the fix work. It records vCenter, ESXi and esxtop, or reads what
 they wrote, into session files that open anywhere, offline, years later.
"""

DESKTOP_ENTRY = f"""\
[Desktop Entry]
Type=Application
Name=Hyperscope
GenericName=vSphere performance workbench
Comment=What is slow in a vSphere environment, why, and did the fix work
Exec=hyperscope gui %f
Icon=hyperscope
Terminal=false
Categories=System;Monitor;
Keywords=vmware;vsphere;esxtop;vcenter;performance;
MimeType={MIME_TYPE};
StartupWMClass=hyperscope
"""

MIME_PACKAGE = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="{MIME_TYPE}">
    <comment>Hyperscope session</comment>
    <sub-class-of type="application/vnd.sqlite3"/>
    <icon name="hyperscope"/>
    <glob pattern="*.hscope"/>
  </mime-type>
</mime-info>
"""

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: hyperscope

Files: *
Copyright: the authors of Hyperscope
License: Apache-2.0
 The full text is in /usr/share/common-licenses/Apache-2.0. The licences of everything of others
 that is inside are below /usr/lib/hyperscope/licences, where NOTICE.txt names them all.
"""


def main() -> int:
    """Make the package; print what was made; return the exit code."""
    if not shutil.which("dpkg-deb"):
        print("debian: there is no dpkg-deb here, which makes the package", file=sys.stderr)
        return 1
    if not FOLDER.is_dir():
        print("debian: nothing is built yet: run 'python run.py bundle' first", file=sys.stderr)
        return 1
    package = make_package(FOLDER, RELEASE, ARCHITECTURES[platform.machine()])
    print(
        f"{write_checksum(package).read_text(encoding='ascii').strip()}  ({package.stat().st_size:,} bytes)"
    )
    return 0


def make_package(folder: Path, target: Path, architecture: str, version: str = VERSION) -> Path:
    """Make the package of the program in ``folder``, in the folder ``target``; return its path.

    Raises CalledProcessError if dpkg-deb refuses.
    """
    target.mkdir(parents=True, exist_ok=True)
    package = target / f"hyperscope_{version}_{architecture}.deb"
    with tempfile.TemporaryDirectory(dir=target) as temporary:
        tree = Path(temporary) / "tree"
        make_tree(folder, tree, architecture, version)
        command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", str(tree), str(package)]
        same_times = {**os.environ, "SOURCE_DATE_EPOCH": TIME_OF_NOBODY}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=same_times)
    return package


def make_tree(folder: Path, tree: Path, architecture: str, version: str) -> None:
    """Lay out in ``tree`` what the package installs, and what it says of itself."""
    tree.mkdir(parents=True)
    tree.chmod(0o755)
    shutil.copytree(folder, tree / PLACE, symlinks=True)
    command = tree / "usr/bin/hyperscope"
    command.parent.mkdir(parents=True)
    command.symlink_to("../lib/hyperscope/hyperscope")
    share = tree / "usr/share"
    _write(share / "applications/hyperscope.desktop", DESKTOP_ENTRY)
    _write(share / "mime/packages/hyperscope.xml", MIME_PACKAGE)
    _write(share / "doc/hyperscope/copyright", COPYRIGHT)
    history = (ROOT / "CHANGELOG.md").read_bytes()
    (share / "doc/hyperscope/changelog.gz").write_bytes(gzip.compress(history, 9, mtime=0))
    _lay_icons(share / "icons/hicolor")
    _write(tree / "DEBIAN/control", control(version, architecture, _kilobytes(tree)))


def control(version: str, architecture: str, kilobytes: int) -> str:
    """Return what the package says of itself: it depends on the libraries that Qt takes from the system."""
    libc = os.confstr("CS_GNU_LIBC_VERSION") if hasattr(os, "confstr") else None
    depends = [f"libc6 (>= {(libc or 'glibc 2.35').split()[1]})"]
    depends += sorted({*QT_LIBRARIES.values(), *X11_LIBRARIES.values()})
    return CONTROL.format(
        version=version,
        architecture=architecture,
        maintainer=MAINTAINER,
        kilobytes=kilobytes,
        depends=", ".join(depends),
        summary=SUMMARY,
    )


def _lay_icons(hicolor: Path) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        made = Path(temporary)
        make_icons(made)
        for size, name in (("256x256", "hyperscope.png"), ("scalable", "hyperscope.svg")):
            place = hicolor / size / "apps"
            place.mkdir(parents=True)
            shutil.copyfile(made / name, place / name)


def _kilobytes(tree: Path) -> int:
    return sum(path.lstat().st_size for path in tree.rglob("*") if not path.is_dir()) // 1024 + 1


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
