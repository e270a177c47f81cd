"""“Would DRS help here?” of recordings of the lab: a host with too many VMs beside idle ones, and a busy
host.
"""

from __future__ import annotations

from pathlib import Path

from lab import Lab, find_scenario, load_scenarios
from resources.study_numbers import load_studies
from sessions.store import SessionReader, SessionWriter
from tests.gui.recordings import record
from wizards.flows.recorded_cluster import RecordedCluster, recorded_clusters
from wizards.flows.verdict import Verdict
from wizards.flows.verdicts import drs_record


def judged(cluster: RecordedCluster) -> Verdict:
    return drs_record.judge(cluster.hosts, cluster.vms, cluster.step_s, load_studies())


def test_a_host_with_too_many_vms_beside_idle_ones(tmp_path: Path) -> None:
    with SessionReader.open(record(tmp_path / "s.hscope", "cpu-saturated-too-many", 720.0)) as reader:
        (cluster,) = recorded_clusters(reader)
    lab = Lab(find_scenario(load_scenarios(), "cpu-saturated-too-many"), seed=1)
    assert [host.name for host in cluster.hosts] == list(lab.hosts)
    assert [host.cores for host in cluster.hosts] == [10.0] * 4  # 20 PCPUs each, with hyper-threading
    assert len(cluster.vms) == 70
    found = judged(cluster)
    assert found.valid
    assert found.line.startswith(("DRS would help here: about +", "DRS would help at times: about +"))
    assert "esx01.lab.local, wants" in found.sentence


def test_a_busy_host_that_serves_its_vms(tmp_path: Path) -> None:
    with SessionReader.open(record(tmp_path / "s.hscope", "lookalike-cpu-busy-host", 720.0)) as reader:
        (cluster,) = recorded_clusters(reader)
    found = judged(cluster)
    assert found.line == "DRS would bring nothing here: every host serves what its VMs want (~)."
    assert found.confidence == "indicative"


def test_a_session_without_samples_is_no_verdict(tmp_path: Path) -> None:
    path = tmp_path / "empty.hscope"
    with SessionWriter.create(path, title="empty", durable=False):
        pass
    with SessionReader.open(path) as reader:
        assert recorded_clusters(reader) == ()
    found = drs_record.judge([], [], 60.0, load_studies())
    assert found.line == "No verdict: no host with its cores was recorded."
