"""Starts tasks of a vCenter and follows them to their end, also when replies get lost on the way.

A reply that is lost leaves open whether the task has begun. It is never asked for again before the server was
looked at: the object's recent tasks show the one that has begun, and the setting itself whether it holds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from pyVmomi import vim

from connections.failures import ClosedError
from connections.vsphere.faults import SoapFault
from connections.vsphere.logged_in import Connection
from connections.vsphere.properties import Properties, read_one
from connections.vsphere.retry import is_transient
from connections.vsphere.session import VSphere
from resources.failures import CancelledError, NotFoundError, SourceError, TimedOutError
from resources.vcenter_acting import Waits, load_acting
from sessions.journal import ChangedObject
from workloads.vsphere.accounts import same_account
from workloads.vsphere.faults import outcome_unknown, refusal, task_failure
from workloads.vsphere.task_state import TaskState, task_state

Progress = Callable[[str, float | None], None]
"""Called with what is done (``moving web01 to esx02``) and the share of it that is done, 0 to 1, None if
unknown."""

Start = Callable[[Connection], Any]
"""Asks the server to begin, and returns pyVmomi's task."""


def no_progress(_what: str, _share: float | None) -> None:
    """Report nothing."""


class Tasks:
    """Tasks of one connection, followed one at a time by each thread that calls ``run``.

    ``progress`` is told how far a task is. ``cancel`` ends the tasks that are followed.
    """

    def __init__(
        self, vsphere: VSphere, *, progress: Progress = no_progress, waits: Waits | None = None
    ) -> None:
        self._vsphere = vsphere
        self._progress = progress
        self._waits = waits or load_acting().waits
        self._cancelled = threading.Event()

    @property
    def waits(self) -> Waits:
        """How long tasks may take."""
        return self._waits

    def cancel(self) -> None:
        """Ask the server to cancel the task that is followed now; ``run`` then raises CancelledError.

        Tasks that are started afterwards are refused until ``allow`` is called.
        """
        self._cancelled.set()

    def allow(self) -> None:
        """Let tasks be started again after ``cancel``: what was changed is to be put back."""
        self._cancelled.clear()

    def run(
        self, what: str, of: ChangedObject, start: Start, limit_s: float, holds: Callable[[], bool]
    ) -> None:
        """Start a task on the object ``of`` and return when it has ended well.

        ``what`` names it in errors. ``holds`` reads whether the change is in effect, and is asked only when a
        reply was lost. Raises SourceError: TimedOutError after ``limit_s``, OutcomeUnknownError, SoapFault,
        NotAllowedError; CancelledError.
        """
        if self._cancelled.is_set():
            raise _was_cancelled(what)
        before = self._recent(of)
        try:
            moid = str(self._vsphere.ask(what, start)._moId)
        except ClosedError:
            raise
        except SourceError as error:
            if not _may_have_begun(error):
                raise refusal(error, what, self._vsphere.address) from error
            begun = self._begun_since(of, before)
            if begun is None:
                self._require(holds, what, error)
                return
            moid = begun
        self._follow(what, moid, limit_s, holds)

    def _recent(self, of: ChangedObject) -> frozenset[str]:
        recent = read_one(self._vsphere, "its recent tasks", of, ["recentTask"])["recentTask"]
        return frozenset(str(task._moId) for task in recent or ())

    def _begun_since(self, of: ChangedObject, before: frozenset[str]) -> str | None:
        """The task that our lost request began; None if there is none for ``in_doubt_s``."""
        deadline = time.monotonic() + self._waits.in_doubt_s
        pause = self._waits.first_poll_s
        while True:
            try:
                ours = [moid for moid in self._recent(of) - before if self._is_ours(moid)]
            except NotFoundError:
                raise
            except SourceError as error:
                self._let_pass(error)
            else:
                if ours:
                    return max(ours)
                if pause >= self._waits.max_poll_s:
                    return None  # the server answers again, and has had the time to begin it
            if time.monotonic() >= deadline:
                return None
            self._pause(pause)
            pause *= 2

    def _is_ours(self, moid: str) -> bool:
        """Whether a user's task was begun in the name of our account; True where the server does not say."""
        try:
            reason = self._info(moid, ("info.reason",))["info.reason"]
        except NotFoundError:
            return False
        by = getattr(reason, "userName", None)
        return by is None or same_account(str(by), self._vsphere.address.user)

    def _follow(self, what: str, moid: str, limit_s: float, holds: Callable[[], bool]) -> None:
        deadline, pause = time.monotonic() + limit_s, self._waits.first_poll_s
        is_cancelled = False
        while True:
            try:
                info: TaskState | None = task_state(self._vsphere, moid)
            except NotFoundError as error:
                return self._require(holds, what, error)
            except SourceError as error:
                self._let_pass(error)
                info = None
            if info is not None and self._has_ended(what, info, is_cancelled=self._cancelled.is_set()):
                return None
            if self._cancelled.is_set() and not is_cancelled:
                is_cancelled = True
                self._cancel(moid)
                deadline = min(deadline, time.monotonic() + self._waits.cancel_s)
            if time.monotonic() >= deadline:
                self._give_up(what, moid, limit_s, holds, is_answering=info is not None)
                return None
            self._pause(min(pause, max(0.0, deadline - time.monotonic())))
            pause = min(pause * 2, self._waits.max_poll_s)

    def _has_ended(self, what: str, info: TaskState, *, is_cancelled: bool) -> bool:
        if info.state == "success":
            self._progress(what, 1.0)
            return True
        if info.state == "error":
            if is_cancelled and "Cancel" in info.fault:
                raise _was_cancelled(what)
            raise task_failure(info.fault, info.text, info.detail, what, self._vsphere.address)
        self._progress(what, None if info.percent is None else info.percent / 100)
        return False

    def _give_up(
        self, what: str, moid: str, limit_s: float, holds: Callable[[], bool], *, is_answering: bool
    ) -> None:
        if not is_answering:
            self._require(holds, what, None)
            return
        self._cancel(moid)
        if self._cancelled.is_set():
            raise _was_cancelled(what)
        raise TimedOutError(
            f"{self._vsphere.address.place} has not finished {what} after {limit_s:.0f} s.",
            meaning="Its task still runs or waits for another one; it was asked to cancel it.",
            advice="Look at the task in the vSphere Client: a question to a VM also stops it.",
        )

    def _cancel(self, moid: str) -> None:
        """Ask to cancel a task; that it can't be cancelled, or has ended, is no error."""
        try:
            self._vsphere.ask(
                "to cancel the task", lambda connection: vim.Task(moid, connection.stub).CancelTask()
            )
        except ClosedError:
            raise
        except SourceError:
            return

    def _require(self, holds: Callable[[], bool], what: str, cause: Exception | None) -> None:
        if not holds():
            raise outcome_unknown(what, self._vsphere.address) from cause

    def _info(self, moid: str, paths: tuple[str, ...]) -> Properties:
        task = ChangedObject(str(self._vsphere.address), "Task", moid, "The task")
        return read_one(self._vsphere, "its task", task, paths)

    def _let_pass(self, error: SourceError) -> None:
        """Raise an error that waiting does not mend; a transient one passes."""
        if not is_transient(error) or isinstance(error, ClosedError):
            raise error

    def _pause(self, seconds: float) -> None:
        if self._cancelled.is_set():
            time.sleep(seconds)
        else:
            self._cancelled.wait(seconds)


def _may_have_begun(error: SourceError) -> bool:
    """True if the server may have begun what it was asked for, since no answer of it came."""
    return is_transient(error) and not isinstance(error, SoapFault)


def _was_cancelled(what: str) -> CancelledError:
    return CancelledError(f"Cancelled: {what}.")
