"""The third-party components in the bundle and their licences, found from the files that are really inside.

    python packaging/licences.py FOLDER     writes the texts into FOLDER/licences, and checks them

The build writes ``contents.json`` beside the program's folder: the origin of every module and file. Each is
traced to its component (a Python distribution, Python itself, a system package), whose licence texts go into
the bundle below ``licences/``, beside NOTICE.txt, which names them all, and SOURCE-OFFER.txt, for those under
the LGPL. It runs on the Python that built the folder.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import sqlite3
import ssl
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path, PurePosixPath
from string import Template

ROOT = Path(__file__).resolve().parent.parent
OWN_TEXTS = ROOT / "packaging" / "licences"
"""Texts of licences that their owners' packages name and do not bring."""

ICONS = ROOT / "resources" / "icons"
"""Drawings of others that lie in our own tree."""

CONTENTS = "contents.json"
"""What the build writes beside the program's folder."""

_TEXT_NAMES = re.compile(r"(licen[cs]e|copying|notice|copyright)", re.IGNORECASE)
_LGPL = re.compile(r"LGPL|Lesser General Public", re.IGNORECASE)
_BROUGHT_TEXTS = {
    "LGPL-3.0": ("LGPL-3.0.txt", "GPL-3.0.txt")
}  # the LGPL is written as a supplement to the GPL
_LESSER = re.compile(r"(lesser|library) general public licen[cs]e")
_ALTERNATIVE = re.compile(r"commercial", re.IGNORECASE)
"""A text of terms that we do not use a component under: those of who bought Qt."""

_QT = re.compile(r"(lib)?Qt6?(Core|Gui|Svg|Widgets|PrintSupport|DBus|Wayland|XcbQpa)")
_OPENSSL = re.compile(r"lib(ssl|crypto)", re.IGNORECASE)
_SQLITE = re.compile(r"(lib)?sqlite3?\.", re.IGNORECASE)
_WINDOWS_RUNTIME = re.compile(r"^(vcruntime|msvcp|ucrtbase|api-ms-win|concrt)", re.IGNORECASE)


class UnknownOriginError(Exception):
    """A file in the bundle belongs to no component, or its component has no licence text."""


@dataclass(frozen=True)
class Component:
    """A third-party component in the bundle. ``terms`` is the licence as its authors name it, ``kind`` the
    package manager that knows it (a type of package URL: ``pypi``, ``deb``, ``generic``).
    """

    name: str
    version: str
    terms: str
    texts: tuple[Path, ...] = field(default=())
    kind: str = "generic"

    @property
    def is_lesser_gpl(self) -> bool:
        """True if its licence is the LGPL, which requires an offer of the source."""
        return bool(_LGPL.search(self.terms))


def main() -> int:
    """Write the texts of the program folder that is named; print how many; return the exit code."""
    folder = Path(sys.argv[1]).resolve()
    texts = folder / "licences"
    try:
        components = write_licences(folder.parent / CONTENTS, texts)
        check_licences(texts, components)
    except UnknownOriginError as error:
        print(f"licences: {error}", file=sys.stderr)
        return 1
    print(f"licences: {len(components)} components with their texts", flush=True)
    return 0


def write_licences(contents: Path, target: Path) -> list[Component]:
    """Write the licence texts of everything in ``contents`` (the build's JSON) below ``target``;
    return the components.

    Raises UnknownOriginError for a file without a component, and for a component without a text.
    """
    components = components_of(contents)
    without = [one.name for one in components if not one.texts]
    if without:
        raise UnknownOriginError(f"no licence text for {', '.join(without)}")
    shutil.rmtree(target, ignore_errors=True)
    for one in components:
        folder = target / _folder(one)
        folder.mkdir(parents=True)
        for number, text in enumerate(one.texts):
            name = text.name if not (folder / text.name).exists() else f"{number}-{text.name}"
            shutil.copyfile(text, folder / name)
    (target / "NOTICE.txt").write_text(_notice(components), encoding="utf-8")
    (target / "SOURCE-OFFER.txt").write_text(_offer(components), encoding="utf-8")
    return components


def components_of(contents: Path) -> list[Component]:
    """Return the components of everything in ``contents`` by name. Raises UnknownOriginError."""
    listed = json.loads(contents.read_text(encoding="utf-8"))
    return sorted(set(_owners(Path(source) for source in listed)), key=lambda one: one.name.lower())


