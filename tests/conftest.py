"""For all tests: the folder of what is made once a run, and an order that leaves no worker a long tail."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest

from tests.made_once import FOLDER
from tests.order import long_ones_first


def pytest_configure(config: pytest.Config) -> None:
    """Make the run's folder; workers are told of it by their environment."""
    if not hasattr(config, "workerinput"):
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="hyperscope-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Take the run's folder away."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(FOLDER), ignore_errors=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deal the tests out; without workers they stay in the order of their files."""
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    if workers > 1:
        items[:] = long_ones_first(items, workers, lambda item: item.get_closest_marker("slow") is not None)
