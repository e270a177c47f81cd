"""Writes the lab as esxtop batch mode prints a host: the same grammar, the same defects."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import numpy as np

from collectors.esxtop_names import ColumnPath, format_path
from lab.fields import APERF
from lab.lab import Lab
from lab.recording import Progress, samples_in
from resources.failures import (
    AccessDeniedError,
    AlreadyExistsError,
    CancelledError,
    DiskFullError,
    NotFoundError,
    UsageError,
)
from resources.stopping import StopSignal
from sessions.model import FloatArray

_TIME_COLUMN = '"(PDH-CSV 4.0) (UTC)(0)",'
_JUNK_HEADER = "   -"
_JUNK_CELL = "%8.1f"


def export_lab(
    lab: Lab,
    out: Path | BinaryIO,
    *,
    hosts: Sequence[str] | None = None,
    split: bool = False,
    duration_s: float | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancel: StopSignal | None = None,
) -> tuple[Path, ...]:
    """Run the lab and write a capture; return the written files (none for a stream).

    A capture of several hosts has the columns of one host after those of another; their paths name the host.
    With ``split`` each host gets a file of its own: ``out`` with the host's name before the suffix. The lab's
    field set decides between ``esxtop -b`` and ``-b -a``. ``out`` appears only when it is complete: after a
    failure or a cancellation no file is left. Raises UsageError for an unknown host or a split stream,
    AlreadyExistsError, NotFoundError (no such folder), AccessDeniedError, DiskFullError, CancelledError.
    """
    chosen = _chosen(lab, hosts)
    total = lab.duration_s if duration_s is None else duration_s
    if not isinstance(out, Path):
        if split:
            raise UsageError(
                "One stream can't hold one file for each host.", advice="Name a file to write to."
            )
        _write(lab, [(out, chosen)], total, progress, cancel)
        return ()
    files = {_host_file(out, lab.hosts[host]): [host] for host in chosen} if split else {out: chosen}
    with whole_files(list(files)) as streams:
        _write(lab, list(zip(streams, files.values(), strict=True)), total, progress, cancel)
    return tuple(files)


def header_line(columns: Sequence[ColumnPath]) -> bytes:
    """Return the header of a capture. A comma follows each field, also the last.

    The exception is ``%A/MPERF`` of ``-a``, which esxtop prints as raw text: unnamed, unquoted, without a
    comma.
    """
    named = (
        _JUNK_HEADER if is_raw else f'"{format_path(path)}",'
        for path, is_raw in zip(columns, _raw(columns), strict=True)
    )
    return (_TIME_COLUMN + "".join(named) + "\n").encode()


def row_format(columns: Sequence[ColumnPath], decimals: Sequence[int]) -> str:
    """Return the printf format of a row's values; the time stamp precedes them."""
    return "".join(
        _JUNK_CELL if is_raw else f'"%.{places}f",'
        for is_raw, places in zip(_raw(columns), decimals, strict=True)
    )


def _raw(columns: Sequence[ColumnPath]) -> Iterator[bool]:
    """Say of each column whether it is raw text: only the states before it tell which PCPU that is of.

    Our own set ``diagnosis`` has no states, so that there %A/MPERF is a column like all others.
    """
    before = ("", "")
    for path in columns:
        yield path.counter == APERF and before == (path.cls, path.instance)
        before = path.cls, path.instance


def _chosen(lab: Lab, hosts: Sequence[str] | None) -> list[int]:
    if hosts is None:
        return list(range(len(lab.hosts)))
    for name in hosts:
        if name not in lab.hosts:
            raise UsageError(f"The lab has no host {name!r}.", advice=f"It has {', '.join(lab.hosts)}.")
    return [lab.hosts.index(name) for name in hosts]


def _write(
    lab: Lab,
    targets: Sequence[tuple[BinaryIO, Sequence[int]]],
    total: float,
    progress: Callable[[Progress], None] | None,
    cancel: StopSignal | None,
) -> None:
    printers = [_Printer(lab, stream, hosts) for stream, hosts in targets]
    samples = 0
    for number in range(1, samples_in(lab, total) + 1):
        if cancel is not None and cancel.is_set():
            raise CancelledError("The export of the lab was stopped.", meaning="No file was written.")
        tick = lab.tick()
        if tick is not None:
            samples += sum(printer.print(tick.t_ms, tick.rows) for printer in printers)
        if progress is not None:
            progress(Progress(number * lab.interval_s, total, samples))


class _Printer:
    """Prints rows of some hosts to one stream."""

    def __init__(self, lab: Lab, stream: BinaryIO, hosts: Sequence[int]) -> None:
        self._stream = stream
        self._hosts = hosts
        columns = [path for host in hosts for path in lab.columns()[host]]
        decimals = [places for host in hosts for places in lab.decimals()[host]]
        self._format = row_format(columns, decimals) + "\n"
        stream.write(header_line(columns))

    def print(self, t_ms: int, rows: Sequence[FloatArray]) -> int:
        """Print one sample; returns how many values that were, none if no host of the file is up."""
        values = [value for host in self._hosts for value in rows[host].tolist()]
        if np.isnan(values).all():
            return 0
        stamp = datetime.fromtimestamp(t_ms / 1000, UTC).strftime('"%m/%d/%Y %H:%M:%S",')
        self._stream.write((stamp + self._format % tuple(values)).encode())
        return len(values)


def _host_file(out: Path, host: str) -> Path:
    return out.with_name(f"{out.stem}-{host}{out.suffix}")


@contextmanager
def whole_files(files: Sequence[Path]) -> Iterator[list[BinaryIO]]:
    """Open temporary files beside ``files``, which replace them once everything is written."""
    drafts = [file.with_name(f".{file.name}.{os.getpid()}.part") for file in files]
    for file in files:
        if file.exists() or file.is_symlink():
            raise AlreadyExistsError(
                f"{file} is already there.", advice="Choose another name, or remove it first."
            )
    try:
        with ExitStack() as stack:
            yield [stack.enter_context(draft.open("wb")) for draft in drafts]
        for draft, file in zip(drafts, files, strict=True):
            draft.replace(file)
    except OSError as error:
        raise _sentence(error, files[0]) from error
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)


def _sentence(error: OSError, file: Path) -> Exception:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFullError(f"There is no space left for {file}.", meaning="No capture was written.")
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return NotFoundError(f"There is no folder {file.parent}.", advice="Create it first.")
    return AccessDeniedError(f"{file} can't be written: {error.strerror or error}.")
