"""What a release is made of: archives that come out the same each time, checksums, a bill of materials."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shutil
import sqlite3
import ssl
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import PySide6
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def packing(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The script; its folder is no package, as that would hide the library of the same name."""
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    yield importlib.import_module("packing")
    for name in ("packing", "licences"):
        sys.modules.pop(name)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A program folder with a program, a link to it, and a library in a folder below."""
    program = tmp_path / "hyperscope" / "hyperscope-cli"
    program.parent.mkdir()
    program.write_bytes(b"#!/bin/sh\n")
    program.chmod(0o755)
    (program.parent / "hyperscope").symlink_to("hyperscope-cli")
    library = program.parent / "_internal" / "büro.so"
    library.parent.mkdir()
    library.write_bytes(b"code " * 1000)
    return program.parent


@pytest.mark.skipif(sys.platform == "win32", reason="links and rights are not Windows's")
def test_a_tar_keeps_links_and_rights(packing: ModuleType, folder: Path, tmp_path: Path) -> None:
    archive = packing.pack(folder, tmp_path / "hyperscope-1.0-linux-x86_64")

    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path / "out", filter="data")
    out = tmp_path / "out" / "hyperscope"
    assert archive.name == "hyperscope-1.0-linux-x86_64.tar.gz"
    assert (out / "hyperscope").readlink() == Path("hyperscope-cli")
    assert os.access(out / "hyperscope-cli", os.X_OK)
    assert (out / "_internal" / "büro.so").read_bytes() == b"code " * 1000


@pytest.mark.parametrize("name", ["windows-x86_64", "linux-x86_64"])
def test_the_same_folder_gives_the_same_bytes(
    packing: ModuleType, folder: Path, tmp_path: Path, name: str
) -> None:
    first = packing.pack(folder, tmp_path / f"hyperscope-1.0-{name}").read_bytes()
    for path in folder.rglob("*"):
        os.utime(path, (1e9, 1e9), follow_symlinks=False)
    again = packing.pack(folder, tmp_path / f"hyperscope-1.0-{name}").read_bytes()

    assert hashlib.sha256(first).digest() == hashlib.sha256(again).digest()


def test_a_zip_for_windows_holds_every_file(packing: ModuleType, folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(packing.pack(folder, tmp_path / "hyperscope-1.0-windows-x86_64")) as packed:
        assert packed.namelist() == [
            "hyperscope/_internal/büro.so", "hyperscope/hyperscope", "hyperscope/hyperscope-cli",
        ]  # fmt: skip
        assert packed.testzip() is None


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="needs sha256sum")
def test_a_checksum_is_one_that_sha256sum_checks(packing: ModuleType, tmp_path: Path) -> None:
    archive = tmp_path / "hyperscope.zip"
    archive.write_bytes(b"packed")
    packing.write_checksum(archive)

    check = ["sha256sum", "--check", "hyperscope.zip.sha256"]
    assert subprocess.run(check, check=False, cwd=tmp_path, capture_output=True).returncode == 0
    archive.write_bytes(b"changed")
    assert subprocess.run(check, check=False, cwd=tmp_path, capture_output=True).returncode == 1


def test_a_bill_names_every_component_with_version_and_terms(packing: ModuleType) -> None:
    component = packing.Component("numpy", "2.4.1", "BSD-3-Clause", (), "pypi")
    bill = packing.bill_of_materials("1.0", [component])

    assert bill["components"] == [
        {
            "type": "library",
            "name": "numpy",
            "version": "2.4.1",
            "purl": "pkg:pypi/numpy@2.4.1",
            "licenses": [{"license": {"name": "BSD-3-Clause"}}],
        }
    ]
    assert json.loads(json.dumps(bill))["metadata"]["component"]["version"] == "1.0"


def test_the_icons_owner_is_among_the_components(packing: ModuleType, tmp_path: Path) -> None:
    contents = tmp_path / "contents.json"
    contents.write_text(json.dumps([str(ROOT / "resources" / "icons" / "x.svg")]), encoding="utf-8")

    [icons] = packing.components_of(contents)
    assert (icons.name, icons.terms) == ("Phosphor Icons", "MIT")
    assert "Phosphor Icons" in icons.texts[0].read_text(encoding="utf-8")


def _component_of(packing: ModuleType, tmp_path: Path, *sources: Path) -> dict[str, Any]:
    contents = tmp_path / "contents.json"
    contents.write_text(json.dumps([str(path) for path in sources]), encoding="utf-8")
    return {one.name: one for one in packing.components_of(contents)}


def test_qt_is_under_the_lgpl_and_not_under_what_is_bought(packing: ModuleType, tmp_path: Path) -> None:
    libraries = Path(PySide6.__file__).parent.rglob("*Core*")
    found = _component_of(packing, tmp_path, *(path for path in libraries if path.is_file()))

    assert set(found) == {"PySide6_Essentials", "Qt"}
    for one in found.values():
        assert one.version == PySide6.__version__
        assert [text.name for text in one.texts] == ["GPL-3.0.txt", "LGPL-3.0.txt"]
        assert one.is_lesser_gpl


def test_a_component_under_the_lgpl_without_its_text_stops_the_build(
    packing: ModuleType, tmp_path: Path
) -> None:
    licences = sys.modules["licences"]
    bought = tmp_path / "bought.txt"
    bought.write_text("Licensees holding valid commercial licenses may use this. " * 5, encoding="utf-8")
    for texts, problem in (((bought,), "no text of the LGPL"), ((licences.OWN_TEXTS / "LGPL-3.0.txt",), "")):
        one = packing.Component("Qt", "6.1", "LGPL-3.0-only", texts)
        place = tmp_path / "licences" / "Qt"
        place.mkdir(parents=True, exist_ok=True)
        for text in texts:
            shutil.copy(text, place)
        for name in ("NOTICE.txt", "SOURCE-OFFER.txt"):
            (place.parent / name).write_text("Qt 6.1", encoding="utf-8")
        if problem:
            with pytest.raises(licences.UnknownOriginError, match=problem):
                licences.check_licences(place.parent, [one])
        else:
            licences.check_licences(place.parent, [one])


def test_libraries_that_python_brings_are_named_with_their_versions(
    packing: ModuleType, tmp_path: Path
) -> None:
    python = Path(os.__file__).parent
    found = _component_of(packing, tmp_path, python / "libssl-3.dll", python / "sqlite3.dll")

    assert set(found) == {"Python", "OpenSSL", "SQLite"}
    assert found["OpenSSL"].version == ssl.OPENSSL_VERSION.split()[1]
    assert found["SQLite"].version == sqlite3.sqlite_version
    assert "Apache License" in found["OpenSSL"].texts[0].read_text(encoding="utf-8")
    assert found["SQLite"].texts[0].exists()


def test_without_a_build_it_says_what_to_run_first(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "packaging", tmp_path / "packaging")
    shutil.copytree(ROOT / "resources", tmp_path / "resources", ignore=shutil.ignore_patterns("*.toml"))
    done = subprocess.run(
        [sys.executable, str(tmp_path / "packaging" / "packing.py"), "linux-x86_64"],
        check=False, capture_output=True, text=True,
    )  # fmt: skip

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "packing: nothing is built yet: run 'python run.py bundle' first\n"


def test_a_package_is_read_once_however_many_of_its_files_are_inside(
    packing: ModuleType, tmp_path: Path
) -> None:
    files = [str(path) for path in Path(np.__file__).parent.rglob("*.py")]
    contents = tmp_path / "contents.json"
    contents.write_text(json.dumps([*files, json.__file__, os.__file__]), encoding="utf-8")

    assert {one.name for one in packing.components_of(contents)} == {"numpy", "Python"}
    assert len(files) > 100
    assert sys.modules["licences"]._of_distribution.cache_info().misses == 1


@pytest.mark.skipif(not shutil.which("dpkg-query"), reason="Debian's package manager is not here")
def test_the_package_manager_is_asked_once_about_all_libraries(
    packing: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = [shutil.which(name) or "" for name in ("dpkg-query", "tar", "sed")]
    contents = tmp_path / "contents.json"
    contents.write_text(json.dumps(tools), encoding="utf-8")
    asked: list[list[str]] = []
    run = subprocess.run

    def listening(words: list[str], **rest: Any) -> subprocess.CompletedProcess[str]:
        asked.append(words)
        return run(words, **rest)

    monkeypatch.setattr(subprocess, "run", listening)

    components = packing.components_of(contents)

    assert [one.name for one in components] == ["dpkg", "sed", "tar"]
    assert all(one.version and one.texts for one in components)
    assert [words[:2] for words in asked] == [["dpkg-query", "-S"], ["dpkg-query", "-W"]]


def test_whose_files_are_is_read_from_lists_without_looking_for_each(
    packing: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = tmp_path / "contents.json"
    contents.write_text(json.dumps([np.__file__]), encoding="utf-8")
    looked_for: list[object] = []
    monkeypatch.setattr(metadata.PathDistribution, "files", property(looked_for.append))

    assert [one.name for one in packing.components_of(contents)] == ["numpy"]
    assert not looked_for
