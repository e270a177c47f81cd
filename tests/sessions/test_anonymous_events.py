"""Texts of events name what is no entity of the session: nothing of it is left either."""

# ruff: noqa: E501 - one record a line

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.program import run
from collectors.logs.importing import LogOptions, import_logs
from resources.anonymity_rules import load_anonymity_rules
from resources.event_forms import load_event_forms
from resources.log_lines import LineRow, load_log_lines
from resources.vcenter_events import load_events
from sessions.anonymous import write_anonymised
from sessions.anonymous.anonymiser import Anonymiser
from sessions.findings import Finding
from sessions.model import Entity, EntityRef, Event, Mark
from sessions.store import SessionReader, SessionWriter
from sessions.times import TimeRange
from tests.sessions.test_anonymous import every_text

VM, HOST = EntityRef("vm", "vm-1"), EntityRef("host", "host-1")
KNOWN = [Entity(VM, "payroll-db"), Entity(HOST, "esx-gold.acme.corp")]


def said(text: str, kind: str = "reconfigure", key: str = "event/7/1") -> str:
    """What an event of a server says in the anonymised session."""
    event = Event(1, kind, text, VM, id=key)
    return Anonymiser(KNOWN, [], [], [event], [], [], load_anonymity_rules()).record(event).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("payroll-db on esx-gold.acme.corp in Frankfurt is powered on", "vm-1 on host-1 in datacenter-1 is powered on"),
        ("DRS migrated jewels from esx-gold to brass in cluster Gold in Kronberg",
         "DRS migrated vm-2 from host-1 to host-2 in cluster cluster-1 in datacenter-1"),
        ("Reconfigured payroll-db on esx-gold in Kronberg.  \n \nModified: \n config.annotation: \"ask Mara\" -> \"\"",
         "Reconfigured vm-1 on host-1 in datacenter-1."),
        ("Physical NIC vmnic3 linkstate is down", "Physical NIC vmnic3 linkstate is down"),
        ("payroll-d... was reconfigured by the admin of Kronberg", "Something was reconfigured"),
        ("Die Konfiguration von Lohnabrechnung wurde geändert", "Something was reconfigured"),
    ],
)  # fmt: skip
def test_arguments_are_replaced_by_place_and_other_texts_by_a_plain_sentence(
    text: str, expected: str
) -> None:
    assert said(text) == expected


def test_a_name_with_a_forms_word_is_cut_elsewhere_and_gone_as_well() -> None:
    found = said("Removed Old mail on esx-gold in Crown on Rhine from Kronberg.")
    assert not {"mail", "Crown", "Rhine", "Kronberg"} & set(found.split())


def test_an_event_is_the_same_inside_a_finding() -> None:
    """Its id may hold a name of which the VM's own is only a part: it is replaced there as well."""
    event = Event(1, "snapshot", "Snapshot of payroll-db", VM, id="job-1-payr")
    finding = Finding(
        "cpu.costop",
        "Stopped",
        "info",
        VM,
        "payroll-db",
        (TimeRange(1, 2),),
        0.5,
        "",
        (),
        (),
        (),
        changes=(event,),
    )
    anonymiser = Anonymiser(KNOWN, [], [], [event], [], [], load_anonymity_rules())
    assert "payr" not in anonymiser.record(event).id
    assert anonymiser.record(finding).changes == (anonymiser.record(event),)


def test_a_task_keeps_what_it_did_and_not_why_it_failed() -> None:
    text = "Reconfigure virtual machine (Old mail): error: Cannot open [crown] by mara"
    assert said(text, key="task/3/1") == "Reconfigure virtual machine (object-1): error"
    assert said("Migrate (Old mai", kind="task", key="task/3/1") == "A task ran"


def test_no_byte_of_a_name_that_only_an_event_knows_is_left(tmp_path: Path) -> None:
    """Also where another text quotes the event."""
    quoted = "Clone of Kronjuwel completed"
    with SessionWriter.create(tmp_path / "a.hscope", durable=False) as writer:
        writer.add_entities(KNOWN)
        writer.add_events([
            Event(1, "inventory", quoted, VM, id="event/1/1"),
            Event(2, "note", f"Seen: {quoted}, of kronjuwel", VM),
            Event(3, "drs", "Regel Bernstein verletzt", VM, id="event/2/1"),
            Event(4, "note", "It said: Regel Bernstein verletzt", VM),
        ])  # fmt: skip
    with SessionReader.open(tmp_path / "a.hscope") as reader:
        write_anonymised(reader, tmp_path / "b.hscope")
    raw = (tmp_path / "b.hscope").read_bytes().lower()
    assert b"kronjuwel" not in raw
    assert b"bernstein" not in raw
    with SessionReader.open(tmp_path / "b.hscope") as reader:
        texts = [one.text for one in reader.events()]
    assert texts == [
        "Clone of vm-2 completed", "Seen: Clone of vm-2 completed, of vm-2", "DRS acted", "It said: DRS acted",
    ]  # fmt: skip


