"""A session that is given away: the same numbers, and not one name, address or path of the original."""

# ruff: noqa: E501 - one record a line

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from diagnosis import diagnose_session
from resources.anonymity_rules import load_anonymity_rules
from resources.catalogue import load_catalogue
from resources.failures import AlreadyExistsError, CancelledError
from resources.problem_cards import load_problems
from sessions.anonymous import write_anonymised
from sessions.anonymous.anonymiser import Anonymiser
from sessions.anonymous.guided_runs import LEFT_OUT
from sessions.findings import CauseVerdict, Evidence, Finding
from sessions.journal import ChangedObject, Figure, JournalEntry, Phase, TestRun
from sessions.model import Entity, EntityRef, Event, Fact, Gap, Mark, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, encode_block
from sessions.store.codec import unpack_document, unpack_texts
from sessions.store.inventory import _label_parts
from sessions.times import TimeRange
from sessions.troubleshooting import (
    CheckedAgain,
    CheckResult,
    Elsewhere,
    FoundOn,
    Note,
    RowResult,
    RuleLine,
    SeenChange,
    Step,
    Symptom,
    TroubleshootingRun,
    Verification,
    VerifiedNumber,
)
from sessions.verdicts import CheckNumber, SeverityCounts, SourceReach, Verdict
from tests.gui.recordings import record

T0 = 1_800_000_000_000
HOST, VM, OTHER = EntityRef("host", "esx-gold.acme.corp"), EntityRef("vm", "421c7a90-aaaa-4bbb-8ccc-001122334455"), EntityRef("vm", "esx-gold.acme.corp/vm/77")  # fmt: skip
LUN, STORE = EntityRef("device", "naa.600508b4000603860000deadbeef4711"), EntityRef("datastore", "ds:///vmfs/volumes/5f3a1b2c-99887766-aabb-0025b5ffee01/")  # fmt: skip
PORT = EntityRef("port", "esx-gold.acme.corp/port/50331661")

SECRETS = (
    "payroll", "esx-gold", "acme", "vault-lun", "mara", "kirsch", "10.44.7.19", "fe80::dead:beef", "00:50:56:ab:cd:ef",
    "deadbeef4711", "421c7a90", "aabb-0025b5ffee01", "5f3a1b2c", "001122334455", "Ledger", "night shift.csv", "SECRETPG", "dvs-crown", "zebra",
    "20:00:00:25:b5:aa:bb:cc", "iqn.1998-01.com.acme", "Projekt-X", "t10.ATA_____WDC_KIRSCHDISK", "kirsch-svc", "orchid", "jewels",
    "basalt", "granite", "Monday outage", "ops-lead",
)  # fmt: skip
"""Of names, addresses and paths of the session below; none may be left in any form."""


