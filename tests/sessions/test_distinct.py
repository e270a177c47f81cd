"""The different values of an array are those that numpy finds; finding them imports nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab import Lab, find_scenario, load_scenarios, record_lab
from sessions.distinct import distinct
from sessions.store import SessionWriter

ROOT = Path(__file__).resolve().parents[2]
NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)


@given(st.lists(st.one_of(st.integers(-2, 2), NUMBERS), max_size=40), st.sampled_from([np.int64, np.int32]))
def test_they_are_those_of_numpy(numbers: list[int], kind: type[np.int64]) -> None:
    values = np.array(numbers, np.int64).astype(kind)
    np.testing.assert_array_equal(distinct(values), np.unique(values))
    assert distinct(values).dtype == values.dtype


def test_of_a_table_all_values_are_taken() -> None:
    assert distinct(np.array([[3, 1], [1, 2]])).tolist() == [1, 2, 3]


@pytest.mark.parametrize("command", ["info", "diagnose"])
def test_reading_a_session_imports_no_masked_arrays(tmp_path: Path, command: str) -> None:
    path = tmp_path / "a.hscope"
    with SessionWriter.create(path, durable=False) as writer:
        record_lab(
            Lab(find_scenario(load_scenarios(), "demo"), seed=1, fields="diagnosis"), writer, duration_s=60
        )
    program = (
        "import sys; from app.program import run; run(sys.argv[1:]); assert 'numpy.ma' not in sys.modules"
    )
    words = [sys.executable, "-c", program, *command.split(), str(path)]
    done = subprocess.run(
        words, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
