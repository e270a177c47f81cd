"""Reads fio's JSON output: one document, or those of ``--status-interval`` one after the other.

fio prints warnings before the JSON, and a cumulative document at each status interval; so the file as a
whole is often no valid JSON. Everything from the first ``{`` on that is a document of fio counts, other
text between documents is skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import msgspec

from collectors.fio.histogram import Histogram
from resources.failures import BadInputError
from resources.typed_data import ready

MAX_BYTES = 256 << 20
"""A longer file is refused: it is read as a whole. 100 workers' last document takes 20 MB."""

_MAX_WASTED = 16
"""How often the whole text may be read in vain: output that was cut off is read twice at most."""
_BEGIN = re.compile(r"^[ \t]*\{", re.MULTILINE)
"""A document begins a line; the objects in it are indented, or follow other text on their line."""

Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 62)]
Real = Annotated[float, msgspec.Meta(ge=0, le=1e18)]
TimeMs = Annotated[int, msgspec.Meta(ge=0, le=253_402_300_799_999)]


class Latency(msgspec.Struct, frozen=True, rename={"count": "N"}):
    """Latencies of one kind of I/O since the job's start, in ns; ``bins`` only in json+ output."""

    min: Real = 0
    max: Real = 0
    mean: Real = 0
    stddev: Real = 0
    count: Count = 0
    bins: Mapping[str, Count] = {}

    @property
    def histogram(self) -> Histogram:
        """The histogram of the latencies; empty unless fio ran with ``--output-format=json+``."""
        return Histogram.of_bins({_nanoseconds(key): count for key, count in self.bins.items()})


class Direction(msgspec.Struct, frozen=True):
    """Reads, writes or trims of a job since its start: bytes, I/Os, run time in ms, latencies.

    ``lat_ns`` is from submission to completion, ``clat_ns`` from the time when the kernel had the I/O.
    """

    io_bytes: Count = 0
    total_ios: Count = 0
    runtime: Count = 0
    iops: Real = 0
    slat_ns: Latency = Latency()
    clat_ns: Latency = Latency()
    lat_ns: Latency = Latency()


class Job(msgspec.Struct, frozen=True, rename={"options": "job options"}):
    """One job's figures; ``error`` is an errno of the guest, 0 if all went well.

    ``hostname`` is the client's name where fio ran as client and servers, ``job_start`` ms since 1970 where
    this fio tells it (3.34 and later).
    """

    jobname: str = ""
    hostname: str = ""
    groupid: Count = 0
    error: int = 0
    elapsed: Count = 0
    job_start: TimeMs = 0
    options: Mapping[str, Any] = {}
    read: Direction = Direction()
    write: Direction = Direction()
    trim: Direction = Direction()
    usr_cpu: Real = 0
    sys_cpu: Real = 0
    iodepth_level: Mapping[str, Real] = {}


class Document(msgspec.Struct, frozen=True, rename={"version": "fio version", "options": "global options"}):
    """One JSON document of fio: the figures of all jobs from their start to ``timestamp_ms``."""

    version: str
    timestamp_ms: TimeMs = 0
    timestamp: Annotated[int, msgspec.Meta(ge=0, le=253_402_300_799)] = 0
    options: Mapping[str, Any] = {}
    jobs: tuple[Job, ...] = ()
    client_stats: tuple[Job, ...] = ()

    @property
    def at(self) -> int:
        """The time of the figures, ms since 1970; 0 if fio told none."""
        return self.timestamp_ms or self.timestamp * 1000

    @property
    def workers(self) -> tuple[Job, ...]:
        """The jobs without fio's own sums of them."""
        return tuple(job for job in (*self.jobs, *self.client_stats) if job.jobname != "All clients")


def read_documents(text: str, name: str) -> list[Document]:
    """Return fio's documents of jobs in the text of a file called ``name``, in the file's order.

    Raises BadInputError if there is none, or one has figures that no fio writes.
    """
    found = [document for document in _documents(text, name) if document.workers]
    if not found:
        raise BadInputError(
            f"{name} has no result of fio in it.",
            meaning="There is no JSON document with a fio version and jobs.",
            advice="Run fio with --output-format=json+ --output=FILE and import that file.",
        )
    return found


def _documents(text: str, name: str) -> Iterator[Document]:
    decoder, end, wasted = json.JSONDecoder(), 0, 0
    while (begin := _BEGIN.search(text, end)) is not None:
        try:
            parsed, end = decoder.raw_decode(text, begin.end() - 1)
        except ValueError as error:
            end = begin.end()  # cut off, or no JSON: what begins a later line may be whole
            wasted += (error.pos if isinstance(error, json.JSONDecodeError) else len(text)) - end
            if wasted > _MAX_WASTED * len(text):
                raise BadInputError(f"{name} is nested as no output of fio is.") from None
            continue
        except RecursionError:
            raise BadInputError(f"{name} is nested deeper than any output of fio.") from None
        if isinstance(parsed, dict) and "fio version" in parsed:
            yield _converted(parsed, name)


def _converted(parsed: dict[str, Any], name: str) -> Document:
    try:
        document = msgspec.convert(parsed, ready(Document))
        for job in document.workers:
            for latency in (job.read.clat_ns, job.write.clat_ns, job.trim.clat_ns):
                _ = latency.histogram
    except (msgspec.ValidationError, ValueError, OverflowError) as error:
        raise BadInputError(
            f"{name} has figures that fio does not write: {error}.",
            advice="Copy the file again from where fio wrote it.",
        ) from None
    return document


def _nanoseconds(key: str) -> int:
    if not (key.isascii() and key.isdigit() and len(key) <= 18):
        raise ValueError("a latency that is no number")
    return int(key)
