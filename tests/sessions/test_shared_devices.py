"""Which ids of storage devices are the same on every host, and no other device's."""

from __future__ import annotations

import pytest

from sessions.shared_devices import is_shared_device, whole_device


@pytest.mark.parametrize(
    ("device", "shared"),
    [
        ("naa.600508b1001c577e11dd042e142a583f", True),
        ("naa.eui.0025385971b0a1c3", True),
        ("eui.0025385971b0a1c3", True),
        ("uuid.8f1c9e2a4b7d4f1e9a6c3d2b1a0f9e8d", True),
        ("t10.ATA_____SAMSUNG_MZ7LH480HAHQ2D00005______________________S45PNA0M", False),
        ("t10.JMicron_Generic_________0123456789ABCDE", False),
        ("mpx.vmhba0:C0:T5:L0", False),
        ("vml.0100000000", False),
    ],
)
def test_only_numbers_that_the_device_itself_gives_are_its_own_everywhere(device: str, shared: bool) -> None:
    assert is_shared_device(device) is shared


@pytest.mark.parametrize(
    ("name", "device"),
    [
        ("naa.600508b4:3", "naa.600508b4"),
        ("eui.0025385b:1", "eui.0025385b"),
        ("mpx.vmhba0:C0:T0:L0:5", "mpx.vmhba0:C0:T0:L0"),
        ("mpx.vmhba0:C0:T0:L0", "mpx.vmhba0:C0:T0:L0"),
        ("t10.ATA_____DISK:1", "t10.ATA_____DISK"),
        ("naa.600508b4", "naa.600508b4"),
        ("vmhba1:2", "vmhba1:2"),
    ],
)
def test_a_partition_is_of_its_device(name: str, device: str) -> None:
    assert whole_device(name) == device
