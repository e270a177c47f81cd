"""The worker processes that turn pieces into blocks; they end when their parent does.

A pipe each way to each worker, no queue and no lock between them: when the parent dies, however it dies, its
end of the pipe closes and the worker leaves at once, even in the middle of a piece.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from multiprocessing.connection import Connection, wait
from queue import SimpleQueue

from collectors.esxtop.plan import Piece, PieceResult, SectionPlan
from collectors.esxtop.read_ahead import RowsAhead
from collectors.esxtop.transfer import Answer, receive_answer, send_answer
from collectors.esxtop.work import PieceWorker
from collectors.worker_process import ReadAhead, WorkerProcess

_AHEAD = 2
"""Pieces that a worker has at a time: one in work, one waiting."""


_Task = ReadAhead | SectionPlan | Piece


class Workers:
    """Some worker processes beside the caller's own, which does pieces too (``do_in_this_process``).

    ``started`` are processes that run already. ``pulse`` is called now and then while a piece is done here,
    and may raise to stop.
    A worker that dies (killed, out of memory) costs time, not data: its pieces are done here.
    """

    def __init__(
        self, count: int, plans: Mapping[int, SectionPlan], started: Sequence[WorkerProcess] = ()
    ) -> None:
        self.count = count
        self._plans = plans
        self._here: dict[int, PieceWorker] = {}
        self._done: deque[PieceResult] = deque()
        for process in started[count:]:
            process.stop()
        self._workers = [_Remote(process) for process in started[:count]]
        self._workers += [_Remote(WorkerProcess()) for _ in range(count - len(started))]

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.stop()

    def grow(self, count: int) -> None:
        """Start more workers, up to ``count``."""
        self._workers += [_Remote(WorkerProcess()) for _ in range(count - self.count)]
        self.count = max(self.count, count)

    @property
    def busy(self) -> bool:
        """True if any result is still to come."""
        return bool(self._done) or any(worker.pieces for worker in self._workers)

    def has_enough_to_do(self, *, last: bool) -> bool:
        """Return True if every worker has enough pieces waiting (or there is no worker).

        The last piece must not wait for a worker while this process would do nothing.
        """
        return all(len(worker.pieces) >= (1 if last else _AHEAD) for worker in self._workers)

    def do_in_this_process(self, piece: Piece, pulse: Callable[[], None]) -> PieceResult:
        """Process a piece in the calling process."""
        worker = self._here.get(piece.section)
        if worker is None:
            worker = self._here[piece.section] = PieceWorker(self._plans[piece.section])
        return worker.work(piece, pulse)

    def submit(self, piece: Piece, pulse: Callable[[], None]) -> None:
        """Send a piece to the worker with the fewest pieces waiting."""
        worker = min(self._workers, key=lambda one: len(one.pieces))
        if not worker.send(piece, self._plans[piece.section]):
            self._lost(worker, pulse)

    def results(self, timeout: float, pulse: Callable[[], None]) -> Iterator[PieceResult]:
        """Wait up to ``timeout`` seconds for a first result, then yield all results that have arrived."""
        while self._done:
            yield self._done.popleft()
        busy = {id(worker.answers): worker for worker in self._workers if worker.pieces}
        for pipe in wait([worker.answers for worker in busy.values()], timeout) if busy else []:
            worker = busy[id(pipe)]
            result = worker.receive()
            if result is not None:
                yield result
            else:
                self._lost(worker, pulse)
        while self._done:
            yield self._done.popleft()

    def _lost(self, worker: _Remote, pulse: Callable[[], None]) -> None:
        self._workers.remove(worker)
        worker.stop()
        self._done.extend(self.do_in_this_process(piece, pulse) for piece in worker.pieces)


class _Remote:
    """The parent's side of one worker process."""

    def __init__(self, process: WorkerProcess) -> None:
        self._process = process
        self.answers = process.answers
        self.pieces: deque[Piece] = deque()
        self._sent: set[int] = set()

    def send(self, piece: Piece, plan: SectionPlan) -> bool:
        """Send a piece; False if the process has ended."""
        self.pieces.append(piece)
        try:
            if plan.number not in self._sent:
                self._sent.add(plan.number)
                self._process.tasks.send(plan)
            self._process.tasks.send(piece)
        except OSError:
            return False
        return True

    def receive(self) -> PieceResult | None:
        """The result of the oldest piece, None when the process is gone; raises what the work raised."""
        try:
            answer = receive_answer(self.answers)
        except (EOFError, OSError):
            return None
        self.pieces.popleft()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def stop(self) -> None:
        """End the process; what it was doing is lost."""
        self._process.stop()


def serve(tasks: Connection, answers: Connection) -> None:
    """Run a worker process: receive pieces and send results until the pipe closes."""
    # Ctrl-C reaches the whole process group; stopping is the parent's decision.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    waiting: SimpleQueue[_Task] = SimpleQueue()
    threading.Thread(target=_receive, args=(tasks, waiting.put), daemon=True).start()
    done: SimpleQueue[Answer] = SimpleQueue()
    threading.Thread(target=_send, args=(answers, done.get), daemon=True).start()
    workers: dict[int, PieceWorker] = {}
    ahead = RowsAhead()
    while True:
        task = waiting.get()
        if isinstance(task, ReadAhead):
            ahead.read(task.path, waiting.empty, task.max_bytes)
            continue
        if isinstance(task, SectionPlan):
            workers[task.number] = PieceWorker(task, ahead)
            continue
        try:
            done.put(workers[task.section].work(task))
        except (OSError, MemoryError) as error:
            done.put(error)


def _receive(tasks: Connection, put: Callable[[_Task], None]) -> None:
    """Take what the parent sends at once, so that it never waits; leave when it is gone."""
    while True:
        try:
            put(tasks.recv())
        except (EOFError, OSError):
            os._exit(0)


def _send(answers: Connection, get: Callable[[], Answer]) -> None:
    """Give results to the parent, which may be busy with a piece of its own."""
    while True:
        try:
            send_answer(answers, get())
        except OSError:
            os._exit(0)
