"""Evidence says what it is: each number of an entity has a name of its own, and none another quantity's."""

from __future__ import annotations

import pytest

from diagnosis.statistic_names import statistic_name
from resources.catalogue import load_catalogue
from resources.problem_cards import Card, Rule, load_problems
from tests.diagnosis.expert.scenarios import diagnosed, scenarios

CASES = [(card, rule) for card in load_problems().cards for rule in card.rules]


def named(one: tuple[Card, Rule]) -> str:
    return f"{one[0].id} {one[1].entity}"


@pytest.mark.parametrize("case", CASES, ids=named)
def test_no_two_numbers_of_an_entity_have_one_name(case: tuple[Card, Rule]) -> None:
    card, rule = case
    signals = card.signals_for(rule)
    meant: dict[tuple[str, str], set[str]] = {}
    for item in rule.evidence:
        signal = signals[item.signal]
        if item.what or signal.of in ("", "self"):
            meant.setdefault((item.what or item.counter or signal.counter, item.statistic), set()).add(
                item.signal
            )
    assert not {name: those for name, those in meant.items() if len(those) > 1}


@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_number_in_another_unit_than_its_counter_has_a_name(case: tuple[Card, Rule]) -> None:
    card, rule = case
    catalogue, signals = load_catalogue(), card.signals_for(rule)
    for item in rule.evidence:
        counter = item.counter or signals[item.signal].counter
        known = catalogue.get(counter) if counter else None
        threshold = card.thresholds.get(item.threshold)
        unit = item.unit or (threshold.unit if threshold else "")
        if known is not None and unit and not item.what:
            assert unit == known.unit, (item.signal, unit, counter, known.unit)


def test_every_statistic_is_told_in_words() -> None:
    """An admin does not read "calm" for the mean of the times before and after."""
    asked = {item.statistic for _, rule in CASES for item in rule.evidence} - {"", "mean"}
    assert asked
    assert not {one for one in asked if statistic_name(one) == one}


def test_two_rules_that_find_one_device_tell_each_number_once() -> None:
    """A flash device was slow by two rules, over other samples: its latency had two means on one card."""
    diagnosis = diagnosed(scenarios()["eighth-iops-limit-in-the-second-half"], "vcenter")
    (found,) = [one for one in diagnosis.findings if one.problem == "storage.device_latency"]
    told = [(one.what, one.counter, one.instance, one.statistic) for one in found.evidence]
    assert len(told) > 5
    assert len(told) == len(set(told))


@pytest.mark.parametrize("problem", ["cpu.host_saturated", "cpu.ready_high"])
def test_the_use_of_threads_is_not_called_what_a_vcenter_counts_of_cores(problem: str) -> None:
    """A full host's usage is 100 % of its cores, half of that of its threads: a chart shows the former."""
    (card,) = [one for one in load_problems().cards if one.id == problem]
    used = [item for rule in card.rules for item in rule.evidence if item.counter == "cpu.pcpu_used"]
    assert used
    assert {item.what for item in used} == {"Processor used, of each thread (PCPU USED)"}
