"""What a guest's fio tells piece by piece, and a clock that is set meanwhile."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from workloads.guests.progress import Progress

BEGUN = 1_760_000_000_000


def document(second: int, clock_ms: int = 0) -> bytes:
    """What fio says after so many seconds of its job, by a clock that is ``clock_ms`` off."""
    side = {"io_bytes": second * 4096_000, "total_ios": second * 1000, "runtime": second * 1000}
    at = BEGUN + second * 1000 + clock_ms
    jobs = [{"jobname": "a", "read": side, "write": {}}]
    told = {"fio version": "fio-3.36", "timestamp_ms": at, "timestamp": at // 1000, "jobs": jobs}
    return b"{\n" + json.dumps(told).encode()[1:-1] + b"\n}\n"


_AT_ONCE = """
import sys, threading
from tests.workloads.guests.test_progress import document
from wizards.flows.locks import parse_lock
from workloads.guests.progress import Progress

sys.setswitchinterval(1e-6)
together = threading.Barrier(8)

def work():
    progress, told = Progress(), document(1)
    together.wait()
    parse_lock('{"run": "r1"}')
    progress.add(told)
    progress.documents("fio")

threads = [threading.Thread(target=work) for _ in range(8)]
[one.start() for one in threads]
[one.join() for one in threads]
"""


@pytest.mark.slow
def test_the_first_answers_of_many_guests_at_once_crash_nothing() -> None:
    """A run ended by a signal in one of some eight starts."""
    root = Path(__file__).parents[3]
    for _ in range(8):
        assert subprocess.run([sys.executable, "-c", _AT_ONCE], cwd=root, check=False).returncode == 0


@pytest.mark.parametrize("set_ms", [3_600_000, -3_600_000, 5_000, -5_000])
def test_nothing_that_came_after_a_jump_of_the_clock_is_kept(set_ms: int) -> None:
    progress = Progress()
    samples = []
    for second in range(1, 11):
        now = BEGUN + second * 1000 + 300
        samples += progress.add(document(second, set_ms if second > 5 else 0), now)
    assert progress.jumped_ms == pytest.approx(set_ms, abs=500)
    assert [one.at for one in samples] == [BEGUN + second * 1000 for second in range(1, 6)]
    assert [one.at for one in progress.documents("fio")] == [BEGUN + s * 1000 for s in range(1, 6)]


def test_a_guest_that_stands_still_for_a_while_has_no_wrong_clock() -> None:
    progress = Progress()
    for second in (1, 2, 3, 60, 61):  # it was suspended, and its fio with it; what it says comes late
        progress.add(document(second), BEGUN + second * 1000 + 20_000)
    assert progress.jumped_ms == 0
    assert len(progress.documents("fio")) == 5


def test_what_fio_counts_anew_after_its_warm_up_is_no_jump() -> None:
    progress = Progress()
    for second, clock_ms in ((1, 0), (2, 0), (3, 0), (1, 3000), (2, 3000)):
        progress.add(document(second, clock_ms), BEGUN + second * 1000 + clock_ms + 200)
    assert progress.jumped_ms == 0
    assert len(progress.documents("fio")) == 5