def written(path: Path) -> Path:
    """A session with names in every kind of record, in texts that people and servers wrote."""
    plan = f'''test = "sioc-shares"
environment = ["vcenter://mara@vc.acme.corp:8443"]
guest_user = "kirsch-svc"
[[workers]]
name = "zebra-01"
vm = "vm-101"
host = "esx-gold.acme.corp"
path = "/dev/disk/by-id/scsi-3600508b4000603860000deadbeef4711"
uuid = "{VM.key}"
'''
    with SessionWriter.create(path, title="ACME outage, told by mara", durable=False) as writer:
        source = writer.add_source(
            SourceSpec("esxtop", "esx-gold.acme.corp", 5.0, attributes=(
                ("files", "night shift.csv, /home/mara/captures/esx-gold.csv"), ("user", "ACME\\mara"),
                ("note 1", "read from C:\\Users\\mara\\Desktop\\Projekt-X\\raw.csv"),
            ))
        )  # fmt: skip
        writer.add_entities([
            Entity(HOST, "esx-gold.acme.corp"), Entity(VM, "payroll-db", HOST), Entity(OTHER, "CPU", HOST),
            Entity(LUN, "vault-lun 01"), Entity(STORE, "Ledger store"), Entity(PORT, "esx-gold.acme.corp/SECRETPG", HOST),
            Entity(EntityRef("world", "esx-gold.acme.corp/world/9"), "vmx-vcpu-0:payroll-db", HOST),
            Entity(EntityRef("worker", "w1"), "zebra-01", VM),
        ])  # fmt: skip
        specs = [
            SeriesSpec(VM, "cpu.ready", "%", "", 0.5, r"\\esx-gold.acme.corp\Group Cpu(77:payroll-db)\% Ready"),
            SeriesSpec(LUN, "disk.commands", "/s", "esx-gold.acme.corp", 1.0, "disk[naa.600508b4000603860000deadbeef4711]"),
            SeriesSpec(VM, "raw/Odd/payroll-db hits", "hits", "/vmfs/volumes/Ledger store/orchid_1"),
        ]  # fmt: skip
        layout = writer.add_layout(source, writer.add_series(source, specs))
        times = T0 + np.arange(50, dtype=np.int64) * 5000
        writer.add_block(layout, encode_block(times, np.arange(150.0).reshape(50, 3)))
        writer.add_facts([
            Fact(VM, "host", HOST.key, T0), Fact(VM, "name", "payroll-old", T0, T0 + 1000), Fact(VM, "vcpus", 4.0, T0),
            Fact(VM, "nic.4000.network", "SECRETPG", T0), Fact(PORT, "port.switch", "dvs-crown", T0),
            Fact(VM, "power_state", "poweredOn", T0), Fact(VM, "vdisk.scsi0:0.datastore", STORE.key, T0),
            Fact(VM, "custom.owner", "kirsch", T0),
        ])  # fmt: skip
        writer.add_events([
            Event(T0, "VmReconfiguredEvent", "Reconfigured payroll-db on ESX-GOLD in ACME by ACME\\mara", VM, by="ACME\\mara"),
            Event(T0 + 1, "log", "vmnic0 00:50:56:ab:cd:ef saw 10.44.7.19, fe80::dead:beef and 20:00:00:25:b5:aa:bb:cc", HOST,
                  log="esx-gold.acme.corp: vmkernel.log"),
            Event(T0 + 2, "log", "open /vmfs/volumes/5f3a1b2c-99887766-aabb-0025b5ffee01/payroll-db_1/orchid.vmdk failed: "
                  "[Ledger store] orchid/orchid.vmx, iqn.1998-01.com.acme:vault, t10.ATA_____WDC_KIRSCHDISK, at 14:08:40", HOST),
        ])  # fmt: skip
        writer.add_mark(
            Mark(
                T0 + 5,
                "mara says payroll-db2 is slow, see \\\\files.acme.corp\\kirsch\\x.txt and kirsch@acme.corp",
            )
        )
        writer.add_gaps([Gap(source, T0, T0 + 1, "esx-gold.acme.corp did not answer at 10.44.7.19:443", VM)])
        found = [
            Finding("cpu.limit", "Held back by a CPU limit", "critical", VM, "payroll-db", (TimeRange(T0, T0 + 9),), 0.5,
                    "payroll-db was held back while CPU and esx-gold.acme.corp were idle.",
                    (Evidence("cpu.ready", "payroll-db", "mean", 1.0, 2.0, "%"),),
                    (CauseVerdict("own", "The VM has a limit", "likely", "payroll-db has one, set by mara."),),
                    ("Raise the limit of payroll-db.",), consequence_of=("cpu.ready_high", OTHER)),
        ]  # fmt: skip
        reach = SourceReach(source, "esx-gold.acme.corp", TimeRange(T0, T0 + 9), 3)
        writer.put_findings(
            found,
            Verdict("judged", (reach,), counts=SeverityCounts.of(found), judged_with=("Crown jewels v2",)),
        )
        writer.add_source(SourceSpec("fio", "orchid-bench"))
        writer.add_journal([
            JournalEntry("1", "run-1", ChangedObject("vcenter://mara@vc.acme.corp", "VirtualMachine", "vm-101", "payroll-db"),
                         "attribute:vpw.lock", None, json.dumps({"by": "mara", "on": "esx-gold"}), "vsphere", "left", T0, T0,
                         "kirsch changed it"),
        ])  # fmt: skip
        details = json.dumps(
            {"rounds": [{"worker": "zebra-01", "host": "esx-gold.acme.corp", "note": "by kirsch-svc"}]}
        )
        writer.add_test_runs([
            TestRun("run-1", "sioc-shares", plan, T0, T0 + 9, True, "zebra-01 was late", "payroll-db won",
                    (Phase("P1 on esx-gold", "done", T0, T0 + 1),), (Figure("share got", "zebra-01", 1.0, "%"),), details),
        ])  # fmt: skip
        writer.add_troubleshooting([guided_run()])
    return path


