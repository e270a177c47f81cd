"""Which lines are known: each form's genuine text, in every prefix that ESXi writes, and nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from collectors.logs.lines import LineFinder, blocks
from resources.log_lines import LineRow, load_log_lines
from resources.problem_cards import load_problems
from resources.scsi_codes import load_scsi_codes
from tests.logs.writing_logs import LATENCY, LINK_DOWN, SENSE

KNOWN = load_log_lines()
FINDER = LineFinder(KNOWN, lambda: None)
BODY = re.compile(r"^\S+Z ?(?:cpu\d+:\d+\)|In\(\d+\) vmkernel: cpu\d+:\d+\)|\| [\w-]+\| I120: )")


def found(text: str) -> list[str]:
    return [line.form.means for line in FINDER.lines(text.encode() + b"\n")]


@pytest.mark.parametrize("row", KNOWN.rows, ids=lambda row: row.id)
def test_the_genuine_text_of_each_form_is_known(row: LineRow) -> None:
    assert found(row.example) == [row.means or row.id]
    assert row.source


@pytest.mark.parametrize("row", [row for row in KNOWN.rows if row.id != "stun"], ids=lambda row: row.id)
def test_both_prefixes_of_the_vmkernel_give_the_same(row: LineRow) -> None:
    body = BODY.sub("", row.example)
    old = found(f"2015-12-25T16:39:25.565Z cpu4:2758489){body}")
    new = found(f"2026-02-24T20:12:41.845Z In(182) vmkernel: cpu6:2099026){body}")
    warned = found(f"2026-02-24T20:12:41.845Z Wa(180) vmkwarning: cpu6:2099026){body}")
    assert old == new == [row.means or row.id]
    assert warned == []  # the same line stands in vmkernel.log


@pytest.mark.parametrize(
    "line",
    [
        "2015-10-27T22:01:42.149Z| vcpu-0| I120: Checkpoint_Unstun: vm stopped for 188405 us",
        "2023-04-15T08:52:34.879Z In(05) vmx - Checkpoint_Unstun: vm stopped for 188405 us",
        "2012-03-01T10:00:00.001Z| vmx| Checkpoint_Unstun: vm stopped for 188405 us",
    ],
)
def test_the_three_forms_of_a_vmware_log(line: str) -> None:
    [seen] = FINDER.lines(line.encode())
    assert (seen.form.kind, dict(seen.groups)) == ("stun", {"stopped": "188405"})


@pytest.mark.parametrize("row", list(dict.fromkeys(KNOWN.told.values())), ids=lambda row: row.ids[0])
def test_events_of_vobd_by_their_id(row: object) -> None:
    for name in row.ids:  # type: ignore[attr-defined]
        text = f"2015-09-01T06:12:44.102Z: [APDCorrelator] 2682686563317us: [{name}] vmnic3 of something"
        assert found(text) == [row.means or name]  # type: ignore[attr-defined]
    assert found(f"2015-09-01T06:12:44.102Z: [x] 1us: [{row.ids[0]}.more] of something") == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "line",
    [
        f"cpu4:2758489){LATENCY}",  # no time
        f"2026-13-45T99:99:99.000Z cpu4:1){LATENCY}",  # no such day
        f"2015-12-25T16:39:25.565 cpu4:1){LATENCY}",  # no UTC
        f"2015-12-25T16:39:25.565Z esx01 vmkernel: cpu4:1){LATENCY}",  # as a syslog server writes it
        f"2015-12-25T16:39:25.565Z cpu4:1)VM named ({LATENCY})",  # quoted by something else
        "2024-01-15T10:00:00.000Z cpu4:1)ScsiDeviceIO: 4589: Device naa.1 has high latency",  # made up
        "2015-12-25T16:39:25.565Z cpu4:1)LSOM: something Congestion State: Exceeded. and nothing else",
        "2015-12-25T16:39:25.565Z| vcpu-0| I120: Checkpoint_Unstun: vm stopped for " + "9" * 5000 + " us",
    ],
)
def test_what_other_forms_say_is_not_guessed(line: str) -> None:
    assert found(line) == []


@given(st.text(max_size=300), st.integers(0, 200), st.integers(0, 30))
@example("\x00", 40, 3)
def test_a_changed_line_is_known_or_not_and_never_an_error(noise: str, at: int, cut: int) -> None:
    for text in (SENSE, LATENCY, LINK_DOWN, "[vob.storage.apd.start] Device [naa.1] has entered"):
        line = f"2026-03-05T11:20:00.000Z cpu4:1){text}"
        changed = line[:at] + noise + line[at + cut :]
        for seen in FINDER.lines(changed.encode("utf-8", "replace")):
            assert 0 <= seen.at < 253_402_300_800_000
            assert len(seen.groups.get("device", "")) <= 200


@given(st.lists(st.binary(max_size=80), max_size=20), st.integers(1, 64))
def test_blocks_are_the_text_without_lines_that_are_too_long(pieces: list[bytes], longest: int) -> None:
    waiting, skipped = list(pieces), []

    def read(_size: int) -> bytes:
        while waiting:
            if data := waiting.pop(0):
                return data
        return b""

    given_blocks = list(blocks(read, longest, lambda: skipped.append(1)))
    whole = b"".join(pieces)
    if not skipped:
        assert b"".join(given_blocks) == whole
    assert all(len(block) <= longest or b"\n" in block for block in given_blocks)
    assert all(line in whole for block in given_blocks for line in block.splitlines(keepends=True))


def test_scsi_codes_in_words() -> None:
    codes = load_scsi_codes()
    said = codes.status(
        {"H": "0x0", "D": "0x2", "P": "0x0", "sense": "Valid", "key": "0x2", "asc": "0x4", "ascq": "0x3"}
    )
    assert said == (
        "check condition (D:0x2), not ready: logical unit not ready, manual intervention required "
        "(sense 0x2 0x4 0x3)"
    )
    assert (
        codes.status({"H": "0x1", "D": "0x0", "P": "0x0", "sense": "Possible", "key": "0x0"})
        == "no connection to the LUN (H:0x1)"
    )
    assert codes.status({"H": "0xee", "D": "0x0", "P": "0x0"}) == "H:0xee"
    assert codes.status({}) == "no code says why"
    assert codes.command("0x28") == "read (0x28)"
    assert codes.command("0xfe") == "command 0xfe"


def test_the_cards_that_lines_support_are_there() -> None:
    cards = {card.id for card in load_problems().cards}
    named = {card for row in KNOWN.rows for card in row.cards} | {
        card for row in KNOWN.told.values() for card in row.cards
    }
    assert named <= cards
