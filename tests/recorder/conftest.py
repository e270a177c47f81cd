"""Where the recorder's tests put their files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.recorder.running import Recorder
from tests.sessions.conftest import tiny_disk

__all__ = ["tiny_disk"]

Record = Callable[..., Recorder]


@pytest.fixture
def session_path(tmp_path: Path) -> Path:
    return tmp_path / "a 100% #1 sessiön.hscope"


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    """Starts recorders that are gone at the end of the test."""
    home = tmp_path / "home"
    home.mkdir()
    with ExitStack() as stack:

        def start(session: Path, *words: str, stdin: int = -1) -> Recorder:
            return stack.enter_context(Recorder(session, *words, home=home, stdin=stdin))

        yield start
