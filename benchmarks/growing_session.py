"""Records 2,000 VMs × 20 counters into a session every two seconds, for the window's table benchmark.

python -m benchmarks.growing_session PATH SECONDS
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from resources.catalogue import load_catalogue
from sessions.model import Entity, EntityRef, FloatArray, SeriesSpec, SourceSpec
from sessions.store import SessionWriter

VMS, EVERY_S = 2_000, 2.0
COUNTERS = (
    *("cpu.members", "cpu.used", "cpu.run", "cpu.system", "cpu.wait", "cpu.vmwait", "cpu.ready", "cpu.idle"),
    *("cpu.overlap", "cpu.costop", "cpu.max_limited", "cpu.swap_wait", "mem.size", "mem.granted"),
    *("mem.consumed", "mem.touched", "mem.active", "mem.balloon", "vdisk.reads", "vdisk.writes"),
)
USUAL = {
    "cpu.used": 40.0,
    "cpu.run": 40.0,
    "cpu.wait": 400.0,
    "cpu.idle": 60.0,
    "cpu.members": 9.0,
    "cpu.max_limited": 0.0,
    "cpu.swap_wait": 0.0,
    "mem.balloon": 0.0,
    "mem.size": 8192.0,
    "mem.granted": 8000.0,
    "mem.consumed": 7000.0,
    "mem.touched": 900.0,
    "vdisk.reads": 80.0,
}
"""The highest value of a healthy VM; 1 for what is not here."""


def main(path: Path, seconds: float) -> None:
    """Write ticks in real time for ``seconds`` seconds; print ``ready`` once the first tick is stored."""
    rng, catalogue = np.random.default_rng(3), load_catalogue()
    host = EntityRef("host", "esx01")
    refs = [EntityRef("vm", f"esx01/vm/{number}") for number in range(VMS)]
    with SessionWriter.create(path, title="growing") as writer:
        source = writer.add_source(SourceSpec("lab", "esx01", EVERY_S))
        writer.add_entities(
            [Entity(host, "esx01"), *(Entity(r, f"vm-{n:04}", host) for n, r in enumerate(refs))]
        )
        specs = []
        for ref in refs:
            for key in COUNTERS:
                known = catalogue.get(key)
                assert known is not None
                specs.append(SeriesSpec(ref, key, known.unit))
        layout = writer.add_layout(source, writer.add_series(source, specs))
        usual = np.array([USUAL.get(key, 1.0) for key in COUNTERS] * VMS)
        values: FloatArray = rng.random(len(specs))
        begun = time.time()
        for number in range(round(seconds / EVERY_S)):
            values = np.clip(values + rng.normal(scale=0.05, size=values.size), 0.0, 1.0)
            writer.append_ticks(
                [(layout, round((begun + number * EVERY_S) * 1000), (values * usual).round(2))]
            )
            if number == 0:
                print("ready", flush=True)
            time.sleep(max(0.0, begun + (number + 1) * EVERY_S - time.time()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
