"""The decoder of raw QueryPerf replies: what it reads, what it refuses, what it survives."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyVmomi import SoapAdapter, VmomiSupport

from collectors.vsphere.counters import plain_reply
from collectors.vsphere.counters.reply import Reply, decode, numbers, sample_times
from resources.failures import DisconnectedError
from tests.vsphere.replies import HEAD, TAIL, Answer, info, reply

ROOT = Path(__file__).parents[2]
T0 = 1_795_267_200_000  # 2026-11-21T13:20:00Z
STAMPS = ["2026-11-21T13:20:00Z", "2026-11-21T13:20:20Z", "2026-11-21T13:20:40Z"]


def read(answer: Reply) -> dict[tuple[str, str, str], dict[int, float]]:
    """Every sample: (moid, counter, instance) → instant → value, NaN left out."""
    found: dict[tuple[str, str, str], dict[int, float]] = {}
    for block in answer.blocks:
        for entity in block.entities:
            keys = zip(entity.counters, entity.instances, strict=True)
            for row, (counter, instance) in enumerate(keys, entity.first):
                samples = zip(block.times.tolist(), block.values[row].tolist(), strict=True)
                found[entity.moid, counter, instance] = {t: v for t, v in samples if v == v}
    return found


def test_a_reply_is_read() -> None:
    raw = reply([Answer("vm-1", info(STAMPS), [("12", "", "1,2,3"), ("12", "0", "4,5,6")])])
    assert read(decode(raw)) == {
        ("vm-1", "12", ""): {T0: 1.0, T0 + 20_000: 2.0, T0 + 40_000: 3.0},
        ("vm-1", "12", "0"): {T0: 4.0, T0 + 20_000: 5.0, T0 + 40_000: 6.0},
    }


def test_samples_newest_first_keep_their_instants() -> None:
    raw = reply([Answer("vm-1", info(STAMPS[::-1]), [("12", "", "3,2,1")])])
    assert read(decode(raw))["vm-1", "12", ""] == {T0: 1.0, T0 + 20_000: 2.0, T0 + 40_000: 3.0}


def test_entities_with_other_instants_are_kept_apart() -> None:
    raw = reply(
        [
            Answer("vm-1", info(STAMPS), [("2", "", "1,2,3")]),
            Answer("vm-2", info(STAMPS[:1]), [("2", "", "9")]),
            Answer("vm-3", info(STAMPS), [("2", "", "7,8,9")]),
        ]
    )
    decoded = decode(raw)
    assert [len(block.entities) for block in decoded.blocks] == [2, 1]
    assert read(decoded)["vm-3", "2", ""][T0 + 40_000] == 9.0


def test_negative_is_absent() -> None:
    raw = reply([Answer("vm-1", info(STAMPS), [("12", "", "1,-1,3"), ("2", "", "-7,-1,-1")])])
    assert read(decode(raw)) == {
        ("vm-1", "12", ""): {T0: 1.0, T0 + 40_000: 3.0},
        ("vm-1", "2", ""): {},
    }


@pytest.mark.parametrize("text", ["1,2", "1,2,3,4", "1,x,3", "1;2;3", "1,2,3,", "१,२,३", "1e5,2,3"])
def test_a_series_that_does_not_fit_is_refused_and_counted(text: str) -> None:
    raw = reply([Answer("vm-1", info(STAMPS), [("12", "", text), ("2", "", "1,2,3")])])
    decoded = decode(raw)
    assert decoded.refused == 1
    assert read(decoded)["vm-1", "2", ""] == {T0: 1.0, T0 + 20_000: 2.0, T0 + 40_000: 3.0}
    assert not read(decoded).get(("vm-1", "12", ""), {})


@pytest.mark.parametrize(("text", "there"), [("", {}), (",,", {}), ("1,,3", {T0: 1.0, T0 + 40_000: 3.0})])
def test_empty_is_absent(text: str, there: dict[int, float]) -> None:
    raw = reply([Answer("vm-1", info(STAMPS), [("12", "", text), ("2", "", "1,2,3")])])
    decoded = decode(raw)
    assert decoded.refused == 0
    assert read(decoded).get(("vm-1", "12", ""), {}) == there
    assert read(decoded)["vm-1", "2", ""] == {T0: 1.0, T0 + 20_000: 2.0, T0 + 40_000: 3.0}


@pytest.mark.parametrize("sign", ["&#x1;", "&#11;", "\x02"])
def test_a_name_that_xml_forbids_costs_no_other_its_samples(sign: str) -> None:
    raw = reply([Answer("vm-1", info(STAMPS), [("12", "a_b", "1,2,3"), ("2", "", "4,5,6")])])
    decoded = read(decode(raw.replace(b"a_b", f"a{sign}b".encode())))
    assert set(decoded) == {("vm-1", "12", "a b"), ("vm-1", "2", "")}


def test_two_wrong_lengths_do_not_make_one_right() -> None:
    raw = reply([Answer("vm-1", info(STAMPS), [("12", "", "1,2"), ("13", "", "3,4,5,6")])])
    assert decode(raw).refused == 2


def test_broken_instants_refuse_the_entity() -> None:
    raw = reply([Answer("vm-1", "20,yesterday", [("12", "", "1"), ("2", "", "2")])])
    assert decode(raw).refused == 2


def test_a_series_without_values_is_refused() -> None:
    whole = reply([Answer("vm-1", info(STAMPS), [("12", "", "1,2,3"), ("2", "", "4,5,6")])]).decode()
    cut = whole.replace("<value>1,2,3</value>", "").encode()
    assert decode(cut).refused == 1
    assert read(decode(cut))["vm-1", "2", ""][T0] == 4.0


def test_an_entity_without_samples_is_nothing() -> None:
    assert decode(reply([Answer("vm-1", "")])).blocks == []
    assert decode(reply([])).series == 0


def test_another_prefix_means_the_same() -> None:
    raw = reply([Answer("vm-1", info(STAMPS), [("12", "0", "1,2,3")])]).decode()
    body = raw.split('<QueryPerfResponse xmlns="urn:vim25">')[1].split("</QueryPerfResponse>")[0]
    for tag in ("returnval", "entity", "sampleInfoCSV", "value", "id", "counterId", "instance"):
        body = body.replace(f"<{tag}", f"<v:{tag}").replace(f"</{tag}", f"</v:{tag}")
    spaced = body.replace("><", ">\n  <")
    head = HEAD.replace('<QueryPerfResponse xmlns="urn:vim25">', '<v:QueryPerfResponse xmlns:v="urn:vim25">')
    tail = TAIL.replace("QueryPerfResponse", "v:QueryPerfResponse")
    assert read(decode((head + spaced + tail).encode())) == read(decode(raw.encode()))


@pytest.mark.parametrize(
    "change",
    [
        ("<instance>0<", "<instance>&#48;<"),
        ("<instance>0<", "<instance><![CDATA[0]]><"),
        ("<instance>0<", "<instance>0<!-- x --><"),
        ("</value></value>", "</value>\n</value>"),
        ("<returnval", "<!-- x --><returnval"),
        ("</soapenv:Envelope>", "</soapenv:Envelope>\n<?done?>"),
        ('encoding="UTF-8"', "encoding='UTF-8'"),
        ("<counterId>12<", "<counterId> 12<"),
    ],
)
def test_other_forms_are_left_to_lxml(change: tuple[str, str]) -> None:
    whole = reply([Answer("vm-1", info(STAMPS), [("12", "0", "1,2,3")])]).decode()
    other = whole.replace(*change).encode()
    assert plain_reply.read(other) is None
    assert list(read(decode(other)).values()) == list(read(decode(whole.encode())).values())


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.9, 0.999])
def test_half_a_reply_is_a_broken_connection(share: float) -> None:
    raw = reply([Answer("vm-1", info(STAMPS), [("12", "", "1,2,3")])])
    with pytest.raises(DisconnectedError):
        decode(raw[: int(len(raw) * share)])


def test_another_answer_is_refused() -> None:
    with pytest.raises(DisconnectedError, match="no answer to QueryPerf"):
        decode(b"<html><body>502 Bad Gateway</body></html>")


def test_entities_are_neither_resolved_nor_fetched() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(8)
    )
    raw = bomb + "]>" + reply([Answer("vm-1", info(STAMPS), [("12", "", "1,2,3")])]).decode().split("?>")[1]
    with pytest.raises(DisconnectedError):
        decode(raw.encode())
    outside = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><x>&e;</x>'
    with pytest.raises(DisconnectedError):
        decode(outside.encode())


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(DisconnectedError):
        decode(b"<a>" * 100_000 + b"</a>" * 100_000)


def test_fractions_and_offsets_of_instants() -> None:
    found = sample_times("20,2026-11-21T13:20:00.25Z,20,2026-11-21T14:20:20+01:00")
    assert found is not None
    assert found.tolist() == [T0 + 250, T0 + 20_000]


counters = st.integers(1, 9999).map(str)
instances = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "S"), include_characters=" &<>\"'"), max_size=12
).map(str.strip)
values = st.lists(st.integers(-5, 2**40), min_size=3, max_size=3)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(counters, instances, values), max_size=5, unique_by=lambda row: row[:2]),
        max_size=4,
    )
)
def test_what_pyvmomi_reads_is_read(entities: list[list[tuple[str, str, list[int]]]]) -> None:
    answers = [
        Answer(f"vm-{i}", info(STAMPS), [(c, n, ",".join(map(str, v))) for c, n, v in rows])
        for i, rows in enumerate(entities)
    ]
    raw = reply(answers)
    theirs = SoapAdapter.SoapResponseDeserializer(None).Deserialize(
        raw, VmomiSupport.GetVmodlType("vim.PerformanceManager.EntityMetricBase[]")
    )
    expected = {}
    for metric in theirs:
        for series in metric.value:
            numbers = [float(text) for text in series.value.split(",")]
            key = (metric.entity._moId, str(series.id.counterId), series.id.instance)
            expected[key] = {T0 + 20_000 * i: v for i, v in enumerate(numbers) if v >= 0}
    assert plain_reply.read(raw) is not None
    for form in (raw, raw + b"<!-- read by lxml -->"):
        decoded = decode(form)
        assert decoded.refused == 0
        assert read(decoded) == expected


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 700))
def test_damage_never_crashes(damage: bytes, at: int) -> None:
    raw = reply([Answer("vm-1", info(STAMPS), [("12", "", "1,2,3"), ("2", "x", "1,-1,3")])])
    damaged = raw[:at] + damage + raw[at + len(damage) :]
    try:
        decoded = decode(damaged)
    except DisconnectedError:
        return
    try:
        slowly = decode(damaged + b"<!-- read by lxml -->")
    except DisconnectedError:
        return  # a name space that is declared nowhere: the quick reader does not need it
    assert read(decoded) == read(slowly)
    assert decoded.refused == slowly.refused
    for block in decoded.blocks:
        assert not np.isinf(block.values).any()


_DECODES_IN_THREADS = """
import threading, warnings
from collectors.vsphere.counters.reply import numbers

