"""Makes msgspec ready for a type before anything is converted into it: by two threads at once for the first
time, it crashes the process.
"""

from __future__ import annotations

from threading import Lock
from typing import TypeVar

import msgspec

T = TypeVar("T")
_LOCK = Lock()
_READY: set[object] = set()


def ready(kind: type[T]) -> type[T]:
    """Return ``kind``, which several threads may now decode and convert into."""
    if kind not in _READY:
        with _LOCK:
            msgspec.json.Decoder(kind)
            _READY.add(kind)
    return kind
