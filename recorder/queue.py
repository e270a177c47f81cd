"""The queue of data to be stored: bounded by number and bytes; adding to a full queue blocks."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from recorder.session_file import SessionFile
from resources.failures import CancelledError, HyperscopeError


@dataclass(frozen=True, slots=True)
class Job:
    """One operation on the session file. ``size`` is the approximate number of bytes that it holds.

    ``refused`` is called if the operation is invalid and the session has not changed.
    """

    run: Callable[[SessionFile], Any]
    size: int
    result: Future[Any] | None = None
    refused: Callable[[HyperscopeError], None] | None = None
    since: float = field(default_factory=time.monotonic)


class WriterQueue:
    """Jobs in order. ``put`` blocks while the queue is full; a closed or failed queue accepts no more."""

    def __init__(self, max_items: int, max_bytes: int) -> None:
        self._max_items, self._max_bytes = max_items, max_bytes
        self._jobs: deque[Job] = deque()
        self._bytes = 0
        self._closed = False
        self._error: HyperscopeError | None = None
        self._changed = threading.Condition()

    @property
    def depth(self) -> int:
        """The number of waiting jobs."""
        return len(self._jobs)

    @property
    def bytes(self) -> int:
        """The approximate number of bytes that the waiting jobs hold."""
        return self._bytes

    def age_s(self) -> float:
        """The seconds that the first job has waited; 0 for an empty queue."""
        with self._changed:
            return time.monotonic() - self._jobs[0].since if self._jobs else 0.0

    def put(self, job: Job) -> None:
        """Add a job; block while the queue is full. Raises the writer's error, or CancelledError."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._error is not None or self._has_room(job))
            if self._error is not None:
                raise self._error
            if self._closed:
                raise CancelledError("The recording has ended.")
            self._jobs.append(job)
            self._bytes += job.size
            self._changed.notify_all()

    def get(self, timeout: float) -> Job | None:
        """Return the next job; None if there is none within ``timeout`` seconds, or the queue is finished."""
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._closed, timeout)
            if not self._jobs:
                return None
            job = self._jobs.popleft()
            self._bytes -= job.size
            self._changed.notify_all()
            return job

    def close(self) -> None:
        """Accept no more jobs; those in the queue are still carried out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def fail(self, error: HyperscopeError) -> None:
        """Accept no more jobs and drop those in the queue: everyone who waits for one gets the error."""
        with self._changed:
            self._error, self._closed = error, True
            waiting, self._jobs, self._bytes = self._jobs, deque(), 0
            self._changed.notify_all()
        for job in waiting:
            if job.result is not None:
                job.result.set_exception(error)

    def is_finished(self) -> bool:
        """True if the queue is closed and empty."""
        with self._changed:
            return self._closed and not self._jobs

    def _has_room(self, job: Job) -> bool:
        return not self._jobs or (
            len(self._jobs) < self._max_items and self._bytes + job.size <= self._max_bytes
        )
