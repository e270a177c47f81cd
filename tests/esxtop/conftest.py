"""Real captures, where they are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.conftest import tiny_disk

__all__ = ["real", "tiny_disk"]

REAL = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="session")
def real() -> Path:
    """The folder of captures that others made; they are not the project's to pass on."""
    if not (REAL / "esxtop-batch-default.csv").exists():
        pytest.skip(f"no real captures in {REAL}")
    return REAL
