"""UUIDs of disks, which servers and guests write differently."""

from __future__ import annotations

import re

_DESIGNATOR = re.compile(r"^(?:naa\.|eui\.|uuid\.|0x)")
"""What Linux puts before it: sysfs ``wwid`` (drivers/scsi/scsi_lib.c, scsi_vpd_lun_id), the WWN of lsblk."""


def plain_uuid(uuid: str) -> str:
    """Return a UUID without the marks that servers and guests put differently.

    A disk is ``6000C293-4e0f-...`` for vCenter and ``naa.6000c2934e0f...`` for the guest's kernel.
    """
    return _DESIGNATOR.sub("", uuid.replace("-", "").replace(" ", "").lower())
