"""Commands to be pasted: words arrive as they are in every shell, and nothing in them is run."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from resources.shell_words import shell_command

HOSTILE = [
    "/home/Jörg Müller/Sitzung 1.hscope",
    "/tmp/$(touch pwned)/`id`/a;b&c|d>e.hscope",
    '/tmp/it\'s "quoted"\\.hscope',
    "/tmp/--out=x",
    "/tmp/line\nbreak\x1b[31mred\u202egnp.hscope",
    "~/*?[a].hscope",
    "",
]


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_takes_each_word_as_it_is(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell}")
    command = shell_command(["printf", r"%s\0", *HOSTILE], on_windows=False)
    said = subprocess.run([program, "-c", command], capture_output=True, check=True).stdout
    assert said.decode().split("\0")[:-1] == HOSTILE


def test_a_terminal_gets_no_control_character() -> None:
    command = shell_command(HOSTILE, on_windows=False)
    assert all(one.isprintable() for one in command)


@pytest.mark.parametrize(
    ("path", "written"),
    [
        (r"C:\Users\ok\a-b.hscope", r"C:\Users\ok\a-b.hscope"),
        (r"C:\Users\Jörg Müller\a & b.hscope", r'"C:\Users\Jörg Müller\a & b.hscope"'),
        (r"C:\x\$(calc).hscope", r"'C:\x\$(calc).hscope'"),
        ("C:\\x\\a”; calc; “b’s.hscope", "'C:\\x\\a”; calc; “b’’s.hscope'"),
        ("2026-01-01T00:00:00Z..2026-01-01T00:10:00Z", "2026-01-01T00:00:00Z..2026-01-01T00:10:00Z"),
    ],
)
def test_windows_shells_take_double_quotes_where_nothing_is_read_within(path: str, written: str) -> None:
    assert shell_command([path], on_windows=True) == written
