"""What was freed goes back to the system, where the allocator lets it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from app.memory import trim_allocator, trim_heap

HOLES = """
import sys, psutil
from app.memory import trim_heap
blocks = [bytearray(30_000) for _ in range(4_000)]
kept = blocks[::20]
del blocks
held = psutil.Process().memory_full_info().uss
trim_heap()
print(held - psutil.Process().memory_full_info().uss)
"""


FAULTS = """
import resource
from app.memory import keep_for_arrays
keep_for_arrays()
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(3):
    bytearray(4_000_000)
before = faults()
for _ in range(50):
    bytearray(4_000_000)
print(faults() - before)
"""


def test_both_can_be_called_at_any_time() -> None:
    trim_allocator()
    trim_heap()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's allocator is Linux's")
def test_holes_between_blocks_in_use_are_given_back() -> None:
    """120 MB of small blocks, of which every twentieth stays in use: the pages between them go."""
    words = (sys.executable, "-c", HOLES)
    given = int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    assert given > 20_000_000


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="glibc's allocator is Linux's")
def test_memory_of_arrays_is_used_again() -> None:
    """With pages of their own for them it would be 49,000 faults, with the heap it is a few at most."""
    words = (sys.executable, "-c", FAULTS)
    assert int(subprocess.run(words, capture_output=True, text=True, check=True).stdout) < 5_000
