"""What a server counts that we do not know, and what it lacks: in words, as JSON and as a page."""

from __future__ import annotations

from resources.catalogue import load_catalogue
from resources.documented_counters import load_documented_counters
from sessions.model import Entity, EntityRef, Fact
from sessions.server_counters import ServerCounter, counter_facts, server_counters
from viewmodels.catalogue_difference import (
    CatalogueDifference,
    catalogue_differences,
    difference_lines,
    differences_page,
)

VCENTER = EntityRef("vcenter", "uuid-1")
NAMES = {VCENTER: Entity(VCENTER, "vc01.corp")}
T0 = 1_790_000_000_000
OF_65 = load_documented_counters().names
READY = ServerCounter(12, "cpu.ready.summation", "millisecond", "delta", 1, 3, "Ready", "Time it was ready")
TIER = ServerCounter(900, "mem.tierLatency.average", "parsec", "absolute", 4, 4, "Latency", "Of *a* tier | x")
OLD = ServerCounter(30, "rescpu.actav1.latest", "percent")


def compared(*counters: ServerCounter, server: EntityRef = VCENTER) -> CatalogueDifference:
    (one,) = catalogue_differences(counter_facts(server, counters, T0), NAMES, load_catalogue())
    return one


def test_counters_are_told_apart() -> None:
    one = compared(READY, TIER, OLD)
    assert (one.server, one.defined, one.known) == ("vc01.corp", 3, 1)
    assert list(one.newer) == [TIER]
    assert list(one.older) == [OLD]
    assert list(one.units) == ["parsec"]
    lacking = {counter.key for counter in one.lacking}
    assert "cpu.costop" in lacking
    assert "cpu.ready" not in lacking


def test_it_is_said_in_words() -> None:
    text = "\n".join(difference_lines(compared(READY, TIER, OLD)))
    assert "vc01.corp defines 3 counters: 1 in our catalogue, 2 not." in text
    assert "Newer than vSphere 6.5 and unknown to us: mem.tierLatency.average (parsec)." in text
    assert "without a meaning of ours: rescpu 1." in text
    assert "Of our catalogue it lacks" in text
    assert "Units that are news to us: parsec" in text


def test_a_server_with_a_thousand_units_of_its_own_is_told_in_a_line() -> None:
    counters = [ServerCounter(n, f"a.b{n}.latest", f"unit {n:04}") for n in range(1000)]
    (line,) = [one for one in difference_lines(compared(*counters)) if one.startswith("Units")]
    assert line.startswith("Units that are news to us: unit 0000, unit 0001,")
    assert line.endswith("and 994 more; their numbers are kept as they are.")


def test_the_whole_list_of_65_has_nothing_new_and_lacks_nothing() -> None:
    one = compared(*(ServerCounter(n, name, "number") for n, name in enumerate(sorted(OF_65))))
    assert one.newer == []
    assert one.lacking == []
    assert one.known + len(one.older) == one.defined == len(OF_65)


def test_an_esxi_host_does_not_lack_what_only_clusters_have() -> None:
    names = ("cpu.ready.summation", "cpu.costop.summation")
    counters = [ServerCounter(n, name, "millisecond") for n, name in enumerate(names)]
    host = compared(*counters, server=EntityRef("host", "esx01"))
    assert all(any(twin.on in {"host", "vm"} for twin in counter.vcenter) for counter in host.lacking)


def test_json_has_every_counter_with_all_that_the_server_says() -> None:
    document = compared(READY, TIER, OLD).to_json()
    assert document["defined"] == 3
    assert document["unknown"] == [
        {"name": "mem.tierLatency.average", "unit": "parsec", "stats": "absolute", "level": 4,
         "device_level": 4, "label": "Latency", "summary": "Of *a* tier | x", "newer_than_65": True},
        {"name": "rescpu.actav1.latest", "unit": "percent", "stats": "", "level": 0, "device_level": 0,
         "label": "", "summary": "", "newer_than_65": False},
    ]  # fmt: skip


def test_the_page_shows_the_servers_words_as_text() -> None:
    page = differences_page([compared(READY, TIER, OLD)])
    assert r"Of \*a\* tier \| x" in page
    assert "| mem.tierLatency.average | parsec | 4 |" in page


def test_a_session_without_a_servers_list_says_so() -> None:
    assert "record to get it" in differences_page([])
    assert catalogue_differences([Fact(VCENTER, "name", "x", T0)], NAMES, load_catalogue()) == []


def test_what_a_server_lost_and_what_nobody_can_read_is_left_out() -> None:
    facts = counter_facts(VCENTER, [READY, TIER], T0)
    gone = Fact(VCENTER, facts[1].name, facts[1].value, T0, T0 + 1000)
    forged = [Fact(VCENTER, "perf_counter.a.b.c", text, T0) for text in ("", "[", '["x"]', "[1]", "[" * 9999)]
    assert server_counters([facts[0], facts[1], gone, *forged]) == {VCENTER: [READY]}
