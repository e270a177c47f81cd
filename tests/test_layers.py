"""The table of folders in ARCHITECTURE.md says the same as the contracts that CI enforces."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = PROJECT["tool"]["importlinter"]["contracts"]


def documented() -> list[set[str]]:
    """The folders of the table, highest level first."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    levels: dict[int, set[str]] = {}
    for level, folder in re.findall(r"^\| (\d+) \| `([a-z]+)/` \|", text, re.MULTILINE):
        levels.setdefault(int(level), set()).add(folder)
    return [levels[level] for level in sorted(levels, reverse=True)]


def contract(kind: str) -> dict[str, object]:
    found = [one for one in CONTRACTS if one["type"] == kind]
    assert len(found) == 1
    return dict(found[0])


def test_the_table_has_the_layers_of_the_contract() -> None:
    layers = [set(re.split(r" [|:] ", layer)) for layer in contract("layers")["layers"]]  # type: ignore[attr-defined]
    assert documented() == layers


def test_every_package_of_the_program_has_a_level() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "benchmarks"}
    assert set().union(*documented()) == packages
    assert set(PROJECT["tool"]["importlinter"]["root_packages"]) == packages
    assert {
        name.rstrip("*") for name in PROJECT["tool"]["setuptools"]["packages"]["find"]["include"]
    } == packages


def test_no_contract_ignores_an_import() -> None:
    assert not [one["name"] for one in CONTRACTS if "ignore_imports" in one]


def test_folders_that_are_no_package_have_no_init() -> None:
    for folder in ("packaging", "docs"):
        assert not (ROOT / folder / "__init__.py").exists()


def test_every_collector_family_is_independent_of_the_others() -> None:
    families = {
        f"collectors.{path.parent.name}"
        for path in (ROOT / "collectors").glob("*/__init__.py")
        if path.parent.name != "esxtop_names"  # the grammar that families share
    }
    assert set(contract("independence")["modules"]) == families  # type: ignore[call-overload]


def test_every_module_that_asks_for_the_platform_is_in_the_table_of_what_differs() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    table = text.split("## What differs by platform")[1].split("## Report")[0]
    asking = re.compile(
        r"\bsys\.platform\b|\bos\.name\b|\bplatform\.system\b|^import platformdirs", re.MULTILINE
    )
    modules = {
        path.relative_to(ROOT).as_posix()
        for package in PROJECT["tool"]["importlinter"]["root_packages"]
        for path in (ROOT / package).rglob("*.py")
        if asking.search(path.read_text(encoding="utf-8"))
    }

    listed = set(re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", table))
    assert modules <= listed
    assert not [one for one in listed if not (ROOT / one).is_file()]


def test_one_module_asks_for_the_users_folders() -> None:
    asking = [
        path.relative_to(ROOT).as_posix()
        for package in PROJECT["tool"]["importlinter"]["root_packages"]
        for path in (ROOT / package).rglob("*.py")
        if "import platformdirs" in path.read_text(encoding="utf-8")
    ]
    assert asking == ["resources/user_folders.py"]
