"""``hyperscope record`` of a vCenter and of its hosts' esxtop services at once, by the whole process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sessions.store import SessionReader
from tests.esxtop_service.joined_site import write_site
from tests.recorder.conftest import record
from tests.recorder.running import ROOT, Event, Recorder, environment
from tests.vcenter.running import PASSWORD, TestVCenter

__all__ = ["record"]

pytestmark = pytest.mark.slow
NOBODY = "esxi://root@127.0.0.1:9"


def has_all(event: Event) -> bool:
    """Whether the vCenter and both hosts have samples."""
    if event["event"] != "status":
        return False
    kinds = [one["kind"] for one in event["sources"] if one["received"]]
    return kinds.count("esxtop") == 2 and "vcenter" in kinds


def command(home: Path, *words: str) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "app", *words], cwd=ROOT, env=environment(home), capture_output=True,
        text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    return run.stdout


def test_one_password_many_sources_and_one_that_fails(
    start_vcenter: Callable[..., TestVCenter], record: Callable[..., Recorder], tmp_path: Path
) -> None:
    document, replies, lab = write_site(tmp_path)
    server = start_vcenter(document, esxtop=replies, esxtop_interval=2)
    first, second = lab.hosts[:2]
    esxtop = server.address.replace("vcenter://", "esxtop://")
    session = tmp_path / "S.hscope"
    recorder = record(
        session, server.address, f"{esxtop}/{first}", f"{esxtop}/{second}", NOBODY, "--interval", "2s",
        "--thumbprint", server.thumbprint, "--password-stdin", "--attached", "--keep-free", "0",
    )  # fmt: skip
    recorder.write(f"{PASSWORD}\nfor nobody\n")
    status = recorder.wait_for(has_all)
    failed = [one for one in status["collectors"] if one["code"]]
    assert [one["name"] for one in failed] == [NOBODY]
    assert failed[0]["message"]
    recorder.say(do="stop")
    ended = recorder.end()
    assert (ended["code"], ended["without_samples"]) == (0, [NOBODY])
    with SessionReader.open(session) as reader:
        sources = {(one.spec.kind, one.spec.name) for one in reader.sources()}
        assert sources >= {("esxtop", first), ("esxtop", second)}
        kinds = {one.id: one.spec.kind for one in reader.sources()}
        vms: dict[str, set[str]] = {}
        for one in reader.series(["cpu.ready"]):
            if one.entity.kind == "vm":
                vms.setdefault(one.entity.key, set()).add(kinds[one.source])
        joined = [key for key, told in vms.items() if told == {"vcenter", "esxtop"}]
        assert len(joined) > 10
        assert not [key for key, told in vms.items() if told == {"esxtop"}]
    assert "a guess" not in command(tmp_path, "info", str(session))