def guided_run() -> TroubleshootingRun:
    """A guided run with names in each of its texts; its fix was verified in a session that is not there."""
    time, other = TimeRange(T0, T0 + 9), EntityRef("vm", "basalt.acme.corp/vm/8")
    check = CheckResult(
        "cpu.limit", "Held back by a CPU limit", "cpu", "definite", "problem", "payroll-db waited 33 % on esx-gold.",
        "payroll-db and esx-gold.acme.corp", VM, "payroll-db", "critical",
        CheckNumber("ready", OTHER, "CPU", 33.0, 10.0, "%"), (RuleLine("Ready (payroll-db), mean", 33.0, 10.0, "%", True),),
        (Evidence("cpu.ready", "payroll-db", "mean", 33.0, 10.0, "%"),), (time,), 9.0, 0.5, 1.0,
        (CauseVerdict("own", "The VM has a limit", "likely", "payroll-db has one, set by mara."),),
        (Step("Raise the limit of payroll-db.", "own", powercli="Get-VM 'payroll-db' | Set-VM", seen="by ACME\\mara", seen_at=T0),),
        ("cpu.ready_high", "CPU is short", OTHER, "CPU"), (Event(T0, "task", "esx-gold rebooted", HOST, by="ops-lead"),),
        ("see 10.44.7.19",), (FoundOn(LUN, "vault-lun 01", "warning", "vault-lun 01 is slow."),), (time,), "Ask kirsch.",
    )  # fmt: skip
    later = Verification(
        T0, "done", time, time, "fixed", "high", "payroll-db on basalt is well.", "packets of basalt 4 → 4", True, 9.0, 9.0,
        (SeenChange(T0, "host: esx-gold.acme.corp → basalt", other, "payroll-db", by="mara"),),
        (CheckedAgain("cpu.limit", "Held back", "cpu", "problem", "not found", "fixed", "well on basalt"),), (check,),
        (VerifiedNumber("ready", "payroll-db", "%", 33.0, 1.0, -32.0, None, "better"),),
        (Elsewhere("disk.slow", "Slow", "warning", other, "granite-7", "granite-7 and basalt are slow."),), "Monday outage.hscope",
    )  # fmt: skip
    return TroubleshootingRun(
        1, T0, Symptom(VM, "payroll-db", "slow", time), T0 + 9,
        (RowResult("cpu", "CPU", "definite", "4.1", "problem", "payroll-db 33 of 10 %", "cpu.limit", ("cpu.limit",)),),
        (check,), ("esx-gold.acme.corp was not judged.",), (SeenChange(T0, "limit of payroll-db", VM, "payroll-db", by="ops-lead"),),
        (Note(T0, "mara: 10.44.7.19 is payroll-db2, see /srv/Projekt-X/a.csv", "ACME\\mara"),), (later,),
    )  # fmt: skip


def every_text(path: Path) -> Iterator[str]:
    """All that a file holds: its bytes as they are, and each of its blobs decoded."""
    raw = path.read_bytes()
    yield raw.decode("latin-1")
    yield raw.decode("utf-16-le", "ignore")
    with sqlite3.connect(path) as database:
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in database.execute(f"SELECT * FROM {table}"):
                yield from (cell for cell in row if isinstance(cell, str))
        for (body,) in database.execute("SELECT body FROM document"):
            yield unpack_document(body).decode()
        for n, *blobs in database.execute("SELECT n, kind, key, name FROM entities"):
            yield from (text for blob in blobs for text in unpack_texts(blob, n))
        for n, label, *blobs in database.execute("SELECT n, label, counter, unit, instance FROM series"):
            for blob in (*blobs, *_label_parts(label)):
                yield from unpack_texts(blob, n)
    database.close()


