r"""A name in each spelling that servers and tools use, in every place of a session: none is left of any."""

# ruff: noqa: E501 - one record a line

from __future__ import annotations

import html
import json
import unicodedata
from pathlib import Path
from urllib.parse import quote, quote_plus

import numpy as np
import pytest

from resources.anonymity_rules import load_anonymity_rules
from sessions.anonymous.anonymiser import Anonymiser
from sessions.findings import CauseVerdict, Evidence, Finding
from sessions.journal import ChangedObject, Figure, JournalEntry, Phase, TestRun
from sessions.model import Entity, EntityRef, Event, Fact, Gap, Mark, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, encode_block
from sessions.times import TimeRange
from sessions.troubleshooting import Note, Symptom, TroubleshootingRun
from sessions.verdicts import SeverityCounts, SourceReach, Verdict
from tests.sessions.test_anonymous import anonymised, every_text, left_of

T0 = 1_800_000_000_000
NAMES = {
    "vm": "Zürich/Löhne 7",
    "host": "esx-gold.acme.corp",
    "datastore": "Gehälter & Söhne (alt)",
    "cluster": "50%Kraft\\Werk",
    "pool": "pay%2froll",
}
IDS = (
    "naa.600508b4000603860000deadbeef4711", "NAA.600508B4000603860000DEADBEEF4711", "naa:600508b4000603860000deadbeef4711",
    "20:00:00:25:b5:aa:bb:cc", "20-00-00-25-B5-AA-BB-CC", "20000025b5aabbcc", "0x20000025b5aabbcc", "eui.0025385a71b0deadbeef",
    "wwn-0x600508b4000603860000deadbeef4711", "nqn.2014-08.com.acme:crown",
)  # fmt: skip
PATHS = (
    "nas-crown:/export/jewels", "10.44.7.19:/export/jewels", "[fe80::dead:beef]:/export/jewels",
    "[crown store] jewel box/crown vm.vmx", "[Gehälter & Söhne (alt)] jewels/crown-flat.vmdk", "C:/Users/crown/jewels.csv",
)  # fmt: skip
SECRET_WORDS = (
    "deadbeef", "25:b5:aa", "25-b5-aa", "0025b5aabbcc", "0025385a71b0", "crown", "jewel", "10.44.7.19", "fe80",
    "esx-gold", "acme",
)  # fmt: skip


def spellings(name: str) -> list[str]:
    """The spellings that were met, written here without the module that finds them."""
    found = []
    for plain in (name, name.replace("%2f", "/")):
        for form in ("NFC", "NFD"):
            one = unicodedata.normalize(form, plain)
            found += [
                one, one.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c"), quote(one, safe=""), quote(one),
                quote(one, safe="").lower(), quote_plus(one), json.dumps(one)[1:-1], json.dumps(one)[1:-1].replace("/", "\\/"),
                json.dumps(one, ensure_ascii=False)[1:-1], html.escape(one), one.upper() if one.upper().lower() == one.lower() else one,
            ]  # fmt: skip
    return list(dict.fromkeys(found))


SPELLED = [one for name in NAMES.values() for one in spellings(name)]
TEXTS = [*SPELLED, *IDS, *PATHS]


def written(path: Path) -> Path:
    """A session with each of TEXTS in each kind of record that has room for a text."""
    told = "; ".join(TEXTS)
    vm, host = EntityRef("vm", "k-vm"), EntityRef("host", "k-host")
    with SessionWriter.create(path, title=told, durable=False) as writer:
        source = writer.add_source(
            SourceSpec("esxtop", "recorder", 5.0, attributes=(("note 1", told), ("files", "a.csv")))
        )
        writer.add_entities([Entity(EntityRef(kind, f"k-{kind}"), name) for kind, name in NAMES.items()])  # type: ignore[arg-type]
        specs = [SeriesSpec(vm, "cpu.ready", "%", told, 1.0, f"label {told}")]
        specs += [SeriesSpec(vm, "cpu.ready", "%", one, 1.0, one) for one in TEXTS]
        layout = writer.add_layout(source, writer.add_series(source, specs))
        times = T0 + np.arange(50, dtype=np.int64) * 5000
        writer.add_block(layout, encode_block(times, np.ones((50, len(specs)))))
        writer.add_facts([Fact(vm, f"custom.{number}", f"of {one}.", T0) for number, one in enumerate(TEXTS)])
        writer.add_events(
            [
                Event(T0 + n, "log", f"at 14:08:40 {one} failed", host, log=f"{one}: vmkernel.log")
                for n, one in enumerate(TEXTS)
            ]
        )
        writer.add_events([Event(T0, "VmReconfiguredEvent", f"Reconfigured {told}", vm)])
        writer.add_mark(Mark(T0 + 5, f"slow: {told}"))
        writer.add_gaps([Gap(source, T0, T0 + 1, told, vm)])
        finding = Finding(
            "cpu.limit", "Held back by a CPU limit", "critical", vm, NAMES["vm"], (TimeRange(T0, T0 + 9),), 0.5, told,
            (Evidence("cpu.ready", told, "mean", 1.0, 2.0, "%"),), (CauseVerdict("own", "The VM has a limit", "likely", told),),
            (told,),
        )  # fmt: skip
        reach = SourceReach(source, told, TimeRange(T0, T0 + 9), 3)
        writer.put_findings([finding], Verdict("judged", (reach,), counts=SeverityCounts.of([finding])))
        changed = ChangedObject("vcenter://vc", "VirtualMachine", "vm-101", NAMES["vm"])
        writer.add_journal(
            [
                JournalEntry(
                    "1",
                    "run-1",
                    changed,
                    "attribute:x",
                    json.dumps({"on": told}),
                    told,
                    "vsphere",
                    "left",
                    T0,
                    T0,
                    told,
                )
            ]
        )
        plan = f'# {told}\ntest = "sioc-shares"\nnote = {json.dumps(told)}\n'
        writer.add_test_runs([
            TestRun("run-1", "sioc-shares", plan, T0, T0 + 9, True, told, told, (Phase(told, "done", T0, T0 + 1),),
                    (Figure(told, told, 1.0, "%"),), json.dumps({"rounds": [{"note": told}]})),
        ])  # fmt: skip
        run = TroubleshootingRun(
            1,
            T0,
            Symptom(vm, NAMES["vm"], "slow", TimeRange(T0, T0 + 9)),
            T0 + 9,
            (),
            (),
            (told,),
            (),
            (Note(T0, told, ""),),
            (),
        )
        writer.add_troubleshooting([run])
    return path


