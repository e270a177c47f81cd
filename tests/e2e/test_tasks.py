"""Everyday tasks take as few clicks and keys as they should, each with the mouse and with keys alone."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.e2e.task_runs import do_tasks

pytestmark = [
    pytest.mark.slow,
    pytest.mark.display,
    pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="needs an X server"),
]


def test_everyday_tasks(tmp_path: Path) -> None:
    deeds = do_tasks(tmp_path)
    assert len(deeds) >= 14
    assert not [deed for deed in deeds if not deed.holds], f"pictures in {tmp_path}"