def check_licences(target: Path, components: Iterable[Component]) -> None:
    """Check that the bundle has the texts of every component, and the source offer.

    Raises UnknownOriginError.
    """
    notice = (target / "NOTICE.txt").read_text(encoding="utf-8")
    offer = (target / "SOURCE-OFFER.txt").read_text(encoding="utf-8")
    for one in components:
        texts = [path for path in (target / _folder(one)).iterdir() if path.stat().st_size > 100]
        if not texts or f"{one.name} {one.version}" not in notice:
            raise UnknownOriginError(f"the bundle has no licence text of {one.name}")
        if one.is_lesser_gpl and not any(_LESSER.search(_plain(text)) for text in texts):
            raise UnknownOriginError(f"the bundle has no text of the LGPL beside {one.name}")
        if one.is_lesser_gpl and f"{one.name} {one.version}" not in offer:
            raise UnknownOriginError(f"the bundle offers no source of {one.name}")


def _owners(sources: Iterable[Path]) -> Iterator[Component]:
    by_file = _distributions_by_file()
    system: set[Path] = set()
    for source in sources:
        path = source.resolve()
        if path.is_relative_to(ICONS):
            yield Component("Phosphor Icons", "1.3", "MIT", (ICONS / "LICENSE.txt",))
        elif (owner := by_file.get(path) or by_file.get(source.absolute())) is not None:
            component = _of_distribution(owner)
            yield component
            if component.name.startswith("PySide6") and _QT.match(path.name):
                yield Component("Qt", component.version, component.terms, component.texts)
        elif path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / ".venv"):
            continue  # ours: LICENSE lies beside the program
        elif _is_python(path):
            yield _python()
            yield from _with_python(path.name)
        elif _WINDOWS_RUNTIME.match(path.name):
            continue  # Microsoft's runtime, which its owner lets every program carry
        else:
            system.add(source)
    yield from _of_system(system)


def _distributions_by_file() -> dict[Path, metadata.Distribution]:
    found: dict[Path, metadata.Distribution] = {}
    for distribution in metadata.distributions():
        root = Path(str(distribution.locate_file("")))
        for place in {root.absolute(), root.resolve()}:  # not each file: there are thousands
            found.update(
                (Path(os.path.normpath(place / file)), distribution) for file in _files(distribution)
            )
    return found


def _files(distribution: metadata.Distribution) -> list[str]:
    """The files of a distribution as listed: ``files`` looks for each, which takes minutes under Wine."""
    listed = distribution.read_text("RECORD")
    if listed is None:
        return [str(file) for file in distribution.files or ()]
    return [row[0] for row in csv.reader(listed.splitlines()) if row]


@cache  # thousands of files belong to one distribution, which has thousands to look through
def _of_distribution(distribution: metadata.Distribution) -> Component:
    name, about = distribution.metadata["Name"], distribution.metadata
    terms = about.get("License-Expression") or about.get("License") or _classified(about) or "see its text"
    terms = terms.strip().splitlines()[0].rpartition(" :: ")[2]
    texts = {
        Path(str(distribution.locate_file(file)))
        for file in map(PurePosixPath, _files(distribution))
        if any(part.endswith(".dist-info") for part in file.parts) and _TEXT_NAMES.search(file.name)
    }
    texts = {text for text in texts if not _ALTERNATIVE.search(text.name)}
    texts |= {OWN_TEXTS / text for key, names in _BROUGHT_TEXTS.items() if key in terms for text in names}
    return Component(name, distribution.version, terms, tuple(sorted(texts)), "pypi")


def _classified(about: object) -> str:
    """The licence among a distribution's classifiers."""
    classifiers = about.get_all("Classifier") or []  # type: ignore[attr-defined]
    return ", ".join(one.rpartition(" :: ")[2] for one in classifiers if one.startswith("License ::"))


def _is_python(path: Path) -> bool:
    places = (sys.base_prefix, sys.base_exec_prefix, sysconfig.get_paths()["stdlib"])
    return any(path.is_relative_to(Path(place).resolve()) for place in places)


