"""A guest through VMware Tools, as a transport of the launcher: no network to the guest is needed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from connections.vsphere.session import VSphere
from connections.vsphere.tools.calls import GuestCalls, GuestLogin
from connections.vsphere.tools.faults import GuestBusyError, NoGuestFileError
from connections.vsphere.tools.files import GuestFiles
from connections.vsphere.tools.patience import Patience
from resources.failures import SourceError
from resources.foreign_text import shown
from resources.guest_scripts import guest_script
from resources.vcenter_acting import GuestCalls as Limits
from resources.vcenter_acting import load_acting
from sessions.journal import ChangedObject
from workloads.guests.clock import Round, best_of
from workloads.guests.transport import MAX_EXCHANGED, ClockReading, News, Output
from workloads.job_file import Guest
from workloads.vsphere.tools.scripts import ScriptRunner

_PARTS = 8
_CLOCK_S = 60.0
_PART = re.compile(r"part\.([0-9]{1,9})")
_MAX_STATE = 4096


class ToolsGuest:
    """A Linux guest through VMware Tools, as a GuestTransport.

    ``ahead_ms`` is how far the clock by which the caller tells times is ahead of this machine's: a
    vCenter's, say.
    """

    def __init__(
        self,
        vsphere: VSphere,
        vm: ChangedObject,
        login: GuestLogin,
        *,
        ahead_ms: Callable[[], float] = lambda: 0.0,
        limits: Limits | None = None,
    ) -> None:
        self._vm, self._ahead_ms = vm, ahead_ms
        self._limits = limits or load_acting().guests
        self._calls = GuestCalls(vsphere, vm.id, vm.name, login)
        self._files = GuestFiles(vsphere, vm, self._calls, self._limits.transfer_s)
        self._patiently = Patience(self._limits)
        self._scripts = ScriptRunner(self._calls, self._files, self._limits)
        self._next_exchange = 0.0
        self._pids: dict[str, int] = {}

    @property
    def guest(self) -> Guest:
        """The operating system that it was made for."""
        return "linux"

    @property
    def place(self) -> str:
        """The VM's name."""
        return shown(self._vm.name)

    def open(self) -> None:
        """Check the login, waiting for a guest that starts. Raises SourceError."""
        self._patiently.call(self._calls.check_login)

    def keep_in(self, scratch: str, /) -> bool:
        """Run scripts in this folder from now on, which is there while one runs."""
        self._scripts.keep_in(scratch)
        return True

    def has_folder(self, path: str) -> bool:
        """Return True if a folder is there."""
        try:
            self._patiently.call(lambda: self._calls.list_files(path, "^$"), again_if_lost=True)
        except NoGuestFileError:
            return False
        return True

    def remove_folder(self, path: str) -> None:
        """Remove a folder with everything in it; it is no error if it is gone."""
        self._patiently.call(lambda: self._calls.remove_folder(path), again_if_lost=True)

    def run(self, script: str, stdin: str, within_s: float) -> Output:
        """Run a script to its end. Raises TimedOutError after ``within_s`` seconds, SourceError."""
        return self._scripts.run(script, stdin, within_s)

    def put(self, path: str, content: bytes, *, executable: bool = False) -> None:
        """Write a file, readable by its owner alone, that appears when it is whole."""
        new = f"{path}.new"

        def write() -> None:
            self._files.put(new, content, executable=executable)
            self._calls.move_file(new, path)

        self._patiently.call(write)

    def get(self, path: str, max_bytes: int) -> bytes | None:
        """Return the beginning of a file, None if there is none."""
        return self._patiently.call(lambda: self._files.get(path, max_bytes))

    def launch(self, folder: str) -> None:
        """Start the folder's ``run.sh`` in it. If it is started twice, the second one ends at once."""
        arguments = "./run.sh < /dev/null > launch 2>&1"
        self._pids[folder] = self._patiently.call(
            lambda: self._calls.start("/bin/sh", arguments, folder), again_if_lost=True
        )
        self._next_exchange = 0.0

    def exchange(self, folder: str, have: int) -> News | None:
        """Renew the folder's file ``alive`` and return what is new, or None if no answer is there yet.

        VMware Tools are asked every few seconds at most; between that, and while they are busy, there is no
        answer yet.
        """
        now = time.monotonic()
        if now < self._next_exchange:
            return None
        self._next_exchange = now + self._limits.exchange_s
        try:
            return self._news(folder, have)
        except GuestBusyError:
            self._next_exchange = time.monotonic() + self._limits.max_poll_s
            return None
        except NoGuestFileError:
            return News("gone")

    def clock(self) -> ClockReading:
        """Measure the guest's clock: by when it makes files that we ask it to make."""
        asked: list[tuple[str, int, int]] = []

        def timed_files(folder: str) -> str:
            asked[:] = [self._timed_file(folder) for _ in range(self._limits.clock_rounds)]
            return "".join(f"{path}\n" for path, _, _ in asked)

        output = self._scripts.run(guest_script("tools_clock.sh"), timed_files, _CLOCK_S)
        made = output.out.decode("ascii", "replace").split()
        rounds = [
            Round(before, after, int(digits))
            for (_, before, after), said in zip(asked, made, strict=False)
            if (digits := said if said.isdigit() else said[:10]).isdigit()
        ]
        if not rounds:
            raise SourceError(f"{self.place} tells no time: its program date is another one.")
        read, lag = best_of(rounds), self._limits.clock_tick_ms / 2
        return ClockReading(read.offset_ms + lag - self._ahead_ms(), read.error_ms + lag)

    def close(self) -> None:
        """End the transport; there is nothing to close, since the connection is the vCenter's."""

    def _timed_file(self, folder: str) -> tuple[str, int, int]:
        """A file that the guest made, and our clock before and after that (ns)."""

        def make() -> tuple[str, int, int]:
            before = time.time_ns()
            path = self._calls.make_temporary_file(folder)
            return path, before, time.time_ns()

        return self._patiently.call(make)

    def _news(self, folder: str, have: int) -> News:
        self._files.put(f"{folder}/alive", f"{time.time_ns() // 1_000_000}\n".encode())
        numbers = "|".join(str(have + n) for n in range(1, _PARTS + 2))
        found = {
            one.name: one.size for one in self._calls.list_files(folder, f"^(rc|state|part\\.({numbers}))$")
        }
        there = {int(match[1]) for name in found if (match := _PART.fullmatch(name))}
        parts: list[bytes] = []
        room = MAX_EXCHANGED
        while have + len(parts) + 1 in there and len(parts) < _PARTS:
            number = have + len(parts) + 1
            size = found[f"part.{number}"]
            if size > room:
                break
            content = self._files.get(f"{folder}/part.{number}", size)
            if content is None:
                break
            room -= len(content)
            parts.append(content)
        ending = ""
        if "rc" in found and have + len(parts) + 1 not in there:
            ending = self._line(f"{folder}/rc")
        return News(self._state(folder, found, ending), ending, tuple(parts))

    def _state(self, folder: str, found: dict[str, int], ending: str) -> str:
        if ending or "rc" in found:
            return "done"
        if (pid := self._pids.get(folder)) is not None:
            process = self._calls.process(pid)
            if process is None or process.has_ended:
                return "done" if self._calls.list_files(folder, "^rc$") else "dead"
        return self._line(f"{folder}/state") if found.get("state") else ""

    def _line(self, path: str) -> str:
        content = self._files.get(path, _MAX_STATE) or b""
        return shown(content.decode("utf-8", "replace").partition("\n")[0])
