"""A host with VMs whose CPU counters are quiet but for those that a test gives."""

from __future__ import annotations

from sessions.model import EntityRef, SourceKind
from tests.diagnosis.recordings import Level, Recording

QUIET: dict[str, Level] = {
    "cpu.used": 20.0,
    "cpu.run": 20.0,
    "cpu.ready": 0.5,
    "cpu.costop": 0.0,
    "cpu.max_limited": 0.0,
    "cpu.vmwait": 0.3,
    "cpu.swap_wait": 0.0,
    "cpu.system": 0.2,
    "cpu.alloc_max": -1.0,
    "cpu.alloc_shares": -3.0,
}


def host(
    *,
    util: Level = 45.0,
    used: Level = 40.0,
    core: Level | None = None,
    seconds: float = 1200,
    source: SourceKind = "esxtop",
) -> Recording:
    recording = Recording(seconds=seconds, source=source)
    cores = util if core is None else core
    recording.on_host(
        {"cpu.pcpu_util": util, "cpu.pcpu_used": used, "cpu.core_util": cores, "cpu.load_1m": 0.5}
    )
    return recording


def with_pcpus(recording: Recording, levels: list[float]) -> Recording:
    for number, level in enumerate(levels):
        recording.on_host({"cpu.pcpu_util": level}, str(number))
    return recording


def vm(recording: Recording, name: str, *, vcpus: int = 2, **levels: Level) -> EntityRef:
    """A quiet VM, but for what is said: ``ready=12.0``."""
    given: dict[str, Level] = {"cpu." + counter: level for counter, level in levels.items()}
    return recording.vm(name, {**QUIET, **given}, vcpus=vcpus)


def vcpu_runs(recording: Recording, ref: EntityRef, *runs: Level, system: float = 0.2) -> None:
    for number, run in enumerate(runs):
        recording.add(
            "vcpu", f"vCPU {number}", {"cpu.run": run, "cpu.ready": 0.5, "cpu.system": system}, parent=ref,
        )  # fmt: skip
