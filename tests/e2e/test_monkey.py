"""A short run of the monkey: the window survives what nobody would do on purpose. An hour is a benchmark."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.e2e.monkeys import let_loose
from tests.gui.recordings import capture, record
from tests.some_of_many import others

pytestmark = [
    pytest.mark.slow,
    pytest.mark.display,
    pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="needs an X server"),
]


@pytest.mark.parametrize(
    ("seed", "size", "theme"), [(1, "1280x720", "dark"), *others((2, "1440x860", "light"))]
)
def test_the_window_survives_a_monkey(tmp_path: Path, seed: int, size: str, theme: str) -> None:
    files = [record(tmp_path / "night.hscope"), capture(tmp_path / "esx.csv", seconds=300)]
    words = ["--seed", str(seed), "--size", size, "--theme", theme, "--seconds", "15", "--round-s", "15"]
    words += ["--least", "51"]
    # Beside other tests a machine may stand still for seconds; the benchmark takes one second for a stall.
    report = let_loose(tmp_path / "home", *words, "--stall-s", "10", files=files, patience_s=280)
    assert not report["findings"], "\n".join(report["findings"])
    assert sum(report["events"].values()) > 50
