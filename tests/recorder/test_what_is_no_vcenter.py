"""The whole process where there is no vCenter to record, or none that lets us: one sentence, a code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from resources.failures import (
    DiskFullError,
    NoCountersError,
    NotVSphereError,
    PrivilegeError,
    TimedOutError,
)
from sessions.store import check_session
from tests.recorder.conftest import Record, tiny_disk
from tests.recorder.running import PATIENCE_S, Recorder
from tests.recorder.vcenters import record_vcenter, rounds, stored
from tests.vcenter.conftest import start_vcenter, vcenter
from tests.vcenter.running import PASSWORD, TestVCenter
from tests.vsphere.conftest import certificates
from tests.vsphere.front import Certificate
from tests.vsphere.strangers import nginx, silence, sshd

__all__ = ["certificates", "start_vcenter", "tiny_disk", "vcenter"]

StartVCenter = Callable[..., TestVCenter]


def one_sentence(recorder: Recorder, code: int, *, words: str) -> str:
    """It ends with the code and says why in one line, which it tells the window as well."""
    assert recorder.process.wait(PATIENCE_S) == code, recorder.stderr()
    said = recorder.stderr()
    assert said.count("\n") == 1, said
    assert words in said
    assert PASSWORD not in said
    return said


@contextmanager
def stranger(what: str, folder: Path, certificate: Certificate) -> Iterator[int]:
    """The port of a server that is no vCenter."""
    if what == "sshd":
        with sshd(folder) as port:
            yield port
    elif what == "silence":
        with silence() as port:
            yield port
    else:
        with nginx(folder, certificate if what == "nginx with TLS" else None) as port:
            yield port


@pytest.mark.parametrize(
    ("what", "code", "words"),
    [
        ("nginx with TLS", NotVSphereError.exit_code, "no vCenter"),
        ("nginx without TLS", NotVSphereError.exit_code, "TLS"),
        ("sshd", NotVSphereError.exit_code, "TLS"),
        ("silence", TimedOutError.exit_code, "does not answer"),
    ],
)
def test_strangers(
    record: Record,
    session_path: Path,
    tmp_path: Path,
    certificates: dict[str, Certificate],
    what: str,
    code: int,
    words: str,
) -> None:
    own = certificates["own"]
    with stranger(what, tmp_path, own) as port:
        recorder = record(
            session_path, f"vcenter://a@127.0.0.1:{port}", "--thumbprint", own.sha256, "--password-stdin",
            "--keep-free", "0",
        )  # fmt: skip
        recorder.write(PASSWORD + "\n")
        one_sentence(recorder, code, words=words)
    assert list(session_path.parent.glob("*.hscope*")) == []


def test_a_session_is_as_it_was(
    record: Record,
    session_path: Path,
    tmp_path: Path,
    vcenter: TestVCenter,
    certificates: dict[str, Certificate],
) -> None:
    recorder = record_vcenter(record, session_path, vcenter)
    rounds(recorder, 1)
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    before = stored(session_path)
    own = certificates["own"]
    with nginx(tmp_path, own) as port:
        recorder = record(
            session_path, f"vcenter://a@127.0.0.1:{port}", "--thumbprint", own.sha256, "--password-stdin",
            "--keep-free", "0",
        )  # fmt: skip
        recorder.write(PASSWORD + "\n")
        one_sentence(recorder, NotVSphereError.exit_code, words="no vCenter")
    assert check_session(session_path, thorough=True) == []
    assert stored(session_path) == before


def test_no_performance_data(record: Record, session_path: Path, start_vcenter: StartVCenter) -> None:
    server = start_vcenter(hosts=1, vms=2, interval=1, no_data=True, rollup_days=0)
    recorder = record_vcenter(record, session_path, server)
    one_sentence(recorder, NoCountersError.exit_code, words="gives no samples of any of its 3")
    assert list(session_path.parent.glob("*.hscope*")) == []


def test_no_permission(record: Record, session_path: Path, start_vcenter: StartVCenter) -> None:
    server = start_vcenter(hosts=1, vms=2, interval=1, rollup_days=0, deny="*=System.Read")
    recorder = record_vcenter(record, session_path, server)
    one_sentence(recorder, PrivilegeError.exit_code, words="may not have")
    assert list(session_path.parent.glob("*.hscope*")) == []


def test_a_disk_that_is_full(record: Record, tiny_disk: Path, start_vcenter: StartVCenter) -> None:
    """What was recorded before it was full is there; nobody is left waiting."""
    server = start_vcenter(hosts=2, vms=12, interval=1, history=1200, rollup_days=0)
    session = tiny_disk / "s.hscope"
    recorder = record_vcenter(record, session, server)
    said = one_sentence(recorder, DiskFullError.exit_code, words="s.hscope")
    assert "full" in said or "space" in said
    if session.exists():
        assert check_session(session, thorough=True) == []
