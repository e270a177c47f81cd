"""The Debian package: what it installs, what it says of itself, and that dpkg takes and removes it."""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from app.display import QT_LIBRARIES, X11_LIBRARIES

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a package for Linux")
needs_dpkg = pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="needs dpkg-deb, which is Debian's")


@pytest.fixture
def debian(script: Callable[[str], ModuleType]) -> ModuleType:
    return script("debian")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A stand-in for the program folder: a program that says which it is, and a link to it."""
    program = tmp_path / "hyperscope" / "hyperscope"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "stand-in $*"\n', encoding="ascii")
    program.chmod(0o755)
    (program.parent / "hyperscope-cli").symlink_to("hyperscope")
    (program.parent / "licences").mkdir()
    (program.parent / "licences" / "NOTICE.txt").write_text("notice", encoding="ascii")
    return program.parent


@pytest.fixture
def tree(debian: ModuleType, folder: Path, tmp_path: Path) -> Path:
    debian.make_tree(folder, tmp_path / "tree", "amd64", "1.2.3")
    return tmp_path / "tree"


def test_the_command_is_a_link_to_the_program(tree: Path) -> None:
    command = tree / "usr/bin/hyperscope"

    assert command.readlink() == Path("../lib/hyperscope/hyperscope")
    assert command.resolve() == (tree / "usr/lib/hyperscope/hyperscope").resolve()
    assert os.access(command, os.X_OK)
    assert (tree / "usr/lib/hyperscope/hyperscope-cli").is_symlink()


def test_a_session_opens_by_its_type_in_the_window(tree: Path, debian: ModuleType) -> None:
    entry = configparser.RawConfigParser()
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(tree / "usr/share/applications/hyperscope.desktop", encoding="utf-8")
    types = ElementTree.parse(tree / "usr/share/mime/packages/hyperscope.xml")
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    [kind] = types.getroot().iter(f"{space}mime-type")
    [pattern] = kind.iter(f"{space}glob")

    assert entry["Desktop Entry"]["MimeType"] == f"{kind.get('type')};" == f"{debian.MIME_TYPE};"
    assert entry["Desktop Entry"]["Exec"] == "hyperscope gui %f"
    assert pattern.get("pattern") == "*.hscope"
    icon = entry["Desktop Entry"]["Icon"]
    assert (tree / f"usr/share/icons/hicolor/256x256/apps/{icon}.png").is_file()
    assert (tree / f"usr/share/icons/hicolor/scalable/apps/{icon}.svg").is_file()


def test_it_depends_on_every_library_that_the_window_takes_from_the_system(debian: ModuleType) -> None:
    fields = dict(
        line.split(": ", 1) for line in debian.control("1.2.3", "arm64", 7).splitlines() if ": " in line
    )

    assert (fields["Version"], fields["Architecture"], fields["Installed-Size"]) == ("1.2.3", "arm64", "7")
    depends = {one.split()[0] for one in fields["Depends"].split(", ")}
    assert depends == {"libc6", *QT_LIBRARIES.values(), *X11_LIBRARIES.values()}


@needs_dpkg
def test_dpkg_reads_the_package_and_nothing_runs_with_it(
    debian: ModuleType, folder: Path, tmp_path: Path
) -> None:
    package = debian.make_package(folder, tmp_path / "release", "amd64", "1.2.3")
    listed = subprocess.run(
        ["dpkg-deb", "--contents", str(package)], check=True, capture_output=True, text=True
    ).stdout
    subprocess.run(["dpkg-deb", "--control", str(package), str(tmp_path / "control")], check=True)

    assert package.name == "hyperscope_1.2.3_amd64.deb"
    assert [path.name for path in package.parent.iterdir()] == [package.name]
    assert all(line.split()[1] == "root/root" for line in listed.splitlines())
    assert "./usr/bin/hyperscope -> ../lib/hyperscope/hyperscope" in listed
    assert [path.name for path in (tmp_path / "control").iterdir()] == ["control"]
    assert (
        debian.make_package(folder, tmp_path / "again", "amd64", "1.2.3").read_bytes() == package.read_bytes()
    )


@needs_dpkg
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can install a package")
def test_it_installs_upgrades_and_purges_and_leaves_sessions(
    debian: ModuleType, folder: Path, tmp_path: Path
) -> None:
    root = tmp_path / "root"
    for name in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/lib/dpkg/triggers", "home/anna"):
        (root / name).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    session = root / "home/anna/night.hscope"
    session.write_bytes(b"samples")
    first, second = (debian.make_package(folder, tmp_path, "amd64", one) for one in ("1.0", "1.1"))
    dpkg = [
        "dpkg",
        f"--root={root}",
        "--force-depends",
        "--force-architecture",
        "--force-not-root",
        "--force-bad-path",
    ]

    for words in (["--install", str(first)], ["--install", str(second)]):
        subprocess.run([*dpkg, *words], check=True, capture_output=True)
    said = subprocess.run([root / "usr/bin/hyperscope", "info"], check=True, capture_output=True, text=True)
    assert said.stdout == "stand-in info\n"
    assert "Version: 1.1" in (root / "var/lib/dpkg/status").read_text(encoding="utf-8")

    subprocess.run([*dpkg, "--purge", "hyperscope"], check=True, capture_output=True)
    left = [path for path in root.rglob("*") if path.is_file() and "var/lib/dpkg" not in str(path)]
    assert [path for path in left if "var/log" not in str(path)] == [session]
    assert not (root / "usr/lib/hyperscope").exists()
