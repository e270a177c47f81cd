"""No session, too new, damaged, not to be had, busy: one failure each, and nothing left behind."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from resources.failures import (
    AccessDeniedError,
    AlreadyExistsError,
    BusyError,
    DamagedError,
    HyperscopeError,
    NotASessionError,
    NotFoundError,
    TooNewError,
)
from sessions.model import Entity, EntityRef
from sessions.store import SessionReader, SessionWriter, check_session
from sessions.store.schema import APPLICATION_ID, MIGRATIONS, OLDEST_READABLE, SCHEMAS, VERSION
from tests.sessions.synthetic import T0, capture

ROOT = Path(__file__).resolve().parents[2]


def text_file(path: Path) -> None:
    path.write_text("(PDH-CSV 4.0),this is a capture, not a session\n" * 200, encoding="utf-8")


def empty_file(path: Path) -> None:
    path.touch()


def folder(path: Path) -> None:
    path.mkdir()


def other_database(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE t(x)")
    database.execute("PRAGMA application_id = 7")
    database.close()


def nothing(path: Path) -> None:
    pass


def newer(path: Path) -> None:
    capture(ticks=3).write(path)
    edit(path, f"PRAGMA user_version = {VERSION + 1}")


def cut_to(size: float) -> Callable[[Path], None]:
    def cut(path: Path) -> None:
        capture(ticks=60).write(path)
        path.write_bytes(path.read_bytes()[: int(size if size > 1 else size * path.stat().st_size)])

    return cut


def with_trigger(path: Path) -> None:
    capture(ticks=3).write(path)
    edit(path, "CREATE TRIGGER t AFTER INSERT ON meta BEGIN DELETE FROM chunk; END")


def with_view_for_a_table(path: Path) -> None:
    capture(ticks=3).write(path)
    edit(
        path,
        "ALTER TABLE meta RENAME TO m",
        "CREATE VIEW meta AS SELECT 'title' AS key, randomblob(9) AS value",
    )


def with_other_columns(path: Path) -> None:
    capture(ticks=3).write(path)
    edit(path, "ALTER TABLE chunk ADD COLUMN more BLOB")


def edit(path: Path, *statements: str) -> None:
    database = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        database.execute(statement)
    database.close()


@pytest.mark.parametrize(
    ("make", "failure"),
    [
        (nothing, NotFoundError),
        (empty_file, NotASessionError),
        (folder, NotASessionError),
        (text_file, NotASessionError),
        (other_database, NotASessionError),
        (cut_to(10), NotASessionError),
        (newer, TooNewError),
        (cut_to(0.5), DamagedError),
        (cut_to(1500), DamagedError),
        (with_trigger, DamagedError),
        (with_view_for_a_table, DamagedError),
        (with_other_columns, DamagedError),
    ],
)
@pytest.mark.parametrize("act", [SessionReader.open, SessionWriter.open])
def test_what_can_not_be_opened(
    session_path: Path,
    make: Callable[[Path], None],
    failure: type[HyperscopeError],
    act: Callable[[Path], object],
) -> None:
    make(session_path)
    before = sorted(path.name for path in session_path.parent.iterdir())
    with pytest.raises(failure) as caught:
        act(session_path)
    assert type(caught.value) is failure
    assert session_path.name in caught.value.happened
    assert sorted(path.name for path in session_path.parent.iterdir()) == before


def test_a_path_that_exists_is_not_overwritten(session_path: Path) -> None:
    text_file(session_path)
    before = session_path.read_bytes()
    with pytest.raises(AlreadyExistsError):
        SessionWriter.create(session_path)
    assert session_path.read_bytes() == before
    with pytest.raises(NotFoundError):
        SessionWriter.create(session_path.parent / "no such folder" / "s.hscope")
    assert [path.name for path in session_path.parent.iterdir()] == [session_path.name]


def test_a_clean_close_leaves_one_file(session_path: Path) -> None:
    capture().write(session_path)
    assert [path.name for path in session_path.parent.iterdir()] == [session_path.name]
    with SessionReader.open(session_path) as reader:
        assert reader.span() is not None
    assert [path.name for path in session_path.parent.iterdir()] == [session_path.name]


def test_discarding_leaves_nothing(session_path: Path) -> None:
    writer = SessionWriter.create(session_path)
    capture(ticks=3).declare(writer)
    writer.discard()
    writer.close()
    assert list(session_path.parent.iterdir()) == []


def test_closing_again_does_nothing_and_a_closed_writer_writes_nothing(session_path: Path) -> None:
    writer = SessionWriter.create(session_path)
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.set_meta("title", "late")


def test_one_writer_at_a_time(session_path: Path) -> None:
    with SessionWriter.create(session_path):
        with pytest.raises(BusyError):
            SessionWriter.open(session_path)
        other = "from pathlib import Path; from sessions.store import SessionWriter; import sys\n"
        other += "try: SessionWriter.open(Path(sys.argv[1]))\nexcept Exception as e: print(type(e).__name__)"
        told = subprocess.run(
            [sys.executable, "-c", other, str(session_path)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        assert told.stdout.strip() == "BusyError"
        with SessionReader.open(session_path) as reader:
            assert reader.span() is None
    SessionWriter.open(session_path).close()


def test_a_lock_file_that_was_left_behind_locks_nobody_out(session_path: Path) -> None:
    capture(ticks=3).write(session_path)
    session_path.with_name(session_path.name + "-lock").touch()
    SessionWriter.open(session_path).close()
    assert [path.name for path in session_path.parent.iterdir()] == [session_path.name]


def test_a_reader_keeps_nobody_from_writing(session_path: Path) -> None:
    taken = capture(ticks=40)
    with SessionWriter.create(session_path) as writer:
        _, ids, layout = taken.declare(writer)
        reader = SessionReader.open(session_path)
        for at, row in zip(taken.times.tolist(), taken.stored, strict=True):
            writer.append_ticks([(layout, at, row)])
    assert reader.read(ids)[0].times.size == 40
    reader.close()
    SessionWriter.open(session_path).close()
    assert [path.name for path in session_path.parent.iterdir()] == [session_path.name]


def as_version(path: Path, version: int) -> None:
    """The same session as an older program wrote it: its own statements, and the columns that it had."""
    capture(ticks=60).write(path)
    modern = path.rename(path.with_name("modern"))
    old = sqlite3.connect(path, isolation_level=None)
    old.execute("ATTACH ? AS modern", (str(modern),))
    for statement in SCHEMAS[version]:
        old.execute(statement)
    for (table,) in old.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
        names = ", ".join(row[1] for row in old.execute(f"PRAGMA main.table_info({table})").fetchall())
        old.execute(f"INSERT INTO main.{table} SELECT {names} FROM modern.{table}")
    old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    old.execute(f"PRAGMA user_version = {version}")
    old.close()
    modern.unlink()


@pytest.mark.parametrize(
    ("act", "version"),
    [
        *((SessionWriter.open, version) for version in MIGRATIONS),
        *((SessionReader.open, version) for version in range(OLDEST_READABLE)),
    ],
)
def test_older_sessions_are_migrated_after_a_backup(
    session_path: Path, act: Callable[[Path], SessionReader | SessionWriter], version: int
) -> None:
    as_version(session_path, version)
    before = session_path.read_bytes()
    opened = act(session_path)
    opened.close()
    backup = session_path.with_name(f"{session_path.name}.v{version}.bak")
    assert sorted(path.name for path in session_path.parent.iterdir()) == [session_path.name, backup.name]
    assert backup.read_bytes()[100:] == before[100:]
    assert check_session(session_path, thorough=True) == []
    taken = capture(ticks=60)
    with SessionReader.open(session_path) as reader:
        (frame,) = reader.read(np.array([series.id for series in reader.series()]))
        assert np.array_equal(frame.values, taken.canonical, equal_nan=True)
        (source,) = reader.sources()
        offset = 0 if version == 0 else taken.source.clock_offset_ms
        assert (source.spec.clock_offset_ms, source.state) == (offset, "complete")


@pytest.mark.parametrize("version", range(OLDEST_READABLE, VERSION))
def test_readable_older_sessions_stay_as_they_are(session_path: Path, version: int) -> None:
    as_version(session_path, version)
    before = session_path.read_bytes()
    with SessionReader.open(session_path) as reader:
        (frame,) = reader.read(np.array([series.id for series in reader.series()]))
        assert np.array_equal(frame.values, capture(ticks=60).canonical, equal_nan=True)
    assert check_session(session_path, thorough=True) == []
    assert session_path.read_bytes() == before
    assert [path.name for path in session_path.parent.iterdir()] == [session_path.name]


def test_a_backup_is_never_overwritten(session_path: Path) -> None:
    as_version(session_path, 0)
    first = session_path.with_name(session_path.name + ".v0.bak")
    first.write_text("somebody's", encoding="utf-8")
    SessionWriter.open(session_path).close()
    assert first.read_text(encoding="utf-8") == "somebody's"
    assert session_path.with_name(session_path.name + ".v0-1.bak").exists()


def test_a_damaged_old_session_is_left_as_it_is(session_path: Path) -> None:
    as_version(session_path, 0)
    edit(session_path, "CREATE TABLE more(x)")
    before = session_path.read_bytes()
    with pytest.raises(DamagedError):
        SessionReader.open(session_path)
    assert session_path.read_bytes() == before
    assert [path.name for path in session_path.parent.iterdir()] == [session_path.name]


@pytest.mark.parametrize("version", SCHEMAS)
def test_every_schema_ever_has_its_migration(version: int) -> None:
    assert version == VERSION or version in MIGRATIONS


def test_a_file_that_may_not_be_read(session_path: Path) -> None:
    capture(ticks=3).write(session_path)
    session_path.chmod(0)
    try:
        session_path.open("rb").close()
        pytest.skip("this user may read everything (root, or a file system without permissions)")
    except PermissionError:
        with pytest.raises(AccessDeniedError):
            SessionReader.open(session_path)
    finally:
        session_path.chmod(0o600)


def test_time_is_kept_to_the_millisecond(session_path: Path) -> None:
    taken = capture(ticks=30, t0=T0 + 7)
    taken.write(session_path)
    with SessionReader.open(session_path) as reader:
        assert reader.times(1).tolist() == taken.times.tolist()


def make_read_only(folder: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)


def test_a_session_on_a_read_only_disk(tiny_disk: Path) -> None:
    path = tiny_disk / "s.hscope"
    ids = capture(ticks=60).write(path)
    make_read_only(tiny_disk)
    with SessionReader.open(path) as reader:
        assert reader.read(ids)[0].times.size == 60
    for act in (SessionWriter.open, SessionWriter.create):
        with pytest.raises((AccessDeniedError, AlreadyExistsError)):
            act(path)
    with pytest.raises(AccessDeniedError):
        SessionWriter.create(tiny_disk / "another.hscope")


def test_a_session_that_a_reader_kept_open_on_a_read_only_disk(tiny_disk: Path) -> None:
    """Its header still says that it has a log, which is empty; SQLite alone would not open it there."""
    path = tiny_disk / "s.hscope"
    taken = capture(ticks=60)
    with SessionWriter.create(path) as writer:
        reader = SessionReader.open(path)
        _, ids, layout = taken.declare(writer)
        for at, row in zip(taken.times.tolist(), taken.stored, strict=True):
            writer.append_ticks([(layout, at, row)])
    reader.close()
    for left in tiny_disk.glob("s.hscope-*"):
        left.unlink()
    make_read_only(tiny_disk)
    with SessionReader.open(path) as reader:
        assert reader.read(ids)[0].times.size == 60
    assert check_session(path, thorough=True) == []


def test_an_old_session_on_a_read_only_disk(tiny_disk: Path) -> None:
    as_version(tiny_disk / "s.hscope", 0)
    make_read_only(tiny_disk)
    with pytest.raises(AccessDeniedError):
        SessionReader.open(tiny_disk / "s.hscope")


def test_a_session_that_was_not_closed_on_a_read_only_disk(tiny_disk: Path) -> None:
    path = tiny_disk / "s.hscope"
    taken = capture(ticks=30)
    writer = SessionWriter.create(path)
    _, _, layout = taken.declare(writer)
    for at, row in zip(taken.times.tolist(), taken.stored, strict=True):
        writer.append_ticks([(layout, at, row)])
    for name in ("s.hscope", "s.hscope-wal"):
        (tiny_disk / f"killed-{name}").write_bytes((tiny_disk / name).read_bytes())
    writer.discard()
    (tiny_disk / "killed-s.hscope").rename(path)
    (tiny_disk / "killed-s.hscope-wal").rename(tiny_disk / "s.hscope-wal")
    make_read_only(tiny_disk)
    with pytest.raises(AccessDeniedError, match=r"s\.hscope-wal"):
        SessionReader.open(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not replace a file that is open")
@pytest.mark.parametrize("in_place", [True, False])
def test_a_session_that_is_replaced_while_it_is_read_is_no_mixture(tmp_path: Path, in_place: bool) -> None:
    path, other = tmp_path / "a.hscope", tmp_path / "b.hscope"
    for session, entities, made in ((path, 3, "2026-01-01T00:00:00Z"), (other, 9, "2026-01-02T00:00:00Z")):
        with SessionWriter.create(session) as writer:
            writer.set_meta("created", made)
            writer.add_entities([Entity(EntityRef("host", f"{made} {n}"), "h") for n in range(entities)])
    with SessionReader.open(path) as reader:
        assert len(reader.entities()) == 3
        if in_place:
            path.write_bytes(other.read_bytes())
        else:
            other.replace(path)
        with reader.another() as second, pytest.raises(NotFoundError, match="replaced by another session"):
            second.entities()
        assert len(reader.entities()) == 3  # as SQLite has it in memory
