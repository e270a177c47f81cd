"""Replies of the esxtop service: what CounterInfo names is read by name, all else is kept or refused."""

from __future__ import annotations

import pytest

from collectors.esxtop_service.checks import check
from collectors.esxtop_service.counter_info import read_counter_info
from collectors.esxtop_service.reply import Reply, decode
from resources.failures import DisconnectedError
from tests.esxtop_service.genuine import written_again
from tests.esxtop_service.small_host import COUNTER_INFO, REPLY

INFO = read_counter_info(COUNTER_INFO)


def refused(text: str | bytes, info: str = COUNTER_INFO) -> str:
    with pytest.raises(DisconnectedError) as caught:
        decode(text, read_counter_info(info))
    return caught.value.happened


def changed(old: str, new: str) -> str:
    assert REPLY.count(old) == 1
    return REPLY.replace(old, new)


def read(text: str = REPLY) -> Reply:
    return decode(text, INFO)


def test_fields_are_read_by_the_names_of_counter_info() -> None:
    worlds, groups = read()["VCPU"], read()["SchedGroup"]
    assert worlds.words("WorldName") == ["idle1", "vmx", "vmx-vcpu-0:web01"]
    assert worlds.numbers("ReadyTimeInUsec").tolist() == [100, 0, 50]
    assert groups.numbers("CPUAllocMax").tolist() == [-1, 2000]
    assert groups.words("VMName") == ["system", "web01"]


def test_records_belong_to_those_before_them() -> None:
    found = read()
    assert found["VCPU"].parent.tolist() == [0, 1, 2]
    assert found["CPUClient"].parent.tolist() == [0, 1, 1]
    assert found["Server"].parent.tolist() == [-1]


def test_other_fields_in_another_order_are_read_all_the_same() -> None:
    info = COUNTER_INFO.replace(
        "|LCPU|LCPUID,U32|HaltTimeInUsec,U64|", "|LCPU|Heat,S32|HaltTimeInUsec,U64|LCPUID,U32|"
    )
    text = REPLY.replace("|LCPU|0|700|", "|LCPU|-5|700|0|").replace("|LCPU|1|600|", "|LCPU|7|600|1|")
    threads = decode(text, read_counter_info(info))["LCPU"]
    assert threads.numbers("LCPUID").tolist() == [0, 1]
    assert threads.numbers("Heat").tolist() == [-5, 7]


def test_records_that_nobody_knows_are_read_where_counter_info_names_them_and_kept_where_not() -> None:
    info = read_counter_info(COUNTER_INFO + "|Gpu|GpuID,U32|Name,STR|Load,FLT|\n")
    text = changed("|Sched|2|\n", "|Gpu|0|grid a|0.5|\n|Rdma|vmrdma0|17|\n|Sched|2|\n")
    found = decode(text, info)
    assert found["Gpu"].words("Name") == ["grid a"]
    assert found["Gpu"].words("Load") == ["0.5"]
    assert found.unknown == ("|Rdma|vmrdma0|17|",)
    assert len(found["VCPU"]) == 3


def test_an_unknown_record_among_a_groups_does_not_end_the_group() -> None:
    found = read(changed("|CPUClient|101|1|\n", "|GroupNote|5|\n|CPUClient|101|1|\n"))
    assert found["CPUClient"].parent.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "name", ["a|b", "|", "100|200|300", "web01|1|1|", "||||||||", "Größe|名前", "%7c\\|"]
)
def test_a_bar_within_a_name_moves_no_number(name: str) -> None:
    found = read(changed("vmx-vcpu-0:web01", name))
    assert found["VCPU"].words("WorldName")[2] == name
    assert found["VCPU"].numbers("RunTimeInUsec").tolist() == [900, 10, 100]
    assert written_again(found).decode() == changed("vmx-vcpu-0:web01", name).partition("VALUE==\n")[2]


def test_names_are_kept_to_the_letter() -> None:
    name = "SQL02 (df09cdf2):scsi0:0, 50 % \t<b>&amp;"
    assert read(changed("vmx-vcpu-0:web01", name))["VCPU"].words("WorldName")[2] == name


def test_the_whole_range_of_64_bits_is_exact() -> None:
    found = read(changed("|LCPU|0|700|", "|LCPU|0|18446744073709551614|"))
    assert found["LCPU"].counts("HaltTimeInUsec").tolist() == [18446744073709551614, 600]


def test_all_bits_set_is_no_number() -> None:
    found = read(changed("|LCPU|0|700|", "|LCPU|0|18446744073709551615|"))
    assert str(found["LCPU"].numbers("HaltTimeInUsec").tolist()) == "[nan, 600.0]"


def test_lines_may_end_as_windows_ends_them_and_the_last_not_at_all() -> None:
    assert read(REPLY.replace("\n", "\r\n").rstrip())["VCPU"].numbers("UpTimeInUsec").tolist() == [
        1000,
        500,
        500,
    ]


def test_the_first_section_is_not_needed() -> None:
    assert len(read(REPLY[REPLY.index("==COUNTER") :])["VCPU"]) == 3


