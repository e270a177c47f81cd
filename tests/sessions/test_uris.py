"""A session's path as SQLite's URI: network shares, drives, and names that mean something in a URI."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path, PureWindowsPath

import pytest

from sessions.store.database import uri_of, uri_of_absolute


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        (r"\\server\share\a b.hscope", "file:////server/share/a%20b.hscope"),
        (r"C:\Büro\50%#1.hscope", "file:///C:/B%C3%BCro/50%25%231.hscope"),
        (r"\\?\C:\long.hscope", "file:////%3F/C:/long.hscope"),
    ],
)
def test_a_path_of_windows_names_no_host(path: str, uri: str) -> None:
    assert uri_of_absolute(PureWindowsPath(path)) == uri


def test_sqlite_opens_what_the_uri_names(tmp_path: Path) -> None:
    path = tmp_path / "Büro 🙂 50% #1 a&b=c.hscope"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE found(x)")
    with closing(sqlite3.connect(f"{uri_of(path)}?mode=ro", uri=True)) as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchall() == [("found",)]