def left_of(secrets: tuple[str, ...], texts: Iterator[str]) -> list[str]:
    everything = "\n".join(texts).lower()
    return [one for one in secrets if one.lower() in everything]


def anonymised(original: Path, out: Path) -> Path:
    with SessionReader.open(original) as reader:
        write_anonymised(reader, out)
    return out


def test_no_name_address_or_path_is_left_in_its_bytes(tmp_path: Path) -> None:
    original = written(tmp_path / "acme.hscope")
    assert left_of(SECRETS, every_text(original)) == list(SECRETS)  # the search finds what is there
    assert left_of(SECRETS, every_text(anonymised(original, tmp_path / "away.hscope"))) == []
    assert sorted(one.name for one in tmp_path.iterdir()) == ["acme.hscope", "away.hscope"]


def test_what_is_left_reads_as_before(tmp_path: Path) -> None:
    path = anonymised(written(tmp_path / "acme.hscope"), tmp_path / "away.hscope")
    with SessionReader.open(path) as reader:
        names = {ref.kind: one.name for ref, one in reader.entities().items()}
        events = [event.text for event in reader.events()]
        (mark,), (finding,), (run,) = reader.marks(), reader.findings(), reader.test_runs()
        facts = {fact.name: fact.value for fact in reader.facts()}
        source, _ = reader.sources()
    assert (names["host"], names["datastore"], names["world"]) == ("host-1", "datastore-1", "vmx-vcpu-0:vm-1")
    assert events[0] == "Reconfigured vm-1 on host-1 in domain-2 by domain-2\\user-1"
    assert events[1] == "vmnic0 00:00:5e:00:53:01 saw 192.0.2.1, 2001:db8::1 and aa:aa:aa:aa:00:00:00:01"
    assert events[2].startswith("open /vmfs/volumes/aaaaaaaa-aaaaaaaa-aaaa-")
    assert events[2].endswith("t10.disk-1, at 14:08:40")
    assert finding.conclusion == "vm-1 was held back while vm-2 and host-1 were idle."
    assert finding.title == "Held back by a CPU limit"  # though a VM is called CPU
    assert mark.text.startswith("user-1 says vm-12 is slow")
    assert (facts["vcpus"], facts["power_state"], facts["port.switch"]) == (4.0, "poweredOn", "switch-1")
    assert facts["host"] == source.spec.name == "host-1"
    assert 'environment = ["vcenter://user-1@' in run.plan
    assert 'test = "sioc-shares"' in run.plan
    assert json.loads(run.details)["rounds"][0]["host"] == "host-1"


def test_a_guided_run_is_carried_without_names(tmp_path: Path) -> None:
    path = anonymised(written(tmp_path / "acme.hscope"), tmp_path / "away.hscope")
    with SessionReader.open(path) as reader:
        (run,) = reader.troubleshooting()
        names = {ref: one.name for ref, one in reader.entities().items()}
    check, (again,), (note,) = run.checks[0], run.verifications, run.notes
    assert run.symptom.name == names[run.symptom.entity] == "vm-1"
    assert (check.problem, check.title, check.verdict) == ("cpu.limit", "Held back by a CPU limit", "problem")
    assert check.because == "vm-1 waited 33 % on host-1."
    assert check.steps[0].powercli == "Get-VM 'vm-1' | Set-VM"
    assert check.follows_from is not None
    assert check.follows_from[:2] == ("cpu.ready_high", "CPU is short")  # though a VM is called CPU
    assert check.follows_from[3] == names[check.follows_from[2]] == "vm-2"
    assert (note.text.split(":")[0], note.by) == ("user-1", "domain-2\\user-1")
    # What was seen in another session: the verdict and the numbers stay, texts that name what is there go.
    assert (again.outcome, again.session, again.numbers[0].after) == ("fixed", "session-1", 1.0)
    assert again.because == again.elsewhere[0].conclusion == LEFT_OUT
    assert again.elsewhere[0].name.startswith("vm-")


