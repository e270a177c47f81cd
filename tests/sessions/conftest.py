"""Where the tests of sessions put their files."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def session_path(tmp_path: Path) -> Path:
    return tmp_path / "a 100% #1 sessiön.hscope"
