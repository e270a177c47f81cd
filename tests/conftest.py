"""For all tests: the folder for files that are made once in a run, an order that keeps all workers busy,
and no time limits for property tests.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before any test makes an application of Qt

import pytest
from hypothesis import HealthCheck, settings

from tests import warm_starts
from tests.made_once import FOLDER
from tests.order import long_ones_first

settings.register_profile("hyperscope", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("hyperscope")  # a busy machine is slow: that is no defect


_OBJECTS = 50_000
"""After so many new objects Python looks for garbage among them: as the program sets it (app/__main__.py)."""


def pytest_configure(config: pytest.Config) -> None:
    """Create the run's folder; its path reaches the workers in an environment variable.

    Python's own threshold of 700 objects would have the collector take a tenth of the time of what is judged.
    """
    gc.set_threshold(_OBJECTS)
    warm_starts.install()
    if not hasattr(config, "workerinput"):
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="hyperscope-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Delete the run's folder."""
    warm_starts.WARM.end()
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(FOLDER), ignore_errors=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put long tests first for several workers; without workers the files' order is kept."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    if workers > 1:
        items[:] = long_ones_first(items, workers, _is_marked("slow"), _is_marked("display"))


def _is_marked(name: str) -> Callable[[pytest.Item], bool]:
    return lambda item: item.get_closest_marker(name) is not None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let the programs of a test begin loaded, but where how they begin is what it is about."""
    warm_starts.WARM.is_wanted = item.get_closest_marker("cold") is None


def pytest_collection_finish() -> None:
    """Hide what was imported and collected from the garbage collector: it does not change any more.

    The collector would walk over it again and again, and so would each test that looks for the objects that
    it left behind.
    """
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Empty the clipboard: Qt's platform ``offscreen`` frees it after Python has ended, and crashes."""
    gui = sys.modules.get("PySide6.QtGui")
    if gui is not None and gui.QGuiApplication.instance() is not None:
        gui.QGuiApplication.clipboard().clear()
