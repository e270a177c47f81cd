"""The servers that connections are tried on: those of the vSphere collector's tests."""

from __future__ import annotations

from tests.vsphere.conftest import (
    bare_vcsim,
    certificates,
    connect,
    front,
    start_vcenter,
    store,
    vcenter,
    vcsim,
)

__all__ = ["bare_vcsim", "certificates", "connect", "front", "start_vcenter", "store", "vcenter", "vcsim"]