def test_every_kind_that_a_vcenter_tells_has_its_sentence() -> None:
    known = load_events()
    kinds = {one.kind for one in (*known.events.values(), *known.tasks.values())}
    assert kinds <= load_event_forms().plain.keys()


# ------------------------------------------------------- events of logs, and of whoever else tells something

SECRETS = (
    "kronjuwel", "bernstein", "kirsch", "mara", "10.44.7.19", "fe80::dead:beef", "jewels.acme", "zafferano",
    "600508b1001c577e11dd042e142a583f", "8a5a1336", "/srv/projekt", "lohnbuch", "00:50:56:ab:cd:ef", "tresor",
)  # fmt: skip
HOSTILE_LOG = """\
2024-03-05T11:20:31.120Z cpu1:2097412)HBX: 2832: 'Kronjuwel / Bernstein': HB at offset 3571712 - Waiting for timed out HB:
2024-03-05T11:20:32.120Z cpu1:2097412)StorageApdHandler: 421: APD Start for ident [8a5a1336-3d574c6d]
2024-03-05T11:20:33.120Z cpu1:2097412)WARNING: ScsiDeviceIO: 1216: Device naa.600508b1001c577e11dd042e142a583f performance has deteriorated. I/O latency increased from average value of 38762 microseconds to 776315 microseconds.
2024-03-05T11:20:34.120Z cpu1:2097412)WARNING: ScsiDeviceIO: 1216: Device naa.Tresor_of_Mara performance has deteriorated. I/O latency increased from average value of 38762 microseconds to 776315 microseconds.
2024-03-05T11:20:35.120Z cpu1:2097412)Migrate: vm 2758492: 3284: Setting VMOTION info: Source ts = 1451061663105920, src ip = <10.44.7.19> dest ip = <jewels.acme>
2024-03-05T11:20:36.120Z cpu1:2097412)LSOM: LSOM_ThrowAsyncCongestionVOB: 1: LSOM Zafferano of Kirsch Congestion State: Exceeded. Congestion Threshold: 200 Current Congestion: 255
2024-03-05T11:20:37.120Z: [vmfsCorrelator] 1us: [esx.problem.vmfs.nfs.server.disconnect] Lost connection to jewels.acme.corp mount point /srv/projekt mounted as Lohnbuch
2024-03-05T11:20:38.120Z: [vmfsCorrelator] 1us: [esx.problem.storage.connectivity.lost] Lost connectivity to naa.Kronjuwel. Affected datastores: Bernstein.
2024-03-05T11:20:39.120Z cpu1:2097412)NMP: nmp_DeviceAttemptFailover: Retry world failover device "Kirsch on fe80::dead:beef"
"""
UNKNOWN = [
    Event(1, "Verlegt", "The jewels of Mara were moved", VM, id="mara/7"),
    Event(2, "drs", "Regel Bernstein verletzt", VM),
    Event(3, "test disturbed", "DRS migrated Old Kirsch from zafferano to tresor in cluster Gold in Kronjuwel", VM),
    Event(4, "test worker lost", "tresor:/srv/projekt was lost: mara@jewels.acme.corp refused 10.44.7.19", VM),
    Event(5, "clock", "The clock of zafferano was set back by 12 s; it is recorded again from 2026-05-19T01:41:34Z on"),
    Event(6, "fio job", "lohnbuch: 1,200 /s reads, mean 2.10 ms, p99 8.00 ms", VM),
    Event(7, "storage", "naa.600508b1001c577e11dd042e142a583f at 00:50:56:ab:cd:ef", VM, log="kirsch: Lohnbuch of mara.log"),
    Event(8, "storage", "Something of Lohnbuch", VM, id="log:7f", log="vmkernel.log"),
    Event(9, "power", "payroll-db was powered on", VM),
]  # fmt: skip
SAID = [
    "Something happened", "DRS acted", "DRS migrated vm-2 from host-2 to host-3 in cluster cluster-1 in datacenter-1",
    "host-3:/folder-1/file-1 was lost: user-1@domain-2 refused 192.0.2.1", "The clock of host-2 was set back by 12 s; it is recorded again from 2026-05-19T01:41:34Z on",
    "worker-1: 1,200 /s reads, mean 2.10 ms, p99 8.00 ms", "naa.600508baaaaaaaaaaaaaaaaa00000001 at 00:00:5e:00:53:01",
    "Something happened to storage", "vm-1 was powered on",
]  # fmt: skip


