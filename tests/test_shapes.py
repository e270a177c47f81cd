"""How large modules and classes may be, and what the window must not know: STYLE's habits 14 and 15."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES = tuple(PROJECT["tool"]["importlinter"]["root_packages"])

MAX_METHODS = 20
MAX_MODULE_LINES = 500
MAX_PANEL_LINES = 150
MAX_PANEL_MEDIAN = 120
FORBIDDEN_IN_VIEWS = ("sqlite3", "diagnosis.topology")


@cache
def modules() -> dict[Path, str]:
    """The text of each module of the program."""
    return {
        path.relative_to(ROOT): path.read_text(encoding="utf-8")
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    }


def classes(text: str) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef))


def methods(of: ast.ClassDef) -> set[str]:
    """Its own methods; properties and Qt's overrides count."""
    return {node.name for node in of.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def imports(text: str) -> Iterator[str]:
    """Every module or name that is imported, wherever in the file."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def panels() -> dict[Path, str]:
    return {path: text for path, text in modules().items() if path.parent == Path("app/gui/panels")}


def is_view(base: ast.expr) -> bool:
    """Whether a base class is a widget of Qt's or a view of ours, as their names say."""
    name = ast.unparse(base).rsplit(".", 1)[-1]
    named_like_a_view = name.endswith(("View", "Widget", "Page", "Panel", "Stack", "Map", "Frame", "Area"))
    return named_like_a_view or (name.startswith("Q") and name != "QObject")


def test_what_is_looked_at_is_the_program() -> None:
    assert len(modules()) > 300
    assert len(panels()) > 8


def test_a_class_that_needs_more_methods_is_two() -> None:
    large = {
        f"{path.as_posix()}: {one.name}": len(methods(one))
        for path, text in modules().items()
        for one in classes(text)
        if len(methods(one)) > MAX_METHODS
    }
    assert not large


def test_no_module_is_longer_than_a_reader_can_hold() -> None:
    lengths = {path.as_posix(): text.count("\n") for path, text in modules().items()}
    assert not {path: lines for path, lines in lengths.items() if lines > MAX_MODULE_LINES}
    assert median(lengths.values()) <= 150


def test_panels_are_wiring() -> None:
    lengths = {path.as_posix(): text.count("\n") for path, text in panels().items()}
    assert not {path: lines for path, lines in lengths.items() if lines > MAX_PANEL_LINES}
    assert median(lengths.values()) < MAX_PANEL_MEDIAN


def test_a_panel_composes_its_view() -> None:
    inherited = [
        f"{path.as_posix()}: {one.name}({ast.unparse(base)})"
        for path, text in panels().items()
        for one in classes(text)
        for base in one.bases
        if is_view(base)
    ]
    assert not inherited


@pytest.mark.parametrize("forbidden", FORBIDDEN_IN_VIEWS)
def test_the_window_knows_neither_sql_nor_the_topology(forbidden: str) -> None:
    rooms = (Path("app/gui"), Path("widgets"))
    knowing = [
        path.as_posix()
        for path, text in modules().items()
        if any(path.is_relative_to(room) for room in rooms)
        and any(name == forbidden or name.startswith(f"{forbidden}.") for name in imports(text))
    ]
    assert not knowing


def test_the_checks_see_what_they_forbid() -> None:
    text = (
        "import sqlite3\nfrom diagnosis import topology\n"
        "class P(QWidget):\n"
        "    @property\n    def a(self): ...\n    def b(self): ...\n"
    )
    [one] = classes(text)
    assert methods(one) == {"a", "b"}
    assert is_view(one.bases[0])
    assert set(FORBIDDEN_IN_VIEWS) <= set(imports(text))


def test_no_query_numbers_its_values() -> None:
    """CPython 3.12.0 to 3.12.3 takes ``?1`` for a name, and warns of each: gh-117995."""
    numbered = [str(path) for path, text in modules().items() if re.search(r"[=<>(,] ?\?\d", text)]

    assert numbered == []
