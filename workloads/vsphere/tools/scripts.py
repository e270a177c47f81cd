"""Runs a fixed script in a guest to its end: one file goes in, one comes out.

Whether a program has begun is never guessed: the script's first act is to make the folder ``begun``, and only
one can make it. If the reply to its start was lost and it has not begun after a while, we make that folder:
then it never will, and may be started anew.
"""

from __future__ import annotations

import contextlib
import re
import secrets
import time
from collections.abc import Callable

from connections.failures import ClosedError
from connections.vsphere.tools.calls import GuestCalls
from connections.vsphere.tools.faults import GuestBusyError, GuestFileThereError, NoGuestFileError
from connections.vsphere.tools.files import GuestFiles
from connections.vsphere.tools.patience import Patience
from resources.failures import DisconnectedError, SourceError, TimedOutError
from resources.guest_scripts import guest_script
from resources.vcenter_acting import GuestCalls as Limits
from workloads.guests.contract import base_folder
from workloads.guests.transport import MAX_EXCHANGED, Output
from workloads.job_file import Guest

_SHELL, _START = "/bin/sh", "./job"
_TRIES = 3
_RANDOM_BYTES = 12
_NAME = f"hyperscope-[0-9a-f]{{{2 * _RANDOM_BYTES}}}"
"""What the folder of a script is called that no journal names; those that one names have shorter names."""
_LEFT_S = 300.0
"""A folder in which nothing was done for so long is left over: a script has 120 s, a busy guest as much."""


class ScriptRunner:
    """Runs scripts in one Linux guest."""

    def __init__(self, calls: GuestCalls, files: GuestFiles, limits: Limits) -> None:
        self._calls, self._files, self._limits = calls, files, limits
        self._patiently = Patience(limits)
        self._guest: Guest = "linux"
        self._scratch = ""
        self._has_tidied = False

    def keep_in(self, scratch: str) -> None:
        """Run scripts in this folder from now on; what an earlier program left in it is removed."""
        self._scratch = scratch

    def _make_folder(self) -> str:
        """Make the folder of a script, of a new name if none was named; return its path."""
        path = self._scratch or f"{base_folder(self._guest)}hyperscope-{secrets.token_hex(_RANDOM_BYTES)}"
        try:
            self._make(path)
        except GuestFileThereError:
            # A new name is nobody else's: it was made, and the reply got lost.
            if self._scratch:
                self._patiently.call(lambda: self._calls.remove_folder(path), again_if_lost=True)
                with contextlib.suppress(GuestFileThereError):
                    self._make(path)
        return path

    def _make(self, path: str) -> None:
        self._patiently.call(lambda: self._calls.make_folder(path), again_if_lost=True)

    def _remove_folder(self, folder: str) -> None:
        """Remove a folder; that it can't be removed is no error of what was done in it."""
        with contextlib.suppress(SourceError):
            self._patiently.call(lambda: self._calls.remove_folder(folder), again_if_lost=True)

    def _tidy(self, own: str) -> None:
        """Remove, once, what scripts of other programs left that died: nothing was done there for long.

        Our own folder, just made, tells what time it is by the guest's clock.
        """
        if self._has_tidied:
            return
        self._has_tidied = True
        base, _, name = own.rpartition("/")
        with contextlib.suppress(SourceError):
            there = self._calls.list_folders(base, f"^({name}|{_NAME})$")
            now = next((one.changed for one in there if one.name == name), None)
            for one in there:
                is_other = one.name != name and re.fullmatch(_NAME, one.name) is not None
                if is_other and now and one.changed and (now - one.changed).total_seconds() > _LEFT_S:
                    self._remove_folder(f"{base}/{one.name}")

    def run(self, script: str, stdin: str | Callable[[str], str], within_s: float) -> Output:
        """Run a script to its end. Raises TimedOutError after ``within_s`` seconds, SourceError.

        ``stdin`` can be what makes it, given the folder in which the script will run.
        """
        deadline = time.monotonic() + within_s
        for _ in range(_TRIES):
            folder = self._make_folder()
            try:
                self._tidy(folder)
                self._put(folder, script, stdin if isinstance(stdin, str) else stdin(folder))
                if self._begin(folder):
                    return self._await(folder, deadline)
            finally:
                self._remove_folder(folder)
        raise DisconnectedError(
            f"A script could not be started in {self._calls.name}: the replies got lost.",
            advice="Try again; look at the connection to the vCenter.",
        )

    def _put(self, folder: str, script: str, stdin: str) -> None:
        body, told = script.encode(), stdin.encode("utf-8", "replace")
        head = guest_script("tools_run.sh").encode()
        self._put_file(f"{folder}/sizes", f"{len(body)} {len(told)}\n".encode())
        self._put_file(f"{folder}/job", head + body + told)

    def _put_file(self, path: str, content: bytes) -> None:
        self._patiently.call(lambda: self._files.put(path, content), again_if_lost=True)

    def _begin(self, folder: str) -> bool:
        """Start the script once; False if it has not begun and never will."""
        try:
            self._patiently.call(lambda: self._calls.start(_SHELL, _START, folder))
        except (ClosedError, GuestBusyError):
            raise
        except (DisconnectedError, TimedOutError):
            return self._has_begun(folder)
        return True

    def _has_begun(self, folder: str) -> bool:
        deadline = time.monotonic() + self._limits.begin_s
        while time.monotonic() < deadline:
            if self._there(folder, "^(script|result)$"):
                return True
            time.sleep(self._limits.first_poll_s)
        try:
            self._patiently.call(lambda: self._calls.make_folder(f"{folder}/begun"))
        except GuestFileThereError:
            return True
        return False

    def _await(self, folder: str, deadline: float) -> Output:
        pause = self._limits.first_poll_s
        while not self._there(folder, "^result$"):
            if time.monotonic() >= deadline:
                raise TimedOutError(
                    f"{self._calls.name} did not do what it was told in time.",
                    meaning="The guest hangs, or its disk answers nothing.",
                    advice="Look at its console.",
                )
            time.sleep(min(pause, max(0.05, deadline - time.monotonic())))
            pause = min(pause * 2, self._limits.max_poll_s)
        path = f"{folder}/result"
        result = self._patiently.call(lambda: self._files.get(path, MAX_EXCHANGED), again_if_lost=True)
        return read_result(result or b"", self._calls.name)

    def _there(self, folder: str, pattern: str) -> bool:
        """Whether a file is there; False also while the guest, or the vCenter, does not answer."""
        try:
            return bool(self._calls.list_files(folder, pattern))
        except ClosedError:
            raise
        except (GuestBusyError, NoGuestFileError, DisconnectedError):
            return False


def read_result(result: bytes, guest: str) -> Output:
    """Return what ``result`` says: a line with exit code and size of the output, output, stderr."""
    line, _, rest = result.partition(b"\n")
    words = line.split()
    if len(words) != 2 or not all(word.isdigit() for word in words) or int(words[1]) > len(rest):
        raise DisconnectedError(
            f"What a script left in {guest} makes no sense.",
            meaning="It was cut off, or the guest's disk is full.",
            advice="Check the free space of the guest's folder for temporary files.",
        )
    size = int(words[1])
    return Output(int(words[0]), rest[:size], rest[size:].decode("utf-8", "replace"))
