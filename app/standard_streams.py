"""Prepares stdin, stdout and stderr for the commands, so that all three are usable.

A stream that the starter of the program closed is replaced by the null device: otherwise the next file that
is opened, perhaps a session, would get its descriptor, and output of system libraries would go into that
file. Writing to stderr never fails, since nobody could be told; writing to stdout raises a HyperscopeError.

Pipes and files are UTF-8 on every system, whatever PYTHONIOENCODING or a Windows code page says: another
program reads them, and JSON is UTF-8. (A frozen program ignores PYTHONUTF8, so that nobody else can set it.)
A console keeps its encoding, since that is what it shows; the rest is escaped there.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from resources.failures import AccessDeniedError, DiskFullError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def prepare_standard_streams() -> None:
    """Make the three streams usable: UTF-8, or a console's encoding, which gets escapes for what it lacks."""
    for name, mode in (("stdin", "rb"), ("stdout", "wb"), ("stderr", "wb")):  # as they are numbered
        if getattr(sys, name) is None:
            nowhere = open(os.devnull, mode)  # noqa: PTH123, SIM115 - a name of the system; open to the end
            setattr(sys, name, _Nowhere(nowhere, encoding="utf-8"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding=_encoding_for(sys.stdout), errors="backslashreplace")
        raw = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)  # the same where nothing is buffered
        if isinstance(raw, io.FileIO) and sys.__stdout__ is not None:  # and no console of Windows
            sys.stdout = _with_sentences(sys.stdout)
    if isinstance(sys.stderr, io.TextIOWrapper):
        encoding, by_line = _encoding_for(sys.stderr), sys.stderr.line_buffering
        sys.stderr = _Unfailing(
            sys.stderr.detach(), encoding=encoding, errors="backslashreplace", line_buffering=by_line
        )


def _encoding_for(stream: io.TextIOWrapper) -> str:
    return stream.encoding if stream.isatty() else "utf-8"


def silence(descriptor: int) -> None:
    """Redirect a file descriptor to the null device: nobody reads what is written to it any more."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, descriptor)
        os.close(nowhere)


def silence_stderr() -> None:
    """Redirect stderr to the null device: nobody reads it any more."""
    with suppress(OSError, ValueError, AttributeError):  # no stderr at all, as in a windowed program
        silence(sys.stderr.fileno())


class _Nowhere(io.TextIOWrapper):
    """The null device as a stream."""

    def isatty(self) -> bool:
        """Return False: Windows calls its null device a terminal."""
        return False


class _Unfailing(io.TextIOWrapper):
    """A stderr that is redirected to the null device once writing fails (full disk, closed terminal)."""

    def write(self, text: str, /) -> int:
        """Write the text; failures are ignored."""
        try:
            return super().write(text)
        except OSError:
            silence_stderr()
            return len(text)

    def flush(self) -> None:
        """Flush the text; failures are ignored."""
        try:
            super().flush()
        except OSError:
            silence_stderr()


class _Descriptor(io.FileIO):
    """The descriptor of stdout. Raises DiskFullError, AccessDeniedError or BrokenPipeError, only once."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write the data; after a failure, later writes go to the null device, also when the program ends."""
        try:
            return super().write(data)
        except OSError as error:
            silence(self.fileno())
            if isinstance(error, BrokenPipeError):
                raise  # whoever reads has enough, which is no failure
            raise _failure(error) from error


def _failure(error: OSError) -> DiskFullError | AccessDeniedError:
    happened = f"The results can't be written to standard output: {error.strerror}."
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return DiskFullError(happened, advice="Free some space, or send them elsewhere.")
    return AccessDeniedError(happened, advice="Check where it is sent to.")


def _with_sentences(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    """Return a stream on the same descriptor that raises a HyperscopeError if writing fails."""
    descriptor = _Descriptor(stream.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(descriptor, buffer_size=1 << 16),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
