"""The loop in a guest that is reached through VMware Tools: started, fetched from, and taken out."""

from __future__ import annotations

import contextlib
import math
import re
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass

from connections.failures import ClosedError
from connections.vsphere.tools.calls import GuestCalls
from connections.vsphere.tools.faults import NoGuestFileError
from connections.vsphere.tools.files import GuestFiles
from resources.failures import DisconnectedError, SourceError
from resources.guest_counters import GuestLimits, ToolsLimits
from resources.guest_scripts import guest_script

_BASE = "/var/tmp"  # noqa: S108 - a folder of a new name is made there, which fails if somebody was first
_NAME = "hyperscope-watch-"
_RANDOM_BYTES = 12
_PATTERN = f"^{_NAME}[0-9a-f]{{{2 * _RANDOM_BYTES}}}$"
_SCRIPT, _LOOP = "tools_watch.sh", "watch.sh"
_SHELL, _ARGUMENTS = "/bin/sh", f"./{_SCRIPT} < /dev/null > /dev/null 2>&1"
_PARTS = r"^part\.[0-9]{1,9}$"
_NUMBER = re.compile(r"part\.([0-9]{1,9})")
_END = b"hyperscope-guest end\n"
_MAX_FRAMES = 4


class SamplerGoneError(SourceError):
    """The loop in the guest has ended, and another one must be started."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often a guest is looked at: seconds between samples, samples in a part, parts that may be left."""

    interval_s: int
    per_part: int
    most_parts: int

    @property
    def part_s(self) -> int:
        """Seconds between two parts."""
        return self.interval_s * self.per_part

    @property
    def settings(self) -> bytes:
        """The content of the loop's file ``settings``."""
        return f"{self.interval_s:d} {self.per_part:d} {self.most_parts:d}\n".encode()


def pace_of(interval_s: int, tools: ToolsLimits, limits: GuestLimits) -> Pace:
    """Return the pace of a guest: parts of some seconds, and how many may be left before its loop ends."""
    per_part = max(1, math.ceil(tools.part_s / interval_s))
    return Pace(interval_s, per_part, max(2, math.ceil(limits.deaf_s / (per_part * interval_s))))


class ToolsSampler:
    """One loop in one guest, in a folder of its own. Not thread-safe.

    Everything raises SourceError, SamplerGoneError where the loop is no more.
    """

    def __init__(
        self, calls: GuestCalls, files: GuestFiles, pace: Pace, limits: GuestLimits, left_s: float
    ) -> None:
        self._calls, self._files, self._pace, self._left_s = calls, files, pace, left_s
        self._max_bytes = min(pace.per_part, _MAX_FRAMES) * limits.frame_bytes
        self._folder = f"{_BASE}/{_NAME}{secrets.token_hex(_RANDOM_BYTES)}"
        self._is_made = False
        self._pid: int | None = None
        self._have = 0

    @property
    def is_left(self) -> bool:
        """True while something of it may be in the guest."""
        return self._is_made

    @property
    def parts(self) -> int:
        """How many parts have come."""
        return self._have

    def start(self) -> float:
        """Put the loop into the guest and start it; return when that was (ms, by our clock)."""
        self._calls.check_login()  # one try, and nothing was made yet: accounts are locked after a few
        self._is_made = True  # also if the reply gets lost
        self._calls.make_folder(self._folder)
        self._tidy()
        for name in (_SCRIPT, _LOOP):
            self._files.put(f"{self._folder}/{name}", guest_script(name).encode())
        self._files.put(f"{self._folder}/settings", self._pace.settings)
        before = time.time()
        self._pid = self._calls.start(_SHELL, _ARGUMENTS, self._folder)
        return (before + time.time()) * 500

    def fetch(self) -> Iterator[bytes]:
        """Yield the parts that are new, in order; each is deleted in the guest when it was taken."""
        try:
            found = self._calls.list_files(self._folder, _PARTS)
        except NoGuestFileError as error:
            raise self._gone("its folder is no longer there") from error
        numbers = sorted(int(match[1]) for one in found if (match := _NUMBER.fullmatch(one.name)))
        for number in numbers:
            path = f"{self._folder}/part.{number}"
            if number > self._have:
                content = self._files.get(path, self._max_bytes)
                if content is None:
                    raise self._gone("it left while it was asked")
                if not content.endswith(_END):
                    raise DisconnectedError(f"A file of {self._calls.name} did not arrive whole.")
                yield content
                self._have = number
            self._calls.remove_file(path)

    def unfinished(self) -> bytes:
        """Return the samples of the part that is being written, before the loop is ended."""
        content = self._files.get(f"{self._folder}/part.new", self._max_bytes) or b""
        return content[: content.rfind(_END) + len(_END)] if _END in content else b""

    def check(self) -> None:
        """Raise SamplerGoneError if the loop runs no more."""
        process = None if self._pid is None else self._calls.process(self._pid)
        if process is None or process.has_ended:
            raise self._gone("it was ended there")

    def over(self, calls: GuestCalls, files: GuestFiles) -> None:
        """Ask the guest over another connection from now on."""
        self._calls, self._files = calls, files

    def end(self) -> bool:
        """End the loop and remove its folder; return True if nothing of it is left. Raises ClosedError."""
        if not self._is_made:
            return True
        try:
            if self._pid is not None:
                with contextlib.suppress(SourceError):  # it may have ended by itself
                    self._calls.terminate(self._pid)
            self._calls.remove_folder(self._folder)
        except ClosedError:
            raise
        except SourceError:
            return False
        self._is_made = False
        return True

    def _tidy(self) -> None:
        """Remove what loops left that were killed: our own folder, just made, tells the guest's time."""
        own = self._folder.rpartition("/")[2]
        with contextlib.suppress(NoGuestFileError):
            there = self._calls.list_folders(_BASE, _PATTERN)
            now = next((one.changed for one in there if one.name == own), None)
            for one in there:
                is_old = now and one.changed and (now - one.changed).total_seconds() > self._left_s
                if is_old and one.name != own and re.fullmatch(_PATTERN, one.name):
                    self._calls.remove_folder(f"{_BASE}/{one.name}")

    def _gone(self, why: str) -> SamplerGoneError:
        return SamplerGoneError(
            f"The loop that reads the counters of {self._calls.name} has ended: {why}.",
            meaning="The guest was started again, nobody fetched its samples for long, or its disk is full.",
        )