def test_no_spelling_of_a_name_is_left_anywhere(tmp_path: Path) -> None:
    original = written(tmp_path / "original.hscope")
    whole = (*SPELLED, *SECRET_WORDS)
    assert left_of(whole, every_text(original)) == list(whole)  # the search finds what is there
    assert left_of(whole, every_text(anonymised(original, tmp_path / "away.hscope"))) == []


def test_every_spelling_of_a_name_becomes_the_same_word() -> None:
    entities = [Entity(EntityRef(kind, f"k-{kind}"), name) for kind, name in NAMES.items()]  # type: ignore[arg-type]
    texts = Anonymiser(entities, (), (), (), (), (), load_anonymity_rules())
    for kind, name in NAMES.items():
        assert {texts.text(f"before {one}, after") for one in spellings(name)} == {f"before {kind}-1, after"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "mounted nas-1:/vol/x and 10.0.0.5:/vol/x",
            "mounted server-1:/folder-1/file-1 and 192.0.2.1:/folder-1/file-1",
        ),
        ("[gold] a b/c d.vmdk is full", "[datastore-1] folder-1/file-1.vmdk is full"),
        ("[info] read/write at 14:08:40: 1:1, [1/2] and [a] b", None),
        ("https://docs.example/x", "https://domain-1/file-1"),
    ],
)
def test_places_on_servers_and_datastores_are_told_from_other_texts(text: str, expected: str | None) -> None:
    texts = Anonymiser((), (), (), (), (), (), load_anonymity_rules())
    assert texts.text(text) == (expected or text)


def test_an_anonymous_session_can_be_read(tmp_path: Path) -> None:
    with SessionReader.open(anonymised(written(tmp_path / "a.hscope"), tmp_path / "b.hscope")) as reader:
        assert {one.name for one in reader.entities().values()} == {
            "vm-1",
            "host-1",
            "datastore-1",
            "cluster-1",
            "pool-1",
        }


@pytest.mark.parametrize(
    "text",
    [
        "00:50:56:ab:cd:ef: link down",
        "fe80::dead:beef: no answer",
        "20:00:00:25:b5:aa:bb:cc: gone",
        "(fe80::1)",
    ],
)
def test_a_colon_behind_an_address_is_none_of_it(text: str) -> None:
    texts = Anonymiser((), (), (), (), (), (), load_anonymity_rules())
    assert left_of(("ab:cd:ef", "dead:beef", "fe80", "b5:aa"), iter([texts.text(text)])) == []


def test_a_name_without_its_remark_is_the_same_word_in_a_note() -> None:
    """What an admin types into a note: "limit raised on JBOSS 11", of the VM "JBOSS 11 (billing)"."""
    names = ("JBOSS 11 (billing)", "JBOSS 12 [old]", "JBOSS 12", "Backup (new)", "(9)", "db (prod) 7")
    vms = [Entity(EntityRef("vm", f"502a-{at}"), name) for at, name in enumerate(names)]
    anonymiser = Anonymiser(vms, (), (), (), (), (), load_anonymity_rules())
    own = {name: anonymiser.text(name) for name in names}
    assert anonymiser.text("limit raised on jboss 11.") == f"limit raised on {own['JBOSS 11 (billing)']}."
    assert anonymiser.text("JBOSS 12 is slow") == f"{own['JBOSS 12']} is slow"
    assert anonymiser.text("Backup runs at 2") == "Backup runs at 2"
    assert len(set(own.values())) == len(names)
