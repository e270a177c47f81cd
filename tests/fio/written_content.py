"""How duplicate and how compressible what was written is, measured as a deduplicating storage would."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_BLOCK = 4096


@dataclass(frozen=True)
class Content:
    """Percent of blocks (4 KB) that are copies of others, and percent that compression saves of the rest."""

    duplicate: float
    compressible: float


def content_of(images: Iterable[Path]) -> Content:
    """Measure images together: a storage finds copies on all disks."""
    unique: dict[bytes, int] = {}
    blocks = 0
    for image in images:
        with image.open("rb") as file:
            while block := file.read(_BLOCK):
                blocks += 1
                digest = hashlib.blake2b(block, digest_size=16).digest()
                if digest not in unique:
                    unique[digest] = len(zlib.compress(block))
    assert blocks
    return Content(
        100 - 100 * len(unique) / blocks, 100 - 100 * sum(unique.values()) / (len(unique) * _BLOCK)
    )
