"""What is handed to Windows guests: no such guest is here, so what can be tested is how it is made."""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.fio_jobs import load_fio_jobs
from workloads.environment import DiskIdentity, Work
from workloads.guests.contract import disks_text, folder_of
from workloads.guests.inspecting import parse_inspected
from workloads.guests.jobs import launched_job
from workloads.guests.shells import command_line, content_of, joined, script_of, stdin_of
from workloads.job_file import Disk

SCRIPTS = sorted((Path(__file__).parents[3] / "resources" / "guests").glob("*.ps1"))
DISK = "\\\\.\\PhysicalDrive1"


@given(st.text(max_size=200), st.binary(max_size=200))
def test_the_command_line_is_always_the_same_and_what_varies_comes_on_stdin(script: str, told: bytes) -> None:
    line = command_line("windows", script.encode("utf-8", "replace").decode())
    assert line == command_line("windows", "")
    assert len(line) < 8191
    assert re.fullmatch(r"[A-Za-z0-9 .=+/-]+", line)
    fed = stdin_of("windows", script.encode("utf-8", "replace").decode(), told)
    first, _, rest = fed.partition(b"\n")
    assert base64.b64decode(first) == script.encode("utf-8", "replace")
    assert rest == told


def test_the_command_reads_the_script_from_stdin() -> None:
    encoded = command_line("windows", "").rsplit(" ", 1)[1]
    assert "[Console]::In.ReadLine()" in base64.b64decode(encoded).decode("utf-16-le")


@given(st.binary(max_size=100))
def test_a_files_content_is_one_line_of_text(content: bytes) -> None:
    line = content_of("windows", content)
    assert base64.b64decode(line) == content
    assert line.count(b"\n") == 1
    assert content_of("linux", content) == content


def test_a_job_for_windows_has_its_engine_and_waits_in_the_launcher() -> None:
    work = Work("random-mixed", {}, (Disk("d", DISK),), (DiskIdentity(DISK, "6000c29", 1 << 30),))
    folder = folder_of("run", "worker", "windows")
    text = launched_job(load_fio_jobs(), work, folder, "windows", raw_logs=True)
    assert "ioengine=windowsaio" in text
    assert "exec_prerun" not in text
    assert "write_lat_log=raw\n" in text
    assert disks_text(work) == f"disk|{DISK}|6000c29|{1 << 30}\n"
    assert re.fullmatch(r"C:\\Windows\\Temp\\hyperscope-[0-9a-f]{20}", folder)
    assert joined("windows", folder, "settings") == folder + "\\settings"


def test_what_a_windows_guest_tells_is_understood() -> None:
    said = (
        "system Windows\r\nfio fio-3.38\r\nengine windowsaio\r\ncpus 4\r\nfree_kb 1048576\r\n"
        f"disk\t{DISK}\t6000c293\t1073741824\t\r\n"
        "disk\t\\\\.\\PhysicalDrive0\t6000c290\t64424509440\tmounted;partition-table GPT\r\nend\r\n"
    )
    found = parse_inspected(said)
    assert (found.fio, found.engines, found.cpus, found.free_bytes) == ("3.38", ("windowsaio",), 4, 1 << 30)
    assert found.disks[0] == DiskIdentity(DISK, "6000c293", 1 << 30)
    assert len(found.disks[1].in_use) == 2


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_each_script_is_whole_and_has_its_twin(path: Path) -> None:
    text = path.read_text(encoding="ascii")
    assert path.with_suffix(".sh").exists()
    code = re.sub(r"'[^'\n]*'|\[regex\][^\n]*", "''", re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE))
    for opening, closing in ("{}", "()", "[]"):
        assert code.count(opening) == code.count(closing), (opening, closing)
    assert "Invoke-Expression" not in text
    assert "iex " not in text


def test_both_systems_have_the_same_scripts_to_answer_with() -> None:
    for names in (("make",), ("end",), ("state",), ("launch",), ("follow",), ("disks", "check")):
        assert script_of("windows", *names)
        assert script_of("linux", *names)


@pytest.mark.skipif(shutil.which("pwsh") is None, reason="no PowerShell here")
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_powershell_can_parse_it(path: Path) -> None:
    check = (
        "$errors = $null; "
        f"[void][Management.Automation.Language.Parser]::ParseFile('{path}', [ref]$null, [ref]$errors); "
        "exit $errors.Count"
    )
    subprocess.run(["pwsh", "-NoProfile", "-Command", check], check=True)
