"""A VM that is made while a vCenter is recorded is judged from its own first sample on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from diagnosis import diagnose_session
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.store import SessionReader
from tests.recorder.conftest import Record
from tests.recorder.vcenters import record_vcenter, rounds
from tests.vcenter.conftest import start_vcenter, vcenter
from tests.vcenter.running import TestVCenter

__all__ = ["start_vcenter", "vcenter"]

QUICK = """[rules.{}]
warning = {{ hold_s = 3, of_s = 3 }}
critical = {{ hold_s = 3, of_s = 3 }}
clear_s = 3
coverage = 0.5
source = "DESIGN: a test"
"""


def hasty_knowledge(folder: Path) -> Path:
    """Problems that last three seconds: the server samples each second."""
    (folder / "problems").mkdir(parents=True)
    names = load_problems().sustained
    (folder / "problems" / "_sustained.toml").write_text(
        "\n".join(QUICK.format(name) for name in names), encoding="utf-8"
    )
    return folder


@pytest.mark.slow
def test_a_new_vm_is_judged_from_its_first_sample_on(
    record: Record, session_path: Path, vcenter: TestVCenter, tmp_path: Path
) -> None:
    recorder = record_vcenter(record, session_path, vcenter)
    rounds(recorder, 8)
    vcenter.fault("vm_created", name="late01", host="esx0001.lab", vcpus=2)
    rounds(recorder, 8)
    recorder.say(do="stop")
    assert recorder.end()["code"] == 0
    problems = load_problems((hasty_knowledge(tmp_path / "knowledge"),))
    with SessionReader.open(session_path) as reader:
        found = diagnose_session(reader, problems, load_catalogue())
        refs = {entity.name: ref for ref, entity in reader.entities().items() if ref.kind == "vm"}
        late = [one.id for one in reader.series() if one.entity == refs["late01"]]
        others = [one.id for one in reader.series() if one.entity == refs["vm-00001"]]
        late_stats, other_stats = reader.stats(np.array(late)), reader.stats(np.array(others))
    assert 0 < late_stats.count.max() < other_stats.count.max() / 2, "it came in the middle"
    lacking = [one.entity_name for one in found.findings if one.problem == "data.insufficient"]
    assert "late01" not in lacking
    reach = found.reach[refs["late01"]]
    assert reach.problems > 0
    assert reach.to == found.reach[refs["vm-00001"]].to
