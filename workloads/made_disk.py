"""The disk that a test makes on a VM, as the value of the setting ``disk:<name>``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

import msgspec

from resources.failures import UsageError
from resources.foreign_text import shown
from resources.typed_data import ready

Provisioning = Literal["thin", "lazy", "eager"]

NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
"""What a made disk may be called within its VM."""

_RUN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_MIB = 1 << 20
_MAX_BYTES = 62 << 40


@dataclass(frozen=True, slots=True)
class MadeDisk:
    """A disk that a test run makes: it carries the run's id and is removed by nobody else.

    ``datastore`` is a moid, empty for where the VM is. ``provisioning``: ``thin``, or thick with its blocks
    zeroed when first written (``lazy``) or at once (``eager``).
    """

    run: str
    size_bytes: int
    datastore: str = ""
    provisioning: Provisioning = "thin"

    def text(self) -> str:
        """Return the disk as the text that is the setting's value."""
        values = {
            "run": self.run,
            "size_bytes": self.size_bytes,
            "datastore": self.datastore,
            "provisioning": self.provisioning,
        }
        return json.dumps(values, sort_keys=True, separators=(",", ":"))


class _Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    run: str
    size_bytes: int
    datastore: str = ""
    provisioning: Provisioning = "thin"


def parse_made_disk(text: str) -> MadeDisk:
    """Return the disk that a setting's value describes. Raises UsageError."""
    try:
        read = msgspec.json.decode(text, type=ready(_Written))
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise UsageError(
            f"That describes no disk: {shown(text, 80)}.", meaning=f"{shown(str(error))}."
        ) from error
    if not _RUN.fullmatch(read.run):
        raise UsageError("A disk to be made needs the id of the test run that makes it.")
    if read.size_bytes < _MIB or read.size_bytes > _MAX_BYTES or read.size_bytes % _MIB:
        raise UsageError(
            f"A disk of {read.size_bytes} bytes can't be made.",
            advice="Ask for whole MiB, at least one, at most 62 TiB.",
        )
    return MadeDisk(read.run, read.size_bytes, read.datastore, read.provisioning)
