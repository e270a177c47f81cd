"""The session file of a recording: opened or resumed, continued in the next part, closed.

Only the writer's thread uses it. Sources and layouts have numbers of their own here: a long recording
continues in another file (``rotate``), where everything is stored under other ids.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from recorder.earlier_run import EarlierRun
from recorder.file_identity import FileInPlace
from recorder.parts import MADE, PART, next_part, open_part
from recorder.recorded_layouts import RecordedLayouts
from recorder.recorded_sources import RecordedSources
from recorder.records import Records
from sessions.store import SessionReader, SessionWriter


class SessionFile:
    """The present file: its ``sources``, its ``layouts`` with their samples, its ``records``."""

    def __init__(self, writer: SessionWriter, path: Path, *, part: int, resumed: bool) -> None:
        self._writer = writer
        self._samples_of_closed = 0
        self.sources = RecordedSources(writer)
        last = writer.ticks.last_samples() if resumed else np.zeros(1, np.int64)
        earlier = EarlierRun.of(path) if resumed else EarlierRun({})
        self.layouts = RecordedLayouts(writer, self.sources, earlier, last)
        self.records = Records(writer, earlier, self.sources)
        self.path, self.part, self.resumed = path, part, resumed
        self.began = time.monotonic()
        self._in_place = FileInPlace(path)

    @classmethod
    def open(cls, path: Path, *, title: str = "") -> SessionFile:
        """Open a new session, or the newest part of one that ``record`` made.

        Raises AlreadyExistsError for another kind of file, and what SessionWriter.create and open raise.
        """
        writer, path, part, resumed = open_part(path, title)
        with ExitStack() as on_failure:
            on_failure.callback(writer.close)
            opened = cls(writer, path, part=part, resumed=resumed)
            on_failure.pop_all()
        return opened

    @property
    def is_usable(self) -> bool:
        """True if more can be stored."""
        return self._writer.is_usable

    @property
    def samples(self) -> int:
        """The number of samples written to the file; a sample that was handed over twice counts twice."""
        return self._writer.samples

    @property
    def total_samples(self) -> int:
        """The number of samples written to all files of this run."""
        return self._samples_of_closed + self._writer.samples

    @property
    def is_worth_keeping(self) -> bool:
        """True if the file holds more than the sources of this run: it was resumed, is a later
        part, has samples, or a journal of changes, which may be all that can undo them.
        """
        return self.resumed or self.part > 1 or self._writer.samples > 0 or self.records.has_journal

    def require_on_disk(self) -> None:
        """Raise ValueError unless the writer is durable, that is, syncs each call to disk."""
        if not (self._writer.is_usable and self._writer.is_durable):
            raise ValueError("a writer that does not keep what it is given")

    def require_in_place(self) -> None:
        """Raise NotFoundError if the file was removed, renamed or replaced while it is written, DamagedError
        if it was cut.
        """
        self._in_place.require()

    def take_in_waiting(self) -> None:
        """Store the guided runs that others kept beside the file while it is written."""
        self._writer.take_in_waiting()

    def compact_one(self, *, overdue: bool) -> bool:
        """Compact one block where one is due; with ``overdue`` only where it can't wait.

        Return True if one was compacted.
        """
        return self._writer.ticks.compact_one(overdue=overdue)

    def rotate(self) -> None:
        """Continue in a new file, with the same sources, entities and layouts, and the facts that hold."""
        old, old_path = self._writer, self.path
        self.sources.store_counts()
        path, part = next_part(old_path, self.part)
        with SessionReader.open(old_path, check=False) as reader, ExitStack() as on_failure:
            title = reader.meta().get("title", "")
            writer = SessionWriter.create(path, title=title)
            on_failure.callback(writer.discard)
            on_failure.callback(self._write_to, old)
            self._continue_in(writer, reader, part)
            on_failure.pop_all()
        self.path, self.part, self.began = path, part, time.monotonic()
        self._in_place = FileInPlace(path)
        self._samples_of_closed += old.samples
        old.close()

    def close(self) -> None:
        """Write what is left, mark the sources as complete, and close."""
        try:
            self.sources.store_counts()
        finally:
            self._writer.close()

    def abandon(self) -> None:
        """Close after an error; what was stored before the error stays in the file."""
        self._writer.close()

    def discard(self) -> None:
        """Delete a file in which nothing was recorded."""
        self._writer.discard()

    def _write_to(self, writer: SessionWriter) -> None:
        self._writer = writer

    def _continue_in(self, writer: SessionWriter, reader: SessionReader, part: int) -> None:
        writer.set_meta(MADE, "record")
        writer.set_meta(PART, str(part))
        writer.set_meta("continues", self.path.name)
        self._write_to(writer)
        self.records.continue_in(writer, reader)
        self.sources.continue_in(writer)
        self.layouts.continue_in(writer, {series.id: series.spec for series in reader.series()})
