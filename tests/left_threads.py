"""A fixture for tests of what runs threads: none may be left."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest


@pytest.fixture
def no_thread_left() -> Iterator[None]:
    """Fail a test that leaves a thread which does not end within 5 s."""
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and thread.is_alive()]
    for thread in left:
        thread.join(5)
    assert not [thread for thread in left if thread.is_alive()]
