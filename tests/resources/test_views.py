"""Knowledge of the views: it names only what cards and catalogue have."""

from __future__ import annotations

from pathlib import Path

import pytest

from resources.catalogue import load_catalogue
from resources.failures import KnowledgeError
from resources.problem_cards import load_problems
from resources.views import load_chart_templates, load_limits, load_overview, load_screens


def test_ready_is_coloured_by_the_card_of_ready() -> None:
    limits = load_limits(load_problems()).of("cpu.ready", "vm")
    assert limits is not None
    assert limits.problem == "cpu.ready_high"
    assert [limits.state(value) for value in (4.9, 5.1, 10.1, float("nan"))] == [
        "",
        "warning",
        "critical",
        "",
    ]
    assert load_limits(load_problems()).of("cpu.ready", "datastore") is None


def test_every_limit_has_a_source() -> None:
    problems, catalogue = load_problems(), load_catalogue()
    limits = load_limits(problems)
    assert len(limits) > 30
    for (counter, kind), found in limits.items():
        known = catalogue.get(counter)
        assert known is not None, counter
        assert kind in known.entities, (counter, kind)
        assert found.warning.source
        assert found.warning.unit == known.unit, counter


def test_charts_are_of_counters_that_exist() -> None:
    kinds = {kind for template in load_chart_templates(load_catalogue()) for kind in template.on}
    assert {"vm", "host", "device", "datastore", "nic"} <= kinds


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[[limit]]\ncounter="cpu.ready"\nkinds=["vm"]\nwarning="cpu.ready_high/nobody"', "nobody"),
        ('[[limit]]\ncounter="cpu.ready"\nwarning="x/y"', "kinds"),
    ],
)
def test_a_limit_that_no_card_has(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "limits.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(KnowledgeError, match=says):
        load_limits(load_problems(), path)


@pytest.mark.parametrize(
    ("screen", "leading"),
    [
        ("cpu", ["%RDY", "%CSTP", "%MLMTD", "%USED", "%RUN"]),
        ("memory", ["MCTLSZ", "SWCUR", "SWR/s", "SWW/s", "ZIP/s"]),
        ("adapter", ["DAVG/cmd", "KAVG/cmd", "GAVG/cmd", "QAVG/cmd"]),
        ("device", ["DAVG/cmd", "KAVG/cmd", "GAVG/cmd", "QAVG/cmd", "ACTV", "QUED"]),
        ("vdisk", ["LAT/rd", "LAT/wr", "CMDS/s"]),
        ("network", ["%DRPTX", "%DRPRX"]),
    ],
)
def test_a_screen_leads_with_what_decides(screen: str, leading: list[str]) -> None:
    catalogue = load_catalogue()
    [found] = [one for one in load_screens(catalogue) if one.id == screen]
    titles = [known.short for key in found.standard if (known := catalogue.get(key))]
    assert titles[: len(leading)] == leading
    assert set(found.classic) <= {*found.standard, *found.more}
    assert len(set(found.standard)) == len(found.standard)


def test_the_overview_charts_both_directions_of_the_network() -> None:
    """An uplink that sends 10 Gbit/s stood beside a chart of what is received: 0.1 Gbit/s."""
    charted = {counter for chart in load_overview(load_catalogue()).chart for _, counter in chart.counters}
    assert {"net.mbits_tx", "net.mbits_rx"} <= charted
