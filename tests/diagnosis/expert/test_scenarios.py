"""Scenarios written by an expert who never saw the cards, held against what the product says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from collectors.esxtop.importing import import_captures
from diagnosis import diagnose_session
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.store import SessionReader
from tests.diagnosis.expert.esxtop_view import write_capture
from tests.diagnosis.expert.known_misses import known_misses
from tests.diagnosis.expert.scenarios import START_MS, View, diagnosed, judged, scenarios, site_of, views
from tests.some_of_many import one_in


@pytest.mark.parametrize(("name", "view"), one_in(3, views()))
def test_the_product_judges_as_the_expert_does(name: str, view: View) -> None:
    """Every claim holds but the known misses, and each of those is still wrong."""
    known = known_misses().get((name, view), {})
    wrong = {one.key: one for one in judged(name, view) if not one.is_right}
    surprises = [
        f"{key}: {one.text}; instead: {one.instead}" for key, one in wrong.items() if key not in known
    ]
    mended = [f"{key} is right now: take it off known_misses.toml" for key in known if key not in wrong]
    assert not surprises + mended, "\n".join(surprises + mended)


def test_every_known_miss_is_of_a_scenario() -> None:
    assert set(known_misses()) <= set(views())


def test_a_scenario_is_judged_alike_from_a_file_and_from_memory(tmp_path: Path) -> None:
    """The capture, written as esxtop writes it and imported, gives the same findings."""
    one = scenarios()["device-slow-all-vms"]
    site = site_of(one, one.interval_s)
    files = []
    for host in site.of("host"):
        files.append(tmp_path / f"{host.name}.csv")
        write_capture(site, host, files[-1], START_MS / 1000)
    out = tmp_path / "expert.hscope"
    import_captures(files, out, workers=0)
    with SessionReader.open(out) as reader:
        stored = diagnose_session(reader, load_problems(), load_catalogue())
    in_memory = diagnosed(one, "esxtop")
    told = [(each.problem, each.entity_name, each.severity) for each in stored.findings]
    assert told == [(each.problem, each.entity_name, each.severity) for each in in_memory.findings]
    assert told
