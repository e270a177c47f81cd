"""A scenario that is recorded by hosts' esxtop service is diagnosed as what it is, and as nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.judging import judge
from collectors.esxtop_service.importing import SessionFeed
from collectors.esxtop_service.reply import decode
from collectors.esxtop_service.sampling import Sampler
from collectors.esxtop_service.series import HostSeries
from diagnosis import diagnose_session
from lab import Lab, load_scenarios
from lab.esxtop_service import is_up, services_of
from lab.service_lines import lab_counter_info
from resources.catalogue import load_catalogue
from resources.problem_cards import load_problems
from sessions.model import SourceSpec
from sessions.store import SessionReader, SessionWriter
from tests.some_of_many import others

pytestmark = pytest.mark.slow
SEED = 2


def recorded(scenario: str, path: Path) -> Lab:
    """Record a scenario's hosts by their services, from its beginning to its end."""
    lab = Lab(load_scenarios()[scenario], seed=SEED, fields="all")
    with SessionWriter.create(path, durable=False, bulk=True) as writer:
        feed, hosts = SessionFeed(writer), []
        for service in services_of(lab):
            source = writer.add_source(SourceSpec("esxtop", service.name, lab.interval_s))
            hosts.append((service, Sampler(service.name), HostSeries(feed, source, load_catalogue())))
        for _ in range(round(lab.duration_s / lab.interval_s)):
            is_taken = lab.tick() is not None
            for number, (service, sampler, series) in enumerate(hosts):
                service.step()
                if not is_taken or not is_up(lab, number):
                    sampler.forget()
                    continue
                reply = decode(service.reply(), lab_counter_info())
                sample = sampler.add(reply)
                if sample is not None:
                    series.add(sample, reply)
    return lab


@pytest.mark.parametrize("scenario", ["cpu-ready-low-shares", *others("storage-queue-lun-depth")])
def test_the_findings_are_the_scenarios_truth(scenario: str, tmp_path: Path) -> None:
    lab = recorded(scenario, tmp_path / "S.hscope")
    with SessionReader.open(tmp_path / "S.hscope") as session:
        found = diagnose_session(session, load_problems(), load_catalogue()).findings
    scores = judge(lab.truth().seen_in("esxtop"), found, lab.start_ms, scenario, 5.0, lacks_counters=False)
    assert [miss for score in scores.values() for miss in score.misses] == []
    assert found
