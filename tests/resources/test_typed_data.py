"""Types are made ready for several threads: msgspec alone ends the process (signal 11) in this very run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

MANY_AT_ONCE = """
import sys, threading
import msgspec
from resources.typed_data import ready

sys.setswitchinterval(1e-6)
for number in range(40):
    kind = int
    for depth in range(12):
        fields = [("below", kind | None, None), *((f"field{each}", int, 0) for each in range(12))]
        kind = msgspec.defstruct(f"Level{number}_{depth}", fields)
    gate = threading.Barrier(8)

    def work():
        gate.wait()
        assert msgspec.convert({"below": {"field1": 2}}, ready(kind)).below.field1 == 2

    threads = [threading.Thread(target=work) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
"""


def test_many_threads_convert_into_a_new_type_at_once() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MANY_AT_ONCE], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
