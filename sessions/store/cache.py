"""A cache of decoded arrays, bounded by memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """Values by the id of the segment that they were decoded from; the least recently used are dropped first.

    Segment ids are never reused, so that an entry never becomes stale. Several threads may share the cache;
    two threads may then decode the same value, and the later one's is kept.
    """

    def __init__(self, limit_bytes: int, size: Callable[[Value], int]) -> None:
        self._entries: OrderedDict[int, Value] = OrderedDict()
        self._limit, self._bytes, self._size = limit_bytes, 0, size
        self._lock = threading.Lock()

    def __contains__(self, segment: int) -> bool:
        with self._lock:
            return segment in self._entries

    def get(self, segment: int, make: Callable[[], Value]) -> Value:
        """Return the segment's value; call ``make`` if it is not cached."""
        with self._lock:
            if segment in self._entries:
                self._entries.move_to_end(segment)
                return self._entries[segment]
        value = make()
        with self._lock:
            if segment in self._entries:
                self._bytes -= self._size(self._entries.pop(segment))
            self._entries[segment] = value
            self._bytes += self._size(value)
            while self._bytes > self._limit and len(self._entries) > 1:
                self._bytes -= self._size(self._entries.popitem(last=False)[1])
        return value