before = list(warnings.filters)
texts = [[f"{n},{n + 1},{n + 2}" for n in range(200)], ["1,,3"] * 200, ["1,x,3"] * 200]
done = threading.Event()

def decode(mine):
    while not done.is_set():
        numbers(mine, 3)

threads = [threading.Thread(target=decode, args=(mine,)) for mine in texts * 2]
for thread in threads:
    thread.start()
try:
    for _ in range(20_000):
        warnings.warn("somebody else's", DeprecationWarning, stacklevel=1)
finally:
    done.set()
    for thread in threads:
        thread.join()
assert warnings.filters == before, "the filters of the whole program changed"
"""


def test_decoding_in_threads_makes_nobodys_warnings_errors() -> None:
    """``warnings.catch_warnings`` changes the filters of all threads before Python 3.14."""
    child = [sys.executable, "-W", "ignore", "-c", _DECODES_IN_THREADS]
    ended = subprocess.run(child, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


@given(st.lists(st.text("0123456789,-", max_size=12), max_size=6), st.integers(1, 3))
@example(["1--2"], 1)
@example(["-"], 1)
@example(["1-2,3"], 2)
@example(["-1,"], 2)
@example(["99999999999999999999"], 1)
@example(["1000000000000000000"], 1)
@example(["-99999999999999999999"], 1)
@example(["0", "0,0,0"], 2)
def test_numbers_are_read_as_their_definition_says(texts: list[str], columns: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values, refused = numbers(texts, columns)
    assert values.shape == (len(texts), columns)
    sound = 0
    for text, row in zip(texts, values, strict=True):
        parts = text.split(",")
        if len(parts) == columns and all(re.fullmatch(r"(?:-?[0-9]{1,18})?", part) for part in parts):
            sound += 1
            counts = [int(part or -1) for part in parts]
            np.testing.assert_array_equal(row, [math.nan if count < 0 else float(count) for count in counts])
        else:
            assert np.isnan(row).all()
    assert refused == len(texts) - sound
