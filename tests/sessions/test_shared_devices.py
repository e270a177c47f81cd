"""Which ids of storage devices are the same on every host, and no other device's."""

from __future__ import annotations

import pytest

from sessions.shared_devices import is_shared_device


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
