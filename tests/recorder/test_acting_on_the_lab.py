"""The lab is changed while it is recorded, as an admin would in the vSphere Client, by commands on stdin."""

from __future__ import annotations

from pathlib import Path

from lab import Lab, load_scenarios
from sessions.store import SessionReader
from sessions.times import iso
from tests.recorder.conftest import Record
from viewmodels.snapshot import read_snapshot
from wizards.flows.troubleshooting.judging import look_into, symptom_of
from wizards.flows.troubleshooting.verifying import Session, verify

LIMIT = "lab:cpu-limit-vm?seed=2&fields=diagnosis&minutes=60"
QUICK = ("--speed", "120", "--keep-free", "0", "--attached")


def victim() -> str:
    cluster = Lab(load_scenarios()["cpu-limit-vm"], seed=2, fields="diagnosis").cluster
    return cluster.vms[cluster.cast["victim"].members[0]].name


def test_a_limit_is_raised_and_it_is_fixed(record: Record, session_path: Path) -> None:
    name, recorder = victim(), record(session_path, LIMIT, *QUICK)
    recorder.wait_for_ticks(120)
    recorder.say(do="act", source=LIMIT, what="vm.cpu_limit", kind="vm", name=name)
    acted = recorder.wait_for(lambda event: event["event"] == "acted")
    assert (acted["text"], acted["is_seen"]) == (f"{name}: CPU limit set to Unlimited", True)
    recorder.wait_for_ticks(140)
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    with SessionReader.open(session_path) as reader:
        (event,) = reader.events()
        assert (iso(event.at), event.text, event.kind) == (acted["at"], acted["text"], "reconfigure")
        here = Session(reader, read_snapshot(reader, session_path))
        assert event.entity is not None
        symptom = symptom_of(here.snapshot, event.entity, until=event.at)
        run = look_into(reader, here.snapshot, symptom).run
        found = verify(here, run)
        assert (run.worst.problem if run.worst else "", found.outcome) == ("cpu.limit", "fixed")
        assert [one.what for one in found.changes] == [acted["text"], "CPU limit: 1.85 GHz → unlimited"]


def test_what_can_not_be_done_is_a_warning(record: Record, session_path: Path) -> None:
    recorder = record(session_path, LIMIT, *QUICK)
    recorder.wait_for_ticks(2)
    for words, said in (
        ({"what": "vm.cpu_limit", "name": "nobody"}, "The lab has no vm nobody to which this could be done."),
        ({"what": "vm.explode", "name": victim()}, "The lab can't do 'vm.explode'."),
        ({"what": "guest.jobs", "name": victim()}, "No job comes back in the guests of this lab."),
        (
            {"what": "vm.cpu_limit", "name": victim(), "source": "vcenter://vc01"},
            "vcenter://vc01 can't be changed",
        ),
        ({"what": "vm.cpu_limit"}, "A line on stdin is no command of the recorder."),
    ):
        recorder.say(**{"do": "act", "source": LIMIT, "kind": "vm", **words})
        warned = recorder.wait_for(lambda event: event["event"] == "warning")
        assert warned["message"].startswith(said)
    recorder.close_stdin()
    assert recorder.end()["code"] == 0
    with SessionReader.open(session_path) as reader:
        assert reader.events() == []


def test_it_goes_on_after_its_scenario(record: Record, session_path: Path) -> None:
    short = "lab:data-few-samples?fields=diagnosis"
    recorder = record(session_path, short, "--speed", "1", "--keep-free", "0", "--attached")
    recorder.wait_for_ticks(1)
    lab = Lab(load_scenarios()["data-few-samples"], seed=1, fields="diagnosis")
    name = lab.cluster.vms[0].shown_name
    recorder.say(do="act", source=short, what="vm.cpu_limit", kind="vm", name=name)
    recorder.wait_for(lambda event: event["event"] == "acted")
    recorder.wait_for_ticks(round(lab.duration_s / 5))
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
