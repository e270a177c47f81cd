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


def main(path: Path, seconds: float) -> None:
    """Write ticks in real time; says ``ready`` once the first is stored."""
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
        values: FloatArray = rng.random(len(specs)) * 40
        begun = time.time()
        for number in range(round(seconds / EVERY_S)):
            values = np.abs(values + rng.normal(scale=0.5, size=values.size)).round(2)
            writer.append_tick(layout, round((begun + number * EVERY_S) * 1000), values)
            if number == 0:
                print("ready", flush=True)
            time.sleep(max(0.0, begun + (number + 1) * EVERY_S - time.time()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]))