@cache
def _python() -> Component:
    texts = [Path(sysconfig.get_paths()["stdlib"]) / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt"]
    there = tuple(text for text in texts if text.exists())[:1] or _debian_texts("libpython3-stdlib")
    return Component("Python", ".".join(map(str, sys.version_info[:3])), "PSF-2.0", there)


def _with_python(name: str) -> Iterator[Component]:
    """What Python brings as a library of its own: whoever looks for known holes looks for its name."""
    if _OPENSSL.match(name):
        yield Component("OpenSSL", ssl.OPENSSL_VERSION.split()[1], "Apache-2.0", (ROOT / "LICENSE",))
    if _SQLITE.match(name):
        text = OWN_TEXTS / "SQLite.txt"
        yield Component("SQLite", sqlite3.sqlite_version, "public domain", (text,))


def _plain(text: Path) -> str:
    return " ".join(text.read_text(encoding="utf-8", errors="replace").lower().split())


def _of_system(sources: Iterable[Path]) -> Iterator[Component]:
    """Libraries of the machine: Debian's package manager knows whose they are; elsewhere nobody does."""
    spelled = {source: _spellings(source) for source in sources}
    owners = _debian_owners({path for spellings in spelled.values() for path in spellings})
    versions = _debian_versions(set(owners.values()))
    for source, spellings in spelled.items():
        name = next((owners[path] for path in spellings if path in owners), None)
        if name is None:
            raise UnknownOriginError(f"nobody knows whose {source.name} is")
        texts = _debian_texts(name)
        yield Component(name, versions[name], _debian_terms(texts), texts, "deb/debian")


def _spellings(source: Path) -> tuple[str, ...]:
    """The paths by which a package may list a file: as found, without links, as before /lib was a link."""
    resolved = str(source.resolve())
    return str(source), resolved, resolved.removeprefix("/usr")


def _debian_owners(paths: set[str]) -> dict[str, str]:
    """The package of each path that has one, in one question: each reads the lists of all packages."""
    if shutil.which("dpkg-query") is None or not paths:
        return {}
    found = subprocess.run(["dpkg-query", "-S", *sorted(paths)], check=False, capture_output=True, text=True)
    lines = [line for line in found.stdout.splitlines() if not line.startswith("diversion by")]
    return {
        path: owner.split(",")[0].partition(":")[0]
        for owner, _, path in (line.partition(": ") for line in lines)
    }


def _debian_versions(names: set[str]) -> dict[str, str]:
    if not names:
        return {}
    form = "-f=${Package} ${Version}\n"
    found = subprocess.run(
        ["dpkg-query", "-W", form, *sorted(names)], check=False, capture_output=True, text=True
    )
    return {name: version for name, _, version in (line.partition(" ") for line in found.stdout.splitlines())}


def _debian_texts(name: str) -> tuple[Path, ...]:
    text = Path("/usr/share/doc") / name / "copyright"
    common = Path("/usr/share/common-licenses")
    if not text.exists():
        return ()
    named = re.findall(
        r"/usr/share/common-licenses/([A-Za-z]+-[0-9.]*[0-9])", text.read_text(errors="replace")
    )
    return (text, *(common / one for one in sorted(set(named)) if (common / one).exists()))


def _debian_terms(texts: tuple[Path, ...]) -> str:
    if not texts:
        return ""
    found = re.findall(r"^License: *(\S[^\n]*)$", texts[0].read_text(errors="replace"), re.MULTILINE)
    lesser = " (LGPL)" if any("LGPL" in text.name for text in texts) else ""
    return (", ".join(sorted({one.strip() for one in found})) or "see its text") + lesser


def _folder(component: Component) -> str:
    return re.sub(r"[^A-Za-z0-9._+-]", "_", component.name)


def _notice(components: Iterable[Component]) -> str:
    rows = "\n".join(
        f"{one.name} {one.version}\n    {one.terms}\n    texts: licences/{_folder(one)}/"
        for one in components
    )
    return _filled("notice.txt", rows)


def _offer(components: Iterable[Component]) -> str:
    lesser = (f"    {one.name} {one.version} ({one.terms})" for one in components if one.is_lesser_gpl)
    return _filled("source-offer.txt", "\n".join(lesser))


def _filled(name: str, components: str) -> str:
    return Template((OWN_TEXTS / name).read_text(encoding="utf-8")).substitute(components=components)


if __name__ == "__main__":
    sys.exit(main())
