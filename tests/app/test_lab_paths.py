"""Two ways from the lab to a session, straight and through a capture, lead to the same findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.commands.diagnose import diagnose_file
from collectors.esxtop.importing import import_captures
from lab import FieldSet, Lab, export_lab, find_scenario, load_scenarios, record_lab
from sessions.findings import Finding
from sessions.store import SessionWriter

SCENARIOS: dict[str, FieldSet] = {
    "mem-swapping-tools-missing": "diagnosis",
    "cpu-limit-vm": "default",
    "storage-latency-noisy-neighbour": "diagnosis",
    "net-tx-drops-uplink-saturated": "all",
}
SEED = 4


def told(finding: Finding) -> tuple[object, ...]:
    """Everything that an admin reads of a finding."""
    return (
        finding.problem,
        finding.severity,
        finding.entity,
        finding.windows,
        finding.conclusion,
        finding.evidence,
        finding.causes,
        finding.notes,
    )


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_capture_of_the_lab_is_found_to_have_what_the_lab_has(name: str, tmp_path: Path) -> None:
    scenario, fields = find_scenario(load_scenarios(), name), SCENARIOS[name]
    with SessionWriter.create(tmp_path / "direct.hscope") as writer:
        record_lab(Lab(scenario, seed=SEED, fields=fields), writer)
    export_lab(Lab(scenario, seed=SEED, fields=fields), tmp_path / "capture.csv")
    import_captures([tmp_path / "capture.csv"], tmp_path / "imported.hscope", workers=1)
    direct, imported = (
        [told(finding) for finding in diagnose_file(tmp_path / f"{way}.hscope", knowledge=[]).findings]
        for way in ("direct", "imported")
    )
    assert direct == imported
    assert {finding[0] for finding in direct} >= {
        truth.problem for truth in Lab(scenario, seed=SEED).truth().truth
    }
