"""A process that holds a password leaves no image of its memory when it crashes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no core dumps")

_CRASHES = """
import os, resource
resource.setrlimit(resource.RLIMIT_CORE, [resource.getrlimit(resource.RLIMIT_CORE)[1]] * 2)
{work}
os.chdir({folder!r})
os.abort()
"""

_FIND = """
import io
from connections.secrets import find_password
find_password(None, stdin=io.BytesIO(b'Pa'))
"""
_MADE = "from connections.secrets import Password; Password('Pa', 'prompt')"
_FROM_STDIN = "from recorder.stdin_lines import StdinLines; StdinLines().next_line()"


def crashed(work: str, folder: Path) -> bool:
    """Whether a process that did ``work`` dumps its core when it crashes."""
    code = _CRASHES.format(work=work, folder=str(folder))
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"Pa\n")
        process.stdin.close()
        _, status = os.waitpid(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert os.WTERMSIG(status) == signal.SIGABRT
    return os.WCOREDUMP(status)


@POSIX
@pytest.mark.parametrize("work", [_FIND, _MADE, _FROM_STDIN])
def test_who_holds_a_password_dumps_no_core(work: str, tmp_path: Path) -> None:
    if not crashed("import connections.secrets", tmp_path):
        pytest.skip("this system dumps no cores at all")
    assert not crashed(work, tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells it")
def test_no_other_process_of_the_user_may_read_its_memory() -> None:
    code = f"{_MADE}; import ctypes, resource; print(ctypes.CDLL(None).prctl(3), *resource.getrlimit(4))"
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["0", "0", "0"]  # PR_GET_DUMPABLE, and no core of any size


@pytest.mark.skipif(sys.platform != "win32", reason="only Windows reports errors so")
def test_windows_makes_no_error_report_of_it() -> None:
    code = f"{_MADE}; import ctypes; print(ctypes.windll.kernel32.GetErrorMode() & 3)"
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["3"]
