"""Decoded arrays that the next read is likely to want again, within a bound of memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """Values by the id of the segment that they were decoded from; the least recently used go first.

    Ids of segments are never used again, so an entry never goes stale. Several threads may share it; then
    two may decode the same at once, and the later one's is kept.
    """

    def __init__(self, limit_bytes: int, size: Callable[[Value], int]) -> None:
        self._entries: OrderedDict[int, Value] = OrderedDict()
        self._limit, self._bytes, self._size = limit_bytes, 0, size
        self._lock = threading.Lock()

    def __contains__(self, segment: int) -> bool:
        with self._lock:
            return segment in self._entries

    def get(self, segment: int, make: Callable[[], Value]) -> Value:
        """The segment's value, made when it is not there."""
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
