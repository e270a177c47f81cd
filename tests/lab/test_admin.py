"""What an admin does in the running lab: the physics answers as a datacenter would."""

from __future__ import annotations

import numpy as np
import pytest

from lab import Lab, load_scenarios
from lab.admin import Admin
from lab.inventory import UPLINKS
from resources.failures import NotFoundError
from resources.lab_acts import load_lab_acts
from sessions.model import FloatArray


class Run:
    """A scenario with an admin; ``member`` is the number of the first VM of a role."""

    def __init__(self, scenario: str, seed: int = 2) -> None:
        self.lab = Lab(load_scenarios()[scenario], seed=seed, fields="diagnosis")
        self.admin = Admin(self.lab)

    def steps(self, minutes: float) -> None:
        for _ in range(round(minutes * 12)):
            self.lab.step()
            self.admin.watch()

    def member(self, role: str) -> int:
        return self.lab.cluster.cast[role].members[0]

    def name(self, role: str) -> str:
        return self.lab.cluster.vms[self.member(role)].shown_name

    def act(self, what: str, kind: str, name: str) -> str:
        return self.admin.act(load_lab_acts().called(what), kind, name).text

    def worst(self, minutes: float, drops: FloatArray) -> FloatArray:
        """The highest drops (%) of each VM over some minutes."""
        highest = np.zeros(len(drops))
        for _ in range(round(minutes * 12)):
            self.lab.step()
            self.admin.watch()
            highest = np.maximum(highest, self.lab.network.tx_drops)
        return highest


def test_a_limit_that_was_raised_stays_raised() -> None:
    run = Run("cpu-limit-vm")
    run.steps(8)
    victim = run.lab.index.vcpu_vm == run.member("victim")
    waited = float(run.lab.cpu.ready[victim].max())
    assert (
        run.act("vm.cpu_limit", "vm", run.name("victim"))
        == f"{run.name('victim')}: CPU limit set to Unlimited"
    )
    run.steps(30)  # longer than the scenario: its load stays
    assert waited > 0.2
    assert float(run.lab.cpu.ready[victim].max()) < 0.1
    assert float(run.lab.cpu.wanted[victim].mean()) > 0.4


def test_a_port_that_moves_takes_its_traffic_along() -> None:
    run = Run("net-noisy-bursts")
    lab, noisy = run.lab, run.member("noisy")
    before = run.worst(10, lab.network.tx_drops)
    old = int(lab.network.uplink[noisy])
    neighbours = np.flatnonzero((lab.network.uplink == old) & (np.arange(lab.index.vms) != noisy))
    new = old // UPLINKS * UPLINKS + 3
    there = np.flatnonzero(lab.network.uplink == new)
    assert before[neighbours].min() > 0.5
    assert before[there].max() < 0.05
    uplink = f"{lab.cluster.hosts[old // UPLINKS].name}/vmnic{old % UPLINKS}"
    assert run.act("vm.uplink", "nic", uplink) == f"{run.name('noisy')}: its port goes out by vmnic3 now"
    after = run.worst(10, lab.network.tx_drops)
    assert int(lab.network.uplink[noisy]) == new
    assert after[neighbours].max() < 0.05, "they did nothing, and are left alone now"
    assert after[there].min() > 0.5, "the traffic is no less: it fills the other uplink"


def test_a_victim_that_moves_its_port_escapes() -> None:
    run = Run("net-noisy-bursts")
    lab, noisy = run.lab, run.member("noisy")
    run.steps(10)
    old = int(lab.network.uplink[noisy])
    victim, other = np.flatnonzero((lab.network.uplink == old) & (np.arange(lab.index.vms) != noisy))[:2]
    lab.cluster.vms[victim].uplink = 3
    lab.network.place()
    after = run.worst(10, lab.network.tx_drops)
    assert after[victim] < 0.05
    assert after[other] > 0.5
    assert after[noisy] > 0.5


def test_who_is_shaped_leaves_room_for_the_others() -> None:
    run = Run("net-noisy-bursts")
    lab, noisy = run.lab, run.member("noisy")
    run.steps(10)
    neighbours = (lab.network.uplink == lab.network.uplink[noisy]) & (np.arange(lab.index.vms) != noisy)
    victim = lab.cluster.vms[int(np.flatnonzero(neighbours)[0])]
    said = run.act("vm.shaping", "vm", victim.shown_name)
    assert said == f"{run.name('noisy')}: traffic shaping to 1 Gbit/s", (
        "of the VM that sends, not of the one that suffers"
    )
    after = run.worst(10, lab.network.tx_drops)
    assert after[neighbours].max() < 0.05
    assert after[noisy] > 0.5


def test_the_busiest_vm_of_a_device_is_throttled() -> None:
    run = Run("storage-latency-noisy-neighbour")
    run.steps(8)
    lab = run.lab
    device = lab.cluster.luns[run.lab.cluster.cast["lun"].members[0]].name
    quiet = lab.index.disk_vm == run.member("quiet")
    before = float(lab.storage.read_ms[quiet].max())
    assert run.act("vm.iops_limit", "device", device) == f"{run.name('noisy')}: IOPS limit set to 300"
    run.steps(3)
    assert before > 15.0
    assert float(lab.storage.read_ms[quiet].max()) < before / 4
    mine = (lab.index.disk_vm == run.member("noisy")) & (
        lab.index.disk_lun == lab.cluster.cast["lun"].members[0]
    )
    assert float(lab.storage.iops[mine].sum()) < 310


def test_a_job_that_came_back_stays_away() -> None:
    run = Run("cpu-ready-bursts")
    run.steps(10)
    run.act("guest.jobs", "vm", run.name("busy"))
    worst = 0.0
    for _ in range(120):
        run.lab.step()
        worst = max(worst, float(run.lab.cpu.ready[run.lab.index.vcpu_vm == run.member("busy")].max()))
    assert worst < 0.1
    with pytest.raises(NotFoundError, match="No job comes back"):
        run.act("guest.jobs", "vm", run.name("busy"))


def test_every_act_can_be_done_to_somebody() -> None:
    run = Run("net-noisy-bursts")
    run.steps(2)
    vm = run.name("noisy")
    for act in load_lab_acts().every:
        assert run.admin.act(act, "vm", vm).text
        run.steps(0.2)
    for kind, name in (("host", "esx99"), ("nic", "esx99/vmnic2"), ("vm", "nobody"), ("device", "naa.0")):
        with pytest.raises(NotFoundError, match="The lab has no"):
            run.act("vm.uplink", kind, name)


def test_the_knowledge_is_complete() -> None:
    acts = load_lab_acts()
    assert acts.of("cpu.limit", "vm_limit", 1)[0].id == "vm.cpu_limit"
    assert [one.id for one in acts.of("net.saturated", "one_vm_dominates", 1)] == ["vm.uplink", "vm.shaping"]
    assert acts.of("cpu.limit", "vm_limit", 7) == ()
    for act in acts.every:
        assert bool(act.sets) or act.of in ("jobs", "busiest_sender")
        assert hasattr(Run("cpu-limit-vm").lab.parameters, act.sets or "limit")


def test_a_lab_that_goes_on_stays_as_it_is() -> None:
    run = Run("cpu-limit-vm")
    run.lab.go_on(3600.0)
    run.steps(50)
    victim = run.lab.index.vcpu_vm == run.member("victim")
    assert run.lab.duration_s == 3600.0
    assert float(run.lab.cpu.ready[victim].max()) > 0.2
