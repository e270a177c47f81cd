"""The small files that keep settings: replaced as a whole, whoever else writes them at the same time."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

import pytest

from app.gui.settings import read_json, write_json
from tests.recorder.conftest import tiny_disk

__all__ = ["tiny_disk"]


@pytest.mark.skipif(sys.platform == "win32", reason="a file that is read is not replaced there")
def test_two_windows_write_at_once_and_one_of_them_is_read(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    contents = [{"key": "long" * 20_000}, {"key": "short"}]
    write_json(path, contents[0])
    begin = threading.Barrier(3)

    def write(values: dict[str, str]) -> None:
        begin.wait()
        for _ in range(200):
            write_json(path, values)

    writers = [threading.Thread(target=write, args=(values,)) for values in contents]
    for one in writers:
        one.start()
    begin.wait()
    while any(one.is_alive() for one in writers):
        assert json.loads(path.read_text(encoding="utf-8")) in contents
    assert [one.name for one in tmp_path.iterdir()] == ["settings.json"]


def test_a_full_disk_keeps_the_settings_that_were(tiny_disk: Path) -> None:
    path = tiny_disk / "settings.json"
    write_json(path, {"key": "before"})
    write_json(path, {"key": "x" * (4 << 20)})
    assert read_json(path) == {"key": "before"}
    assert [one.name for one in tiny_disk.iterdir()] == ["settings.json"]
