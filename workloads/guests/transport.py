"""How files and scripts get into a guest: the interface that ssh and VMware's guest operations implement.

Nothing that varies is ever part of a command: a script is fixed text (resources/guests), what it is told
comes in files or on its stdin. Linux guests run it with ``sh``, Windows guests with PowerShell. A job is
started once and then followed by its files, so it does not matter if an answer is lost: whoever doesn't
know asks again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from resources.failures import SourceError
from resources.foreign_text import shown
from workloads.job_file import Guest

MAX_EXCHANGED = 64 << 20
"""The most bytes that one exchange may bring; 8 parts of a large job have about 2 MB."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a script left: ``exit_code`` is None if a signal ended it."""

    exit_code: int | None
    out: bytes
    err: str


@dataclass(frozen=True, slots=True)
class ClockReading:
    """A guest's clock minus this machine's, in ms, and the half width of what is known of it."""

    offset_ms: float
    error_ms: float


@dataclass(frozen=True, slots=True)
class News:
    """What a job's folder says now.

    ``state`` is the content of the file ``state`` (empty if there is none, ``gone`` without the folder),
    ``ending`` that of ``rc``, empty while the job runs or while there are parts that did not fit in.
    ``parts`` are the next pieces of fio's output after those that the controller has, in order.
    """

    state: str
    ending: str = ""
    parts: tuple[bytes, ...] = ()


class GuestTransport(Protocol):
    """A way into one guest. Its calls come from one thread at a time; they raise SourceError.

    A guest that is busy or does not answer *yet* is no failure: ``exchange`` returns None then, and the other
    calls try again for a while by themselves.
    """

    @property
    def guest(self) -> Guest:
        """The operating system that it was made for."""

    @property
    def place(self) -> str:
        """The guest in messages: its address, or its VM's name."""

    def keep_in(self, scratch: str, /) -> bool:
        """Keep what a script leaves in the guest while it runs in this folder from now on.

        Return False if no script ever leaves anything.
        """

    def run(self, script: str, stdin: str, within_s: float) -> Output:
        """Run a script to its end. Raises TimedOutError after ``within_s`` seconds."""

    def put(self, path: str, content: bytes, *, executable: bool = False) -> None:
        """Write a file, readable by its owner alone, that appears when it is whole."""

    def get(self, path: str, max_bytes: int) -> bytes | None:
        """Return the beginning of a file, None if there is none."""

    def launch(self, folder: str) -> None:
        """Start the folder's ``run.sh`` (``run.ps1``) in it, apart from this transport.

        It is no error if that happens twice: the second one ends at once.
        """

    def exchange(self, folder: str, have: int) -> News | None:
        """Renew the folder's file ``alive`` and return what is new, or None if no answer is there yet.

        ``have`` is the number of the last part that the caller has. Renewing writes something that was never
        there before.
        """

    def clock(self) -> ClockReading:
        """Measure the guest's clock: the best of several round trips."""

    def close(self) -> None:
        """End the transport; the guest's job goes on until nobody renews ``alive``. Never raises."""


def unexpected(place: str, happened: str, output: Output) -> SourceError:
    """Return the error for a script that did not do its work, with what it said."""
    said = shown(output.err or output.out.decode("utf-8", "replace"))
    return SourceError(
        f"{happened} in {place}.",
        meaning=f"The guest says: {said}" if said else f"Its script ended with {output.exit_code}.",
        advice="Check the free space and the permissions of its folder for temporary files.",
    )
