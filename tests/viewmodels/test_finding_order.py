"""Which findings stand first, which are folded beneath them, and how the others are counted."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.widgets.findings import HOSTS, A, B, D, finding, row
from viewmodels.finding_labels import main_evidence
from viewmodels.finding_order import VisibleFindings, families, identity, main_causes, plan_rows
from viewmodels.held_findings import news_label


def test_the_foremost_are_of_all_problems() -> None:
    rows = [*(finding(f"vm{number}") for number in range(9)), replace(D, problem="other")]
    assert [(one.entity_name, alike) for one, alike in main_causes(rows, 4)] == [
        ("vm0", 0), ("vm1", 0), ("vm2", 6), ("d", 0),
    ]  # fmt: skip
    assert main_causes(rows, 1) == [(rows[0], 8)]
    assert main_causes([], 4) == []


def test_foremost_rows_are_those_of_the_worst_instance() -> None:
    found = main_evidence(finding("x", evidence=HOSTS), 6)
    assert {one.instance for one in found} == {"esx4"}
    assert len(found) == 4
    few = main_evidence(finding("x", evidence=HOSTS[:5]), 6)
    assert list(few) == HOSTS[:5]
    plain = [row(str(number), 1.0, None) for number in range(9)]
    assert main_evidence(finding("x", evidence=plain), 6) == plain[:6]


def test_what_waits_is_counted_by_causes() -> None:
    follows = [finding(f"vm{number}", "warning", cause=A) for number in range(9)]
    known = [replace(finding(name, "info"), problem="other") for name in "xyz"]
    assert news_label([A], [A, B]) == "1 new finding"
    assert news_label([A, B, *follows, *known], [A, B, *follows, *known]) == "2 new findings"
    assert news_label([*known, *follows], [A, *follows, *known]) == "3 new to know of"
    assert news_label(follows, [A, *follows]) == "9 new that follow"
    assert news_label(follows[:1], [A, *follows]) == "1 new that follows"


NAMES = st.lists(st.sampled_from("abcdef"), unique=True)


@given(names=NAMES, links=st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("abcdef")))
def test_every_finding_is_somewhere_once(names: list[str], links: dict[str, str]) -> None:
    findings = [finding(name, cause=finding(links[name]) if name in links else None) for name in names]
    groups = families(findings)
    everything = {identity(one) for one in findings}
    inside = [identity(one) for members in groups.values() for one in members]
    assert sorted([*groups, *inside], key=str) == sorted(everything, key=str)
    shown = VisibleFindings(unfolded=everything, alike={("cpu.limit", "critical"): 100})
    rows, left = plan_rows(findings, groups, shown)
    assert sorted((identity(row.finding) for row in rows), key=str) == sorted(everything, key=str)
    assert left == 0
    few, left = plan_rows(findings, groups, VisibleFindings(causes=2))
    announced = left + sum(row.hidden for row in few)
    assert announced + sum(row.what == "cause" for row in few) == len(groups)
