"""Sessions of a vCenter whose clusters stand in the study's placements (tests.md W3), as it would record
them: a full host serves its VMs the same share of what they want, the rest is ready time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from sessions.model import Entity, EntityRef, Fact, SeriesSpec, SourceSpec
from sessions.store import SessionWriter

T0 = 1_700_000_000_000
CORES, VCPUS, HEAVY, LIGHT = 8.0, 4, 2.8, 0.4
"""tests.md W3: hosts of two processors of four cores; 70 % and 10 % of four vCPUs."""


def write(
    path: Path,
    clusters: Mapping[str, Sequence[str]],
    seconds: int = 1800,
    *,
    counters: Sequence[str] = ("cpu.used", "cpu.ready"),
    names: str = "",
) -> Path:
    """Write a session; of each cluster its hosts as ``4H`` or ``3H1L``. With ``names`` all VMs are called so.

    Returns the path.
    """
    entities, facts, specs, row = [], [], [], []
    for cluster, hosts in clusters.items():
        above = EntityRef("cluster", f"vc/{cluster}")
        entities.append(Entity(above, cluster))
        for number, placed in enumerate(hosts, start=1):
            host = EntityRef("host", f"{cluster.lower()}{number}.example.com")
            entities.append(Entity(host, host.key, above))
            facts.append(Fact(host, "cpu.cores", CORES, T0))
            wanted = wants(placed)
            share = min(1.0, CORES / sum(wanted)) if wanted else 1.0
            for at, cores in enumerate(wanted):
                vm = EntityRef("vm", f"{cluster}/{number}/{at}")
                entities.append(
                    Entity(vm, names or f"{cluster}-{number}{'h' if cores == HEAVY else 'l'}{at}")
                )
                facts += [Fact(vm, "host", host.key, T0), Fact(vm, "vcpus", float(VCPUS), T0)]
                percent = 100 * cores / VCPUS
                values = {"cpu.used": percent * share, "cpu.ready": percent * (1 - share)}
                for counter in counters:
                    specs.append(SeriesSpec(vm, counter, "%"))
                    row.append(values[counter])
    with SessionWriter.create(path, title="placements", durable=False) as writer:
        writer.add_entities(entities)
        writer.add_facts(facts)
        source = writer.add_source(SourceSpec("vcenter", "vc01.example.com", 20.0))
        layout = writer.add_layout(source, writer.add_series(source, specs))
        writer.append_ticks([(layout, T0 + 1000 * at, np.array(row)) for at in range(0, seconds, 20)])
    return path


def wants(placed: str) -> list[float]:
    """Return the cores that each VM of a host wants: ``3H1L`` is three heavy ones and a light one."""
    pairs = zip(placed[::2], placed[1::2], strict=True)
    return [HEAVY if letter == "H" else LIGHT for count, letter in pairs for _ in range(int(count))]