def test_the_numbers_are_the_same(tmp_path: Path) -> None:
    original = written(tmp_path / "acme.hscope")
    frames = []
    for path in (original, anonymised(original, tmp_path / "away.hscope")):
        with SessionReader.open(path) as reader:
            ids = np.array([one.id for one in reader.series()])
            (frame,) = reader.read(ids)
            frames.append((frame.times.tolist(), frame.values.tolist()))
    assert frames[0] == frames[1]


def test_it_is_judged_as_the_original_is(tmp_path: Path) -> None:
    original = record(tmp_path / "night.hscope", "cpu-limit-vm", 900)
    told = []
    for path in (original, anonymised(original, tmp_path / "away.hscope")):
        with SessionReader.open(path) as reader:
            found = diagnose_session(reader, load_problems(), load_catalogue())
        told.append(
            [(one.problem, one.severity, one.windows, one.share, len(one.causes)) for one in found.findings]
        )
    assert told[0] == told[1]
    assert told[0]


def test_an_older_session_and_one_of_a_vcenter_are_copied(tmp_path: Path) -> None:
    for name in ("esxtop", "lab", "vcenter"):
        original = Path(__file__).parent / "version1" / f"{name}.hscope"
        path = anonymised(original, tmp_path / f"{name}.hscope")
        with SessionReader.open(original) as before, SessionReader.open(path) as after:
            assert before.info().samples == after.info().samples
            names = {
                one.name for one in before.entities().values() if one.ref.kind in ("vm", "host", "datastore")
            }
            assert names.isdisjoint({one.name for one in after.entities().values()})


def test_a_name_is_never_used_that_the_original_has(tmp_path: Path) -> None:
    entities = [
        Entity(EntityRef("vm", str(number)), name) for number, name in enumerate(("vm-2", "vm-1", "Shop7"))
    ]
    texts = Anonymiser(entities, (), (), (), (), (), load_anonymity_rules())
    assert [texts.entity(one).name for one in entities] == ["vm-3", "vm-4", "vm-5"]
    assert texts.text("shop7 and vm-1 and vm-2") == "vm-5 and vm-4 and vm-3"


def test_names_of_any_sort_are_found(tmp_path: Path) -> None:
    names = ("a", "x" * 10_000, "Größe ß", "שלום", 'quo"te\\d', "SQL (old)", "42", "ready", "db", "<script>")
    entities = [Entity(EntityRef("vm", f"k{number}"), name) for number, name in enumerate(names)]
    texts = Anonymiser(entities, (), (), (), (), (), load_anonymity_rules())
    assert (
        texts.text("x" * 10_000 + " GRÖSSE ß größe ß, שלום! SQL (old)?") == "vm-2 GRÖSSE ß vm-3, vm-4! vm-6?"
    )
    assert (
        texts.text("ready 42 % of 142, Ready; db, dbx, my_db")
        == "vm-8 vm-7 % of 142, Ready; vm-9, dbx, my_vm-9"
    )
    assert texts.text("a") == "vm-1"
    assert texts.text("a list") == "a list"
    assert texts.text("<script>") == "vm-10"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("14:08:40, 33.8 % of 2,000 MHz at 1.5 MB/s, 12 I/Os, read/write", None),
        ("version 7.0.3 build 21997540 on vmnic0, vmhba1:C0:T0:L0", None),
        ("127.0.0.1 and ::1", None),
        ("10.0.0.5, 10.0.0.5:443, 10.0.0.0/24", "192.0.2.1, 192.0.2.1:443, 192.0.2.2/24"),
        ("root@web.corp, ops@web.corp", "root@domain-1, user-1@domain-1"),
        ("see vmkernel.log and mine.log", "see vmkernel.log and file-1.log"),
        ("/var/log/vmkernel.log /srv/x/y.csv", "/var/log/vmkernel.log /folder-1/folder-2/file-1.csv"),
    ],
)
def test_addresses_are_told_from_numbers(text: str, expected: str | None) -> None:
    texts = Anonymiser((), (), (), (), (), (), load_anonymity_rules())
    assert texts.text(text) == (expected or text)