def test_identities_are_looked_up_where_the_fields_are() -> None:
    names = [one.identity.name for one in check(read())]
    assert names == [
        "a world is always running, ready, co-stopped or waiting",
        "the hyper-threads of a core halt together",
    ]
    assert all(one.holds for one in check(read()))


def test_a_broken_identity_is_told_with_how_far_off() -> None:
    found = check(read(changed("|500|100|50|25|325|", "|500|100|50|25|300|")))
    assert found[0].sentence() == (
        "A world is always running, ready, co-stopped or waiting: does not hold for 1 of 3 of VCPU; "
        "25 off at worst."
    )
    found = check(read(changed("|LCPU|1|600|500|", "|LCPU|1|600|501|")))
    assert found[1].sentence() == (
        "The hyper-threads of a core halt together: does not hold for 1 of 1 of LCPU; 1 off at worst."
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("|PCPU|2|1|\n", "|PCPU|3|1|\n", "Line 2 announces 3 × LCPU, 2 follow."),
        ("|PCPU|2|1|\n", "|PCPU|4294967295|1|\n", "Line 2 announces 4,294,967,295 × LCPU, 2 follow."),
        ("|PCPU|2|1|\n", "", "Line 2 is a record LCPU where no PCPU precedes it."),
        ("|CPUClient|101|1|\n", "|LCPU|2|6|5|1|\n|CPUClient|101|1|\n", "Line 12 is a record LCPU where"),
        ("|LCPU|1|600|500|1000|\n", "|LCPU|1|600|500|\n", "Line 4 has 3 fields of LCPU, which has 4."),
        ("|LCPU|1|600|500|1000|\n", "|LCPU|1|600|500|1000|7|\n", "Line 4 has 5 fields of LCPU, which has 4."),
        ("|LCPU|1|600|500|1000|\n", "|LCPU|1|600||1000|\n", "In line 4 '' is no number."),
        ("|LCPU|1|600|500|1000|\n", "|LCPU|1|600|5x0|1000|\n", "In line 4 '5x0' is no number."),
        ("|LCPU|1|600|500|1000|\n", "|LCPU|1|600|5 0|1000|\n", "In line 4 '5 0' is no number."),
        ("|LCPU|1|600|500|1000|\n", "|LCPU|1|600|-|1000|\n", "In line 4 '-' is no number."),
        ("|LCPU|1|600|500|1000|\n", "|LCPU|1|600|--5|1000|\n", "In line 4 '--5' is no number."),
        ("|LCPU|1|600|500|1000|\n", "|LCPU|1|600|1.5|1000|\n", "In line 4 '1.5' is no number."),
        (
            "|LCPU|1|600|500|1000|\n",
            "|LCPU|1|600|123456789012345678901|1000|\n",
            "In line 4 '123456789012345678901' is no 64-bit number.",
        ),
        (
            "|LCPU|1|600|500|1000|\n",
            "|LCPU|1|600|18446744073709551616|1000|\n",
            "In line 4 '18446744073709551616' is no 64-bit number.",
        ),
        ("|LCPU|1|600|500|1000|\n", "<html>\n", "Line 4 is no record: '<html>'."),
        ("|LCPU|1|600|500|1000|\n", "|\n", "Line 4 is no record: '|'."),
        ("|Server|2000000|40445292577250|1570529635|\n", "", "Its record Server is missing."),
        ("==COUNTER-VALUE==\n", "", "has no values. ==NUM-OF-OBJ=="),
    ],
)  # fmt: skip
def test_what_is_not_whole_is_refused_with_its_line(old: str, new: str, said: str) -> None:
    assert said in refused(changed(old, new))


@pytest.mark.parametrize(
    "text", ["", "\n", "OK", "<html><body>login</body></html>", b"\x00\xff\xfe", "==COUNTER-VALUE==\n"]
)
def test_what_is_no_reply_is_refused(text: str | bytes) -> None:
    assert refused(text).startswith("The esxtop service’s reply has no ")


def test_a_reply_that_breaks_off_is_refused_wherever_it_does() -> None:
    """Cut at any character: never half a reply, never anything but one sentence."""
    whole = read()
    for end in range(len(REPLY) - 1):
        said = refused(REPLY[:end])
        assert said.startswith("The esxtop service’s reply ")
        assert "\n" not in said
    assert len(whole["VCPU"]) == 3


def test_a_reply_that_ends_before_a_block_is_refused() -> None:
    assert "It announces 1 × Sched and has 0." in refused(REPLY[: REPLY.index("|Sched|2|")])


def test_a_reply_beyond_all_measure_is_refused_unread() -> None:
    assert "64 MB is allowed" in refused(b"|" * (64 << 20 | 1))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "CounterInfo is empty"),
        ("<html>", "Line 1 of the esxtop service’s CounterInfo is none: '<html>'"),
        ("|Server|Time|", "Line 1 of"),
        ("|Server|Time,S64|Time,S64|", "Line 1 of"),
        ("|Server|Time,S64|\n|Server|Time,U64|", "CounterInfo has two different lines for Server"),
    ],
)
def test_a_counter_info_that_is_none_is_refused(text: str, said: str) -> None:
    with pytest.raises(DisconnectedError, match=said):
        read_counter_info(text)
