"""What stays in the bundle: the libraries that Qt's window needs, and none of those that nobody uses."""

from __future__ import annotations

import ast
import importlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import PySide6
import pytest

from app.display import QT_LIBRARIES, X11_LIBRARIES

ROOT = Path(__file__).resolve().parents[2]
QT = "PySide6/Qt"


@pytest.fixture
def selection(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    yield importlib.import_module("selection")
    sys.modules.pop("selection")


@pytest.mark.parametrize(
    "name",
    [
        f"{QT}/lib/libicuuc.so.73",
        "libicuuc.so.73",
        f"{QT}/lib/libicudata.so.73",
        f"{QT}/lib/libQt6Core.so.6",
        f"{QT}/lib/libQt6XcbQpa.so.6",
        f"{QT}/plugins/platforms/libqxcb.so",
        f"{QT}/plugins/platforms/libqoffscreen.so",
        "PySide6/plugins/platforms/qwindows.dll",
        "PySide6\\plugins\\styles\\qmodernwindowsstyle.dll",
        f"{QT}/plugins/platforms/libqcocoa.dylib",
        f"{QT}/lib/QtGui.framework/Versions/A/QtGui",
        "PySide6/QtSvg.abi3.so",
        f"{QT}/plugins/iconengines/libqsvgicon.so",
        "PySide6/Qt6Core.dll",
        "libxcb-cursor.so.0",
        "libxkbcommon.so.0",
        "resources/tests/io-sweep.toml",
        "resources/icons/x.svg",
        "docs/tests.md",
        "numpy/_core/_multiarray_umath.so",
    ],
)
def test_what_the_window_uses_stays(selection: ModuleType, name: str) -> None:
    assert selection.is_needed(name)


@pytest.mark.parametrize(
    "name",
    [
        "icuuc.dll",
        "ucrtbase.dll",
        "PySide6/icuuc.dll",
        "PySide6/opengl32sw.dll",
        "libgio-2.0.so.0",
        "libpango-1.0.so.0",
        f"{QT}/lib/libQt6Quick.so.6",
        "libQt6Qml.so.6",
        f"{QT}/lib/QtQuick.framework/Versions/A/QtQuick",
        "PySide6/Qt6Network.dll",
        f"{QT}/plugins/platforms/libqeglfs.so",
        f"{QT}/plugins/platformthemes/libqgtk3.so",
        f"{QT}/plugins/sqldrivers/libqsqlite.so",
        f"{QT}/plugins/tls/libqopensslbackend.so",
        f"{QT}/translations/qtbase_de.qm",
        f"{QT}/qml/QtQuick/qmldir",
        "zstandard/_cffi.cpython-311-x86_64-linux-gnu.so",
        "_tcl_data/init.tcl",
        "numpy/_core/tests/data/astype_copy.pkl",
        f"{QT}/lib/libQt6OpenGLWidgets.so.6",
        "libcups.so.2",
        "libdbus-1.so.3",
        "libXext.so.6",
        "libgnutls.so.30",
    ],
)
def test_what_nobody_uses_goes(selection: ModuleType, name: str) -> None:
    assert not selection.is_needed(name)


def test_of_pythons_lexers_only_what_a_traceback_takes_stays(selection: ModuleType) -> None:
    names = ["pygments.lexers", "pygments.lexers._mapping", "pygments.lexers.python", "lxml.etree"]

    assert [one for one in (*names, "pygments.lexers.sql") if selection.is_needed_module(one)] == names


def test_a_library_that_is_left_to_the_system_is_asked_for_before_qt_is_loaded(selection: ModuleType) -> None:
    asked = [*QT_LIBRARIES, *X11_LIBRARIES]

    for library in ("libdbus-1", "libfontconfig"):
        assert [one for one in asked if one.startswith(library)]
        assert not selection.is_needed(next(one for one in asked if one.startswith(library)))


def test_charts_are_drawn_without_qts_opengl() -> None:
    """In a process of its own: the stand-ins hide modules that other tests may use."""
    script = """
import runpy, sys
runpy.run_path("packaging/no_opengl.py")
assert "PySide6.QtWidgets" not in sys.modules
import widgets.charts.stack
assert not [name for name in sys.modules if "QtOpenGL" in name and hasattr(sys.modules[name], "__file__")]
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the libraries of Qt's wheel for Linux")
def test_all_that_qt_itself_links_to_stays(selection: ModuleType) -> None:
    qt = Path(PySide6.__path__[0]) / "Qt"
    needed = {
        "Core",
        "Gui",
        "Widgets",
        "Svg",
        "PrintSupport",
        "DBus",
        "XcbQpa",
        "WaylandClient",
    }
    for path in (qt / "lib").iterdir():
        stem = path.name.partition(".")[0].removeprefix("libQt6")
        if stem in needed or stem.startswith("libicu"):
            assert selection.is_needed(f"{QT}/lib/{path.name}"), path.name


@pytest.mark.skipif(not sys.platform.startswith("linux") or not shutil.which("ldd"), reason="ldd is Linux's")
def test_a_library_that_went_and_is_asked_for_is_named(selection: ModuleType, tmp_path: Path) -> None:
    qt = Path(PySide6.__path__[0]) / "Qt" / "lib"
    core = next(qt.glob("libQt6Core.so.*"))
    icu = sorted(path.name for path in qt.glob("libicu*"))
    shutil.copy(core, tmp_path)

    brought = {path.name for path in qt.iterdir()}
    assert selection.unmet(tmp_path, brought) == icu
    for name in icu:
        (tmp_path / name).touch()
    assert selection.unmet(tmp_path, brought) == []


def test_distutils_is_left_out_only_where_it_is_pythons_own() -> None:
    """From 3.12 on PyInstaller makes it a second name of setuptools' copy, and fails if it was left out."""
    spec = ast.parse((ROOT / "packaging" / "hyperscope.spec").read_text(encoding="utf-8"))
    [always] = [
        one for one in spec.body if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "unused"
    ]
    [older] = [
        one for one in spec.body if isinstance(one, ast.If) and "version_info" in ast.unparse(one.test)
    ]

    assert "'setuptools'" in ast.unparse(always)
    assert "'distutils'" not in ast.unparse(always)
    assert ast.unparse(older) == "if sys.version_info < (3, 12):\n    unused.append('distutils')"
