"""The launcher that runs in guests, in each shell that a guest may have: waits, watches, ends, tells."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from collectors.fio.documents import read_documents
from tests.workloads.guests.running import (
    SHELLS,
    ending,
    fios,
    launch,
    make_folder,
    needs_fio,
    shell,
    wait_until,
)

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the launcher is for guests with Linux"),
    pytest.mark.slow,
]


@pytest.fixture(params=SHELLS)
def words(request: pytest.FixtureRequest) -> list[str]:
    needs_fio()
    return shell(request.param)


def test_a_job_runs_from_the_agreed_instant_to_its_end(words: list[str], tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "run", runtime=2, delay_s=4.0)
    start_ms = int((folder / "settings").read_text().split()[1])
    process = launch(words, folder)
    assert process.wait(300) == 0
    assert ending(folder).startswith("0 ended")
    parts = int(ending(folder).split()[-1])
    whole = b"".join((folder / f"part.{number + 1}").read_bytes() for number in range(parts))
    assert whole == (folder / "fio.json").read_bytes()
    documents = read_documents(whole.decode(), "fio.json")
    assert len(documents) >= 2
    last = documents[-1]
    began = last.at - last.workers[0].read.runtime
    assert 0 <= began - start_ms < 1000
    assert not fios(folder)
    assert (folder / "launch").read_text() == ""


def test_a_job_that_nobody_listens_to_is_ended(words: list[str], tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "run", runtime=300, silence_s=3)
    process = launch(words, folder)
    wait_until((folder / "state").exists)
    for beat in range(5):  # longer than the silence that is allowed: it lives while somebody listens
        (folder / "alive").write_text(f"{beat}\n")
        time.sleep(1)
        assert process.poll() is None
    assert process.wait(300) == 0
    assert ending(folder).split()[1] == "silent"
    assert not fios(folder)


def test_a_job_does_not_wait_for_a_start_that_a_wrong_clock_puts_off(
    words: list[str], tmp_path: Path
) -> None:
    folder = make_folder(tmp_path / "run", runtime=300, delay_s=3600, wait_s=2)
    assert launch(words, folder).wait(300) == 0
    assert ending(folder).split()[:2] == ["92", "late"]
    assert not fios(folder)


def test_a_launcher_whose_disk_is_full_to_the_last_byte_says_so(words: list[str], tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(small)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        folder = make_folder(small / "run", runtime=300)
        process = launch(words, folder)
        wait_until(lambda: list(folder.glob("part.*")))
        with contextlib.suppress(OSError), (small / "full").open("wb", 0) as file:
            while process.poll() is None:  # somebody else who takes every byte that becomes free
                with contextlib.suppress(OSError):
                    file.write(bytes(4096))
                    continue
                time.sleep(0.002)  # all of it is taken; who asks without a pause takes a processor, too
        assert process.wait(300) == 0
        assert ending(folder).split()[1] == "full"
        assert not fios(folder)
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


def test_a_job_ends_when_it_is_told_to_also_while_it_waits(words: list[str], tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "run", runtime=300, delay_s=300)
    process = launch(words, folder)
    wait_until(lambda: (folder / "pid").exists() and fios(folder))
    (folder / "stop").touch()
    assert process.wait(300) == 0
    assert ending(folder).split()[1] == "stopped"
    assert not fios(folder)


def test_a_second_start_does_nothing(words: list[str], tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "run", runtime=300)
    first = launch(words, folder)
    wait_until((folder / "state").exists)
    running = (folder / "pid").read_text()
    second = launch(words, folder)
    assert second.wait(300) == 0
    assert (folder / "pid").read_text() == running
    assert first.poll() is None
    first.terminate()
    assert first.wait(300) == 0
    assert ending(folder).split()[1] == "stopped"
    assert not fios(folder)


def test_a_work_file_that_is_none_is_refused_before_fio_starts(words: list[str], tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "run")
    (folder / "work").mkdir()
    assert launch(words, folder).wait(300) == 0
    assert ending(folder) == "90 refused 1 not-a-file"
    assert not (folder / "fio.json").exists()


def test_a_job_that_fio_can_not_run_says_why(words: list[str], tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "run")
    (folder / "job.fio").write_text("[global]\nno_such_option=1\n[disk1]\nfilename=x\n")
    assert launch(words, folder).wait(300) == 0
    assert ending(folder).startswith("1 ended")
    assert "no_such_option" in (folder / "err").read_text() + (folder / "out").read_text()


def test_the_launcher_ends_a_job_before_its_own_disk_is_full(words: list[str], tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "run", runtime=300, free_kb=1 << 50)
    assert launch(words, folder).wait(300) == 0
    assert ending(folder).split()[1] == "full"
    assert not fios(folder)


def test_fio_writes_what_the_program_reads(tmp_path: Path) -> None:
    needs_fio()
    folder = make_folder(tmp_path / "run", runtime=1)
    assert launch(shell("dash"), folder).wait(300) == 0
    text = (folder / "fio.json").read_text()
    assert json.loads(text[text.rindex("\n{") :])["jobs"][0]["read"]["clat_ns"]["bins"]
