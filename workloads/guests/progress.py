"""Follows fio's output as it arrives in pieces: samples from the differences of its documents.

fio writes a document of everything so far at each status interval; its logs stay in memory until the job
ends (measured with 3.33), so documents are what can be followed. The whole output is kept, compressed.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Sequence

import msgspec

from collectors.fio.documents import Count, Document, Real, TimeMs, read_documents
from resources.failures import BadInputError
from resources.guest_limits import guest_limits
from workloads.environment import WorkSample

_END = b"\n}\n"
_MB = float(1 << 20)
_NS_PER_MS = 1e6
_MAX_DOCUMENT = 64 << 20


class _Latency(msgspec.Struct, rename={"count": "N"}):
    mean: Real = 0
    count: Count = 0


class _Direction(msgspec.Struct):
    io_bytes: Count = 0
    total_ios: Count = 0
    runtime: Count = 0
    lat_ns: _Latency = msgspec.field(default_factory=_Latency)


class _Job(msgspec.Struct):
    read: _Direction = msgspec.field(default_factory=_Direction)
    write: _Direction = msgspec.field(default_factory=_Direction)


class _Document(msgspec.Struct):
    """What a sample needs of a document; its histograms are not decoded."""

    timestamp_ms: TimeMs = 0
    jobs: list[_Job] = []


_DECODER = msgspec.json.Decoder(_Document)


class Progress:
    """Takes the pieces of one job's output. ``offset_ms`` is the guest's clock minus the environment's.

    ``jumped_ms`` is by how much the guest's clock jumped while it worked, 0 while it did not: what came after
    that can't be laid beside what others did, and is left out.
    """

    def __init__(self, offset_ms: float = 0.0) -> None:
        self.offset_ms, self.jumped_ms = offset_ms, 0.0
        self._last: _Document | None = None
        self._whole = 0
        self._packer = zlib.compressobj(1)
        self._packed = bytearray()
        self._rest = bytearray()
        self._before: Sequence[_Job] = ()
        self.parts = 0
        self.has_begun = False

    def add(self, part: bytes, now_ms: float = math.inf) -> list[WorkSample]:
        """Take the next piece, and return the samples that it completes; ``now_ms`` is the environment's
        time."""
        self.parts += 1
        self._packed += self._packer.compress(part)
        self._rest += part
        samples = []
        for text in self._whole_documents():
            sample = self._sample(text, now_ms)
            if sample is not None:
                samples.append(sample)
        return samples

    def documents(self, name: str) -> tuple[Document, ...]:
        """Return fio's documents so far, up to a jump of the guest's clock; their times are those of the
        environment's.

        Raises BadInputError if there is none.
        """
        packed = bytes(self._packed) + self._packer.copy().flush()
        text = zlib.decompressobj().decompress(packed).decode("utf-8", "replace")
        shift, most = round(self.offset_ms), self._whole if self.jumped_ms else None
        return tuple(
            msgspec.structs.replace(document, timestamp_ms=max(0, document.at - shift))
            for document in read_documents(text, name)[:most]
        )

    def _whole_documents(self) -> Iterator[bytes]:
        while (end := self._rest.find(_END)) >= 0:
            text = bytes(self._rest[: end + len(_END)])
            del self._rest[: end + len(_END)]
            begin = text.find(b"{\n") if text.startswith(b"{\n") else text.find(b"\n{\n")
            if begin >= 0:
                yield text[begin:]
        if len(self._rest) > _MAX_DOCUMENT:
            raise BadInputError("A guest sends what is no output of fio.")

    def _sample(self, text: bytes, now_ms: float) -> WorkSample | None:
        try:
            document = _DECODER.decode(text)
        except msgspec.MsgspecError:
            return None  # fetching the result says what is wrong with it
        self.jumped_ms = self.jumped_ms or self._jump_ms(document, now_ms)
        if self.jumped_ms:
            return None
        self._last = document
        self._whole += bool(document.jobs)
        jobs, before = document.jobs, self._before
        if len(before) != len(jobs) or _went_back(jobs, before):
            before = [_Job() for _ in jobs]  # the warm-up is over: fio counts from zero again
        self._before = jobs
        reads = _rates([(new.read, old.read) for new, old in zip(jobs, before, strict=True)])
        writes = _rates([(new.write, old.write) for new, old in zip(jobs, before, strict=True)])
        if reads is None and writes is None:
            return None
        self.has_begun = True
        at = round(document.timestamp_ms - self.offset_ms)
        nothing = (0.0, 0.0, math.nan)
        (ios, mb, ms), (wios, wmb, wms) = reads or nothing, writes or nothing
        return WorkSample(at, ios, wios, mb, wmb, ms, wms)

    def _jump_ms(self, document: _Document, now_ms: float) -> float:
        """Return by how much the guest's clock jumped before this document, 0 if it did not.

        A document of the future shows a clock that was set forward. One that was set back shows beside fio's
        own measure of how long its jobs run, which no setting of the clock changes.
        """
        most = guest_limits().clock_jump_ms
        early = document.timestamp_ms - self.offset_ms - now_ms
        if early > most:
            return early
        last = self._last
        if last is None or len(last.jobs) != len(document.jobs) or _went_back(document.jobs, last.jobs):
            return 0.0
        passed = document.timestamp_ms - last.timestamp_ms
        ran = _runtime(document.jobs) - _runtime(last.jobs)
        return passed - ran if passed - ran < -most else 0.0


def _runtime(jobs: Sequence[_Job]) -> int:
    return max((side.runtime for job in jobs for side in (job.read, job.write)), default=0)


def _went_back(jobs: Sequence[_Job], before: Sequence[_Job]) -> bool:
    return any(
        one.total_ios < other.total_ios or one.runtime < other.runtime
        for new, old in zip(jobs, before, strict=True)
        for one, other in ((new.read, old.read), (new.write, old.write))
    )


def _rates(pairs: Sequence[tuple[_Direction, _Direction]]) -> tuple[float, float, float] | None:
    """Return I/Os a second, MB a second and mean latency (ms) of several jobs that ran side by side."""
    seconds = max((new.runtime - old.runtime for new, old in pairs), default=0) / 1000
    if seconds <= 0:
        return None
    ios = sum(new.total_ios - old.total_ios for new, old in pairs)
    size = sum(new.io_bytes - old.io_bytes for new, old in pairs)
    count = sum(new.lat_ns.count - old.lat_ns.count for new, old in pairs)
    total = sum(new.lat_ns.mean * new.lat_ns.count - old.lat_ns.mean * old.lat_ns.count for new, old in pairs)
    latency = max(0.0, total / count) / _NS_PER_MS if count > 0 else math.nan
    return ios / seconds, max(0, size) / _MB / seconds, latency
