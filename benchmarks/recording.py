"""What a whole recording costs: the recorder's process, recording
from govmomi's simulator, from start to end.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Row
from benchmarks.vsphere import pyvmomi_seconds_a_sample
from sessions.store import SessionReader
from tests.vcenter.running import PASSWORD, PlainVcsim

_TOGETHER = 15  # samples of a series in a reply: the best case of pyVmomi that is still met


def measure(cache: Path, *, quick: bool) -> list[Row]:  # noqa: ARG001
    """Measure the recorder's CPU seconds a million samples, back-fill
    included, beside pyVmomi's for decoding alone.
    """
    theirs = pyvmomi_seconds_a_sample(_TOGETHER) * 1e6
    with (
        tempfile.TemporaryDirectory() as folder,
        PlainVcsim(cluster=4, host=8, vm=10 if quick else 100, standalone_host=0) as server,
    ):
        session = Path(folder) / "recorded.hscope"
        arguments = [
            sys.executable,
            "-m",
            "app",
            "record",
            server.address,
            "-o",
            str(session),
            "--password-stdin",
        ]
        arguments += ["--thumbprint", server.thumbprint, "--duration", "30s" if quick else "2m"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(arguments, input=f"{PASSWORD}\n", text=True, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with SessionReader.open(session) as reader:
            sources = reader.sources()
    millions = sum(source.samples for source in sources) / 1e6
    ours = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / millions
    return [
        Row(
            f"two minutes and the hour before from 32 hosts and {'40' if quick else '400'} VMs, "
            f"{millions:.1f} million samples: all of the recorder",
            f"{ours:.2f} s of CPU a million",
            f"pyVmomi, decoding alone, {_TOGETHER} of a series at once: {theirs:.2f} s",
            f"{theirs / ours:.1f}×",
            "≥ 1×",
            ours <= theirs,
        )
    ]