def left(path: Path) -> list[str]:
    everything = "\n".join(every_text(path)).lower()
    return [one for one in SECRETS if one in everything]


def test_events_of_unknown_makers_say_nothing_that_nobody_knows(tmp_path: Path) -> None:
    """Their kinds, ids and logs are anybody's words, too."""
    with SessionWriter.create(tmp_path / "a.hscope", durable=False) as writer:
        writer.add_entities(KNOWN)
        writer.add_events(UNKNOWN)
        writer.add_mark(Mark(5, "is it 'Regel Bernstein verletzt', as DRS says?"))
    with SessionReader.open(tmp_path / "a.hscope") as reader:
        write_anonymised(reader, tmp_path / "b.hscope")
    assert left(tmp_path / "b.hscope") == []
    with SessionReader.open(tmp_path / "b.hscope") as reader:
        found, (mark,) = reader.events(), reader.marks()
    assert [one.text for one in found] == SAID
    assert [one.kind for one in found] == ["other", *(one.kind for one in UNKNOWN[1:])]
    assert (found[0].id, found[6].log, found[7].log) == ("event-1", "host-4: file-3.log", "vmkernel.log")
    assert mark.text == "is it 'DRS acted', as DRS says?"


def test_no_name_that_only_a_log_tells_is_left_in_session_or_report(tmp_path: Path) -> None:
    (tmp_path / "vmkernel.log").write_text(HOSTILE_LOG)
    original = tmp_path / "a.hscope"
    assert (
        run(["import", str(tmp_path / "vmkernel.log"), "-o", str(original), "--host", "esx-gold.acme.corp"])
        == 0
    )
    assert len(left(original)) > 10
    assert run(["export", str(original), "-o", str(tmp_path / "b.hscope"), "--anonymise"]) == 0
    assert left(tmp_path / "b.hscope") == []
    with SessionReader.open(tmp_path / "b.hscope") as reader:
        assert [one.text for one in reader.events()] == [
            "Datastore datastore-1: the host's heartbeat on it timed out",
            "All Paths Down of aaaaaaaa-00000001: nothing on it can be reached",
            *(f"Performance has deteriorated, I/O latency 776 ms instead of 38.8 ms on average: {device}"
              for device in ("naa.600508baaaaaaaaaaaaaaaaa00000004", "device-1")),
            "A VM was moved to another host",
            "vSAN (LSOM): congestion of part-1 is 255 of 255, over its limit of 200",
            "The NFS server does not answer",
            "Something happened to storage",
            "Failover to another path is tried: device-3",
        ]  # fmt: skip
    assert run(["report", str(original), "-o", str(tmp_path / "r.html"), "--anonymise"]) == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8").lower()
    assert [one for one in SECRETS if one in page] == []
    assert "heartbeat" in page


@pytest.mark.parametrize("row", load_log_lines().rows, ids=lambda row: row.id)
def test_the_event_of_each_line_of_a_log_keeps_its_words(row: LineRow, tmp_path: Path) -> None:
    """What is left of a genuine line is its own sentence, not the plain one."""
    (tmp_path / "vmkernel.log").write_text(row.example + "\n")
    import_logs([tmp_path / "vmkernel.log"], tmp_path / "a.hscope", LogOptions(host="esx01"))
    with SessionReader.open(tmp_path / "a.hscope") as reader:
        (told,) = reader.events()
        write_anonymised(reader, tmp_path / "b.hscope")
    with SessionReader.open(tmp_path / "b.hscope") as reader:
        (found,) = reader.events()
    literal = max(re.split(r"\{[^}]*\}", row.text), key=len).strip()
    assert literal in told.text
    assert literal in found.text


def test_words_of_ours_reach_as_far_as_they_can() -> None:
    """A colon within what is said of SCSI codes ends nothing; one behind a name does."""
    forms = load_event_forms()
    found = forms.log_pieces("Write (0x2a) failed, hardware error: internal target failure: naa.kirsch: 7")
    assert found is not None
    assert [one for one in found if one[0]] == [("device", "naa.kirsch: 7")]
    assert forms.log_pieces("Kirsch failed, hardware error: naa.7") is None
