"""The reference: every problem and counter has a page with all that is known, drawn three ways."""

from __future__ import annotations

from functools import cache

import pytest

from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from resources.threshold_sets import OwnSet, OwnThresholds
from resources.views import load_limits, load_screens
from viewmodels.reference import Page, Reference, page_json, page_markdown, page_text

CARDS = load_problems().cards
COUNTERS = load_catalogue().counters()


@cache
def reference(own: bool = False) -> Reference:
    problems, catalogue = load_problems(), load_catalogue()
    if own:
        mine = OwnSet("SSD, yours", "ssd", {"latency_warn": 4.0}, 3, "2026-11-22")
        problems = problems.judged_by(OwnThresholds(sets=[mine]))
    return Reference(problems, catalogue, load_screens(catalogue), load_limits(problems))


def only(name: str, *, own: bool = False) -> Page:
    [page] = reference(own).named(name)
    return page


def parts(page: Page) -> list[str]:
    return [one.title for one in page.sections]


def test_every_problem_and_counter_has_its_page() -> None:
    assert [page.name for page in reference().of_kind("problem")] == [card.id for card in CARDS]
    assert [page.name for page in reference().of_kind("counter")] == [counter.key for counter in COUNTERS]


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_a_problem_tells_all_that_its_card_knows(card) -> None:  # type: ignore[no-untyped-def]  # a Card
    page = reference().pages["problem", card.id]
    text = page_markdown(page)
    flat = " ".join(page_text(page, 100))
    for rule in card.rules:
        assert f"`{rule.condition}`" in text
        assert not rule.critical or f"`{rule.critical}`" in text
        for counter in {one.counter for one in card.signals_for(rule).values() if one.counter}:
            assert f"`{counter}`" in text
    for name, threshold in card.thresholds.items():
        assert f"| `{name}` |" in text
        assert threshold.source.replace("|", "\\|") in text
    for cause in card.causes:
        assert f"`{cause.id}`<br>{cause.title}" in text
        assert f"| {cause.title} | " in text
        assert len(cause.remedies) == sum(f"{one}. " in text for one in range(1, len(cause.remedies) + 1))
        assert cause.title in " ".join(flat.split())
    for trap in card.traps:
        assert f"* {trap}" in text
    assert "{entity}" not in text + flat
    if card.rules:
        assert "When it is found" in parts(page)
        assert "What tells the causes apart" in parts(page) or not card.causes
        assert not card.causes or parts(page)[1] == "Causes, and what to do", "what is wanted first"
        assert parts(page).index("When it is found") > parts(page).index("Causes, and what to do")


@pytest.mark.parametrize("counter", COUNTERS, ids=lambda counter: counter.key)
def test_a_counter_tells_meaning_unit_and_who_has_it(counter) -> None:  # type: ignore[no-untyped-def]  # a Counter
    text = page_markdown(reference().pages["counter", counter.key])
    assert counter.meaning in text
    assert f"Unit: {counter.unit} (" in text
    for spelling in counter.esxtop:
        assert f"`{spelling.counter}`" in text
    for twin in counter.vcenter:
        assert f"`{twin.name}`" in text
        assert f"| {twin.level}/{twin.level_instance} |" in text
    assert counter.esxtop or counter.vcenter or counter.recorded_by or "How we know" in text


def test_what_a_problem_needs_names_both_sources() -> None:
    [needed] = [one for one in only("cpu.ready_high").sections if one.title == "Needed to be judged"]
    text = page_markdown(Page("problem", "x", "x", (needed,)))
    assert "[`cpu.ready`](counters.md#cpuready) | %RDY | cpu.ready.summation (level 1/3)" in text


def test_a_page_calls_things_by_their_names_and_each_counter_once() -> None:
    text = page_markdown(only("mem.compressing"))
    assert "Of a VM. Warning" in text
    assert text.count("mem.compressionRate.average") == 1
    assert "Of: VM, world, host." in page_markdown(only("mem.compress_rate"))


def test_causes_are_told_without_what_only_a_finding_fills_in() -> None:
    text = page_markdown(only("storage.vm_latency"))
    assert "Look at the IOPS limit of the VM's disks (storage policy" in text
    assert "look at what the backup left behind." in text
    assert "it's" not in text
    assert "[It is flat" not in text


def test_other_problems_are_named_by_their_titles() -> None:
    text = page_markdown(only("storage.vm_latency"))
    assert "* Explains: [vCPUs blocked in the VMkernel](#cpuvmwait) (same entity): " in text
    assert (
        "[A VM runs on a chain of snapshots](#storagesnapshots) (same entity), "
        "if its cause is “It runs on snapshots, or one is taken or merged”"
    ) in text


def test_the_help_heads_a_problem_by_its_title_once() -> None:
    lines = page_markdown(only("cpu.ready_high"), by_title=True).splitlines()
    assert lines[0] == "## High ready time"
    assert lines[2].startswith("The VM is ready to run")
    assert lines[-1] == "Commands and files call it `cpu.ready_high`."


def test_links_go_both_ways_and_lead_somewhere() -> None:
    pages = reference().pages
    for page in pages.values():
        for link in page_json(page)["links"]:  # type: ignore[attr-defined]  # a list of links
            assert (link["kind"], link["name"]) in pages, (page.name, link)
    links = page_json(only("cpu.ready"))["links"]
    assert {"kind": "problem", "name": "cpu.ready_high"} in links  # type: ignore[operator]
    links = page_json(only("cpu.ready_high"))["links"]
    assert {"kind": "counter", "name": "cpu.ready"} in links  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("cpu.ready", "cpu.ready"), ("%RDY", "cpu.ready"), ("%rdy", "cpu.ready"),
        ("cpu.readiness.average", "cpu.ready"), ("CPU ready", "cpu.ready"),
        ("Slow storage device", "storage.device_latency"), (" DAVG/cmd ", "disk.device_latency"),
    ],
)  # fmt: skip
def test_names_by_which_pages_are_found(name: str, found: str) -> None:
    assert only(name).name == found


def test_a_problem_and_a_counter_of_one_name_are_both_found() -> None:
    assert [page.kind for page in reference().named("cpu.costop")] == ["problem", "counter"]


def test_names_that_there_are_not() -> None:
    assert reference().named("") == []
    assert reference().named("xyzzy") == []
    assert "cpu.ready" in reference().near("cpu.redy")
    assert "storage.device_latency" in reference().near("device_laten")


def test_classes_of_storage_and_own_sets_are_told() -> None:
    shipped = page_markdown(only("storage.device_latency"))
    assert "| `latency_warn` | 10 ms<br>HDD: 15 ms<br>NVMe: 5 ms |" in shipped
    assert "Of a device of the class SSD or NVMe." in shipped
    own = page_markdown(only("storage.device_latency", own=True))
    assert "10 ms<br>HDD: 15 ms<br>SSD: 4 ms<br>NVMe: 5 ms" in own
    assert "SSD: SSD, yours v3 of 2026-11-22" in own
    assert "Yours that judge: SSD, yours v3 of 2026-11-22." in own


def test_lines_for_a_terminal_are_no_wider_than_asked() -> None:
    for width in (60, 80, 100):
        assert max(map(len, page_text(only("cpu.ready"), width))) <= width
    lines = page_text(only("cpu.ready"), 80)
    assert lines[0] == "cpu.ready: CPU ready"
    assert "In vCenter" in lines
    assert "| " not in "".join(lines)
