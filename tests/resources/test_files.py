"""How a file is replaced: as a whole or not at all, and nothing that is no file ever loses its place."""

from __future__ import annotations

import os
import socket
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from resources.failures import AccessDeniedError
from resources.files import is_device_or_pipe, replace_file, write_failures

posix = pytest.mark.skipif(sys.platform == "win32", reason="pipes, devices and links of Unix")


def pipe_at(path: Path) -> None:
    os.mkfifo(path)


def device_at(path: Path) -> None:
    """A node with the numbers of /dev/null, in the test's own folder."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except (PermissionError, OSError) as error:
        pytest.skip(f"no device can be made here: {error}")


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a short path: a socket's name may have about a hundred characters."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@posix
@pytest.mark.parametrize("make", [pipe_at, device_at])
@pytest.mark.parametrize("through_link", [False, True])
def test_what_is_no_file_keeps_its_place(tmp_path: Path, make: object, through_link: bool) -> None:
    assert callable(make)
    node = target = tmp_path / "node"
    make(node)
    if through_link:
        target = tmp_path / "link"
        target.symlink_to(node)
    before = node.lstat()
    assert is_device_or_pipe(target)
    with pytest.raises(AccessDeniedError) as caught, write_failures(target):
        replace_file(target, "text")
    assert str(caught.value) == (
        f"{target} can't be written: it is a device, a pipe or a socket, not a file. Nothing was kept. "
        "Name a file in a folder that you may write."
    )
    after = node.lstat()
    assert (after.st_ino, after.st_mode, after.st_rdev) == (before.st_ino, before.st_mode, before.st_rdev)
    assert {one.name for one in tmp_path.iterdir()} == {"node", target.name}


@posix
def test_a_socket_keeps_its_place(short: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(short / "s"))
        with pytest.raises(OSError, match="a socket"):
            replace_file(short / "s", "text")
        assert stat.S_ISSOCK((short / "s").lstat().st_mode)


@posix
def test_a_link_stays_a_link_and_what_it_names_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    file, link = tmp_path / "kept" / "file", tmp_path / "link"
    link.symlink_to(file)
    for text in ("through a link to nothing", "over what is there"):
        replace_file(link, text)
        assert link.is_symlink()
        assert file.read_text(encoding="utf-8") == text
    assert [one.name for one in file.parent.iterdir()] == ["file"]


@posix
def test_links_in_a_circle_and_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for target, why in ((tmp_path / "a", "lead in a circle"), (tmp_path, "it is a folder")):
        with pytest.raises(AccessDeniedError, match=why), write_failures(target):
            replace_file(target, "text")
    assert {one.name for one in tmp_path.iterdir()} == {"a", "b"}


@posix
def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path) -> None:
    out = tmp_path / ("x" * 250)
    replace_file(out, "text")
    assert out.read_text(encoding="utf-8") == "text"


def test_a_null_character_in_a_name_is_no_bug(tmp_path: Path) -> None:
    with pytest.raises(AccessDeniedError, match="null character"), write_failures(tmp_path / "a\0b"):
        replace_file(tmp_path / "a\0b", "text")


def test_what_a_killed_process_left_goes_with_the_next_file(tmp_path: Path) -> None:
    old, young = tmp_path / ".hyperscope-abcdefgh.part", tmp_path / ".hyperscope-12345678.part"
    others = tmp_path / ".report.html-abcdefgh.part", tmp_path / ".hyperscope-abc.part"
    for one in (old, young, *others):
        one.write_text("half", encoding="utf-8")
    for one in (old, *others):
        os.utime(one, (1, 1))
    replace_file(tmp_path / "report.html", "whole")
    assert {one.name for one in tmp_path.iterdir()} == {
        "report.html",
        young.name,
        *(one.name for one in others),
    }
