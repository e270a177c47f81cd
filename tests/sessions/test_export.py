"""What an export says of a session beside its samples."""

from __future__ import annotations

import csv
from pathlib import Path

from sessions.export import export_session
from sessions.model import Event
from sessions.store import SessionReader, SessionWriter
from sessions.times import iso
from tests.sessions.synthetic import HOST, T0, capture


def test_events_with_their_ends(session_path: Path, tmp_path: Path) -> None:
    capture(ticks=3).write(session_path)
    with SessionWriter.open(session_path) as writer:
        writer.add_events(
            [
                Event(T0, "snapshot", "Remove: started", HOST, None, "task-7", "LAB\\alice"),
                Event(T0 + 5_000, "power", "on, at last"),
                Event(T0, "snapshot", "Remove: success", HOST, T0 + 42_000, "task-7", "LAB\\alice"),
            ]
        )
    with SessionReader.open(session_path) as reader:
        export_session(reader, tmp_path / "out", kind="csv")
    with (tmp_path / "out" / "events.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    at = [iso(T0 + after) for after in (0, 5_000, 42_000)]
    assert rows == [
        ["time", "end", "what", "kind", "entity_key", "text", "by"],
        [at[0], at[2], "snapshot", HOST.kind, HOST.key, "Remove: success", "LAB\\alice"],
        [at[1], "", "power", "", "", "on, at last", ""],
    ]