def test_what_is_there_is_kept_and_what_is_stopped_leaves_nothing(tmp_path: Path) -> None:
    original = written(tmp_path / "acme.hscope")
    there = tmp_path / "there.hscope"
    there.write_text("mine")

    class Stopped:
        def is_set(self) -> bool:
            return True

    with SessionReader.open(original) as reader:
        with pytest.raises(AlreadyExistsError):
            write_anonymised(reader, there)
        with pytest.raises(CancelledError):
            write_anonymised(reader, tmp_path / "away.hscope", cancel=Stopped())
    assert there.read_text() == "mine"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["acme.hscope", "there.hscope"]


def test_cut_and_earlier_names_in_those_of_worlds_are_replaced() -> None:
    vm = Entity(VM, "payroll-database-primary", HOST)
    names = (
        "vmx-mks:payroll-database-primary",
        "vmx-vcpu-0:payroll-datab",
        "vmm0:Ledger old",
        "vmx",
        "pcpu:3",
    )
    worlds = [Entity(EntityRef("world", str(at)), name, VM) for at, name in enumerate(names)]
    texts = Anonymiser([vm, *worlds], [], [], [], [], [], load_anonymity_rules())
    named = [texts.entity(one).name for one in worlds]
    assert named == ["vmx-mks:vm-1", "vmx-vcpu-0:vm-2", "vmm0:vm-3", "vmx", "pcpu:3"]


@pytest.mark.parametrize(
    ("kind", "name", "anonymous"),
    [
        ("world", "hostd.66694", "hostd.66694"),
        ("world", "acme-backup.sh.77", "world-1"),
        ("world", "styx", "world-1"),  # a VM, of which the capture has no column that tells so
        ("path", "esx-gold/vmhba64:C0:T1:L3", "host-1/vmhba64:C0:T1:L3"),
        ("path", "esx-gold/nqn.2014-08.com.acme:payroll-array", "host-1/path-1"),
        ("path", "esx-gold/sas.500a098-Projekt-X", "host-1/path-1"),
    ],
)
def test_names_of_worlds_and_paths_are_kept_only_if_the_product_gave_them(
    kind: str, name: str, anonymous: str
) -> None:
    """Any was kept: a VM that looked like a world, a site's scripts, an array's name in a path."""
    one = Entity(EntityRef(kind, "x"), name, HOST)  # type: ignore[arg-type]
    texts = Anonymiser([Entity(HOST, "esx-gold"), one], [], [], [], [], [], load_anonymity_rules())
    assert texts.entity(one).name == anonymous
    assert name.rpartition("/")[2] in anonymous or name.rpartition("/")[2] not in texts.text(f"seen: {name}.")


def test_worlds_of_the_kernel_keep_their_names() -> None:
    helper = Entity(EntityRef("world", "8"), "helper", HOST)
    queue = Entity(EntityRef("world", "9"), "HELPER_MISC_QUEUE-1-0", helper.ref)
    texts = Anonymiser([helper, queue], [], [], [], [], [], load_anonymity_rules())
    assert [texts.entity(one).name for one in (helper, queue)] == ["helper", "HELPER_MISC_QUEUE-1-0"]


def test_what_appears_meanwhile_is_kept(tmp_path: Path) -> None:
    session, out = written(tmp_path / "a.hscope"), tmp_path / "out.hscope"

    def somebody_writes(_part: float) -> None:
        out.write_text("precious")

    with SessionReader.open(session) as reader, pytest.raises(AlreadyExistsError):
        write_anonymised(reader, out, progress=somebody_writes)
    assert out.read_text() == "precious"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.hscope", "out.hscope"]
