"""Names, paths, job values and answers that want to be commands: none of them reaches a shell as code."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from resources.failures import BadInputError, DisconnectedError, UsageError
from resources.fio_jobs import load_fio_jobs
from resources.foreign_text import visible
from resources.guest_scripts import guest_script
from tests.workloads.guests.running import shell
from workloads.environment import DiskIdentity, Work
from workloads.guests.answers import AnswerReader
from workloads.guests.contract import LaunchSettings, disks_text, folder_of, parse_ending
from workloads.guests.disks import refusal, sentences
from workloads.guests.folders import make_folder
from workloads.guests.inspecting import parse_inspected
from workloads.guests.jobs import launched_job
from workloads.guests.progress import Progress
from workloads.guests.transport import Output
from workloads.job_file import Disk

NASTY = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            "$(touch PWNED)", "`touch PWNED`", "; touch PWNED;", "x\ntouch PWNED\n", "' ; touch PWNED '",
            '"; touch PWNED; "', "|| touch PWNED", "\x00", "../../../etc", "-rf /", "\u202e", "%n%s", "a|b|c",
            "\t", "~root", "*", "\r\n", "${IFS}touch${IFS}PWNED",
        ]
    ),
)  # fmt: skip
JOBS = load_fio_jobs()


def is_visible(text: str) -> bool:
    """True if it may be shown as it is."""
    return visible(text) == text


class OnThisMachine:
    """The part of a transport that runs scripts, with a shell of this machine in a folder of its own."""

    guest = "linux"
    place = "here"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, script: str, stdin: str, within_s: float) -> Output:
        done = subprocess.run(
            [*shell("dash"), "-c", script],
            input=stdin.encode("utf-8", "replace"),
            capture_output=True,
            timeout=within_s,
            check=False,
            cwd=self.folder,
        )
        return Output(done.returncode, done.stdout, done.stderr.decode())


@contextmanager
def elsewhere() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@given(NASTY, NASTY)
def test_a_folders_path_has_nothing_of_the_names_in_it(run: str, worker: str) -> None:
    folder = folder_of(run, worker, "linux")
    assert folder.startswith("/var/tmp/hyperscope-")
    assert folder.removeprefix("/var/tmp/hyperscope-").isalnum()
    assert folder.isascii()
    assert folder == folder_of(run, worker, "linux")


@given(NASTY, st.integers())
def test_a_job_of_hostile_paths_and_numbers_is_refused_or_plain(path: str, number: int) -> None:
    work = Work("random-mixed", {"depth": number}, (Disk("disk", path),))
    try:
        text = launched_job(JOBS, work, "/var/tmp/hyperscope-0", "linux")
    except UsageError:
        return
    options = [line for line in text.splitlines() if "=" in line]
    assert all(line.isprintable() and line.isascii() and "$" not in line for line in options)
    assert sum(line.startswith("exec_") for line in options) == 1


@given(NASTY)
def test_a_job_that_does_not_exist_is_refused(name: str) -> None:
    if name not in JOBS.jobs:
        with pytest.raises(UsageError):
            launched_job(JOBS, Work(name, {}, (Disk("disk", "/dev/sdb"),)), "/var/tmp/x", "linux")


@pytest.mark.skipif(sys.platform == "win32", reason="it runs a POSIX shell")
@settings(max_examples=40)
@given(NASTY, NASTY)
def test_the_check_in_the_guest_runs_nothing_of_what_a_plan_says(path: str, uuid: str) -> None:
    work = Work("fill", {}, (Disk("d", path),), (DiskIdentity(path, uuid, 4096),))
    told = disks_text(work)
    assert told.count("\n") == 1
    assert told.count("|") == 3
    with elsewhere() as folder:
        script = guest_script("disks.sh") + guest_script("check.sh")
        output = OnThisMachine(folder).run(script, told, 30)
        assert output.out.rstrip().endswith(b"checked")
        assert output.out.strip() != b"checked"  # it is refused
        assert not list(folder.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="it runs a POSIX shell")
@settings(max_examples=40)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200))
@example("$(touch PWNED)\n`touch PWNED`\nEOF\n'\n\\c\\n%s\n")
def test_text_files_arrive_as_they_are(text: str) -> None:
    with elsewhere() as folder:
        make_folder(OnThisMachine(folder), "made", {"job.fio": text})  # type: ignore[arg-type]
        made = (folder / "made" / "job.fio").read_bytes().decode()
        assert made.splitlines() == text.splitlines()
        assert sorted(one.name for one in folder.rglob("*")) == ["hyperscope", "job.fio", "made"]
        assert (folder / "made").stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(sys.platform == "win32", reason="it runs a POSIX shell")
@settings(max_examples=40)
@given(NASTY, st.sampled_from(["end.sh", "state.sh", "launch.sh", "put.sh", "get.sh", "make.sh"]))
def test_a_folder_of_any_name_makes_no_script_run_or_remove_anything(name: str, script: str) -> None:
    with elsewhere() as folder:
        (folder / "precious").touch()
        told = f"{name}\nremove\n600\nPWNED\n"
        OnThisMachine(folder).run(guest_script(script), told, 30)
        assert (folder / "precious").exists()
        assert not (folder / "PWNED").exists()


@given(st.binary(max_size=300), st.integers(1, 50))
@example(b"state working\nrc 0 ended 1\npart 1 3\nabcend 5\n", 1)
@example(b"part 1 99999999999\n", 4)
def test_an_answer_is_news_or_an_error_never_a_bug(data: bytes, step: int) -> None:
    reader = AnswerReader()
    try:
        for begin in range(0, len(data), step):
            news = reader.feed(data[begin : begin + step])
            assert news is None or is_visible(news.state + news.ending)
    except DisconnectedError as error:
        said = str(error)
    else:
        said = ""
    assert is_visible(said)


@given(st.binary(max_size=500), st.integers(1, 100))
@example(b'{\n  "timestamp_ms" : 5,\n  "jobs" : [{"read" : {"runtime" : 5, "total_ios" : 1}}]\n}\n', 3)
def test_output_that_is_none_of_fios_gives_no_samples_and_no_bug(data: bytes, step: int) -> None:
    progress = Progress()
    for begin in range(0, len(data), step):
        for sample in progress.add(data[begin : begin + step]):
            assert sample.reads >= 0
    with contextlib.suppress(BadInputError):
        progress.documents("it")


@given(NASTY)
def test_what_a_guest_says_is_shown_and_never_more(said: str) -> None:
    assert is_visible(parse_ending(said).detail)
    assert all(is_visible(one) for one in sentences(said))
    work = Work("fill", {}, (Disk("d", "/dev/sdb"),))
    assert is_visible(str(refusal(work, "it", [said, f"1 {said}", "99 mounted"])))
    facts = parse_inspected(
        f"fio {said}\nengine {said}\ndisk\t{said}\t{said}\t5\t{said}\ncpus {said}\n{said}"
    )
    assert all(one.isascii() for one in facts.engines)
    assert all(is_visible(disk.path + disk.uuid) for disk in facts.disks)


@given(st.integers(0, 1 << 62), st.integers(1, 1 << 20))
def test_settings_are_numbers_and_words(start_ms: int, interval_s: int) -> None:
    text = LaunchSettings(interval_s, 30, 1, start_ms=start_ms).text()
    assert all(word.isalnum() or "_" in word for line in text.splitlines() for word in line.split(" "))


def test_no_script_has_anything_filled_in() -> None:
    folder = Path(__file__).parents[3] / "resources" / "guests"
    scripts = [path for path in folder.iterdir() if path.suffix in (".sh", ".ps1")]
    assert scripts
    for path in scripts:
        assert path.read_bytes().isascii(), path
        assert "eval " not in path.read_text(), path
