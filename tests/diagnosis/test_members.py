"""Whose series a signal reads: of a host with many VMs each has all the others beside it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from diagnosis.compiled import CompiledSignal
from diagnosis.members import Members
from diagnosis.prepared import Prepared, prepare
from diagnosis.signal_scope import only_others
from diagnosis.topology import Topology
from resources.problem_cards import Signal
from sessions.model import EntityRef
from tests.diagnosis.recordings import Recording, problems, session

VMS = 12


def crowded() -> Prepared:
    """A host with VMs of two disks each; one of the VMs came from another host."""
    recording = Recording("esx01", seconds=600, interval=20.0, source="vcenter")
    other = recording.another_host("esx02", {"cpu.pcpu_util": 10.0})
    for number in range(VMS):
        vm = recording.vm(f"vm{number:02}", {"cpu.ready": 9.0, "cpu.max_limited": 0.0, "cpu.used": 20.0})
        for disk in ("scsi0:0", "scsi0:1"):
            recording.add("vdisk", disk, {"vdisk.latency_read": 3.0, "vdisk.reads": 90.0}, parent=vm)
        recording.stays(
            vm, *(((0.0, other), (300.0, recording.host)) if not number else ((0.0, recording.host),))
        )
    made = session(recording)
    window = made.span()
    assert window
    return prepare(made, problems(), window)


def of_others(prepared: Prepared) -> list[CompiledSignal]:
    """All signals of the cards that read what the others of a host have."""
    signals = [one for rule in prepared.rules for one in rule.signals.values()]
    return [one for one in signals if only_others(one.signal)]


def members(prepared: Prepared, signal: CompiledSignal, rows: list[EntityRef]) -> Members:
    return prepared.members.of(signal.signal, signal.counters, prepared.sources[0].id, rows)


def test_each_has_all_the_others_of_its_host() -> None:
    """Each alone has the same members as beside the others."""
    prepared = crowded()
    vms = list(prepared.topology.rows(1, "vm"))
    read = 0
    for signal in of_others(prepared):
        together = members(prepared, signal, vms)
        for row, vm in enumerate(vms):
            mine = np.flatnonzero(together.row == together.unit[row])
            alone = members(prepared, signal, [vm])
            refs = [together.refs[one] for one in mine]
            assert refs == alone.refs
            assert not any(prepared.topology.base(one).key.startswith(vm.key) for one in refs)
            assert [together.periods.get(one) for one in mine.tolist()] == [
                alone.periods.get(one) for one in range(len(refs))
            ]
            for name, ids in together.ids.items():
                np.testing.assert_array_equal(ids[mine], alone.ids[name])
            read += len(refs)
    assert read > VMS * (VMS - 1)


def test_what_is_on_a_host_is_looked_up_once_for_all_its_vms(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand VMs in trouble on one host would look at a million neighbours, one by one."""
    prepared = crowded()
    vms = list(prepared.topology.rows(1, "vm"))
    signal = next(one for one in of_others(prepared) if "cpu.ready" in one.counters.values())
    asked: Counter[tuple[EntityRef, str]] = Counter()
    below = Topology.below

    def counted(topology: Topology, source: int, ref: EntityRef, kind: str) -> object:
        asked[ref, kind] += 1
        return below(topology, source, ref, kind)

    monkeypatch.setattr(Topology, "below", counted)
    found = members(prepared, signal, vms)
    assert found.row.size == VMS * (VMS - 1)
    assert asked[EntityRef("host", "esx01"), "vm"] <= 2  # once more for the one that came


def test_signals_that_compare_the_others_look_at_each() -> None:
    assert only_others(Signal(of="host.vm", counter="cpu.ready", others=True))
    assert not only_others(Signal(of="host.vm", counter="cpu.ready", others=True, same_fact="pool"))
    assert not only_others(Signal(of="host.vm", counter="cpu.ready"))
