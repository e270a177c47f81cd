"""A LUN of software iSCSI beside an uplink that loses packets."""

from __future__ import annotations

import pytest

from tests.diagnosis.recordings import Level, Recording, only, verdicts

LUN = "naa.6589cfc0000004d0a1b2c3d4e5f60001"
NIC: dict[str, Level] = {
    "net.mbits_tx": 200.0, "net.mbits_rx": 200.0, "net.link_speed": 1_000.0, "net.drops_tx": 0.0,
    "net.packets_rx": 20_000.0, "net.packets_tx": 20_000.0,
}  # fmt: skip


def found(loss: float, adapter: str = "vmhba64", vmkernel: Level | None = None) -> str:
    """The verdict on a lossy uplink for a LUN that is slow over one of two paths."""
    recording = Recording()
    recording.on_host({"cpu.pcpu_util": 20.0})
    recording.shared(
        LUN, {"disk.commands": 400.0, "disk.device_latency": 16.0, "disk.read_mb": 10.0, "disk.write_mb": 5.0}
    )
    for channel, latency in ((0, 2.0), (1, 30.0)):
        name = f"esx01/{adapter}:C{channel}:T0:L0"
        path = recording.add("path", name, {"disk.commands": 200.0, "disk.device_latency": latency})
        recording.fact(path, "path.device", LUN)
    for number, drops in ((0, 0.0), (1, loss)):
        recording.add("nic", f"esx01/vmnic{number}", {**NIC, "net.drops_rx": drops})
    if vmkernel is not None:
        recording.add("port", "esx01/vmk1", {"net.mbits_rx": vmkernel, "net.mbits_tx": 10.0})
    return verdicts(only(recording, problem="storage.device_latency"))["network_loss"]


@pytest.mark.parametrize(("loss", "verdict"), [(0.0, "ruled out"), (0.4, "ruled out"), (2.5, "possible")])
def test_single_packets_are_no_reason(loss: float, verdict: str) -> None:
    assert found(loss) == verdict


def test_a_vmkernel_port_that_carries_it_makes_it_likely() -> None:
    assert found(2.5, vmkernel=130.0) == "likely"


def test_a_fibre_channel_adapter_does_not_care() -> None:
    assert found(2.5, adapter="vmhba2") == "ruled out"
