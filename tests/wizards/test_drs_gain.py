"""“Would DRS help here?” of sessions in the study's placements: numbers worked out by hand from the capacity
model of tests.md W3, not by the program.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from collectors.esxtop.importing import import_captures
from resources.failures import NotFoundError
from resources.study_numbers import load_studies
from sessions.store import SessionReader
from sessions.times import TimeRange
from tests.gui.recordings import capture
from tests.wizards.recorded_placements import T0, write
from wizards.flows.drs_gain import ClusterGain, cluster_gains

WORST = ("4H", "4H", "4L", "4L")
MIDDLE = ("4H", "2H2L", "2H2L", "4L")
LEAST = ("3H1L", "2H2L", "2H2L", "1H3L")
EVEN = ("2H2L", "2H2L", "2H2L", "2H2L")


def gains(path: Path, window: TimeRange | None = None, cluster: str = "") -> tuple[ClusterGain, ...]:
    with SessionReader.open(path) as reader:
        return cluster_gains(reader, load_studies(), window, cluster)


@pytest.mark.parametrize(
    ("placed", "gain", "demands", "line"),
    [
        # Four heavy VMs want 4 x 2.8 = 11.2 of 8 cores, four light ones 1.6: 25.6 in all. Served are
        # 8 + 8 + 1.6 + 1.6 = 19.2; balanced all of it. 25.6 / 19.2 = 1.333.
        (WORST, 33.3, [140, 140, 20, 20], "DRS would help here: about +33.3 % by "),
        # 8 + 6.4 + 6.4 + 1.6 = 22.4; 25.6 / 22.4 = 1.143.
        (MIDDLE, 14.3, [140, 80, 80, 20], "DRS would help here: about +14.3 % by "),
        # 3H1L wants 8.8 of 8: 8 + 6.4 + 6.4 + 4 = 24.8; 25.6 / 24.8 = 1.032.
        (LEAST, 3.2, [110, 80, 80, 50], "DRS would bring little here: about +3.23 %"),
        (EVEN, 0.0, [80, 80, 80, 80], "DRS would bring nothing here"),
    ],
)
def test_the_gain_that_the_capacity_model_gives_by_hand(
    tmp_path: Path, placed: tuple[str, ...], gain: float, demands: list[float], line: str
) -> None:
    (found,) = gains(write(tmp_path / "s.hscope", {"Perf": placed}))
    assert found.scope == "Cluster Perf: 4 hosts, 16 VMs, 29 min 40 s recorded"
    # Every sample is the same and a full host can serve all after the moves, within the last 2 % of the gain.
    assert found.gain == pytest.approx(gain, abs=0.02 * gain + 0.05)
    assert [one.now for one in found.hosts()] == pytest.approx(demands, abs=0.1)
    assert found.verdict.line.startswith(line)
    assert found.verdict.confidence == "indicative"
    assert max(one.after for one in found.hosts()) < 103


def test_what_would_move_where(tmp_path: Path) -> None:
    (found,) = gains(write(tmp_path / "s.hscope", {"Perf": LEAST}))
    moves = list(found.moves())
    # 110, 80, 80 and 50 %: one heavy VM of the first host for a light one of the last evens all of it out.
    assert {(one.before, one.after, round(one.cores, 2)) for one in moves} == {
        ("perf1.example.com", "perf4.example.com", 2.8),
        ("perf4.example.com", "perf1.example.com", 0.4),
    }
    assert moves[0].vm.startswith("Perf-1h")
    assert found.short(moves[0].before) == "perf1"


def test_a_balanced_cluster_moves_nothing(tmp_path: Path) -> None:
    (found,) = gains(write(tmp_path / "s.hscope", {"Perf": EVEN}))
    assert list(found.moves()) == []


def test_each_cluster_is_judged_by_itself_the_one_that_gains_most_first(tmp_path: Path) -> None:
    path = write(tmp_path / "s.hscope", {"Even": EVEN, "Worst": WORST})
    first, second = gains(path)
    assert (first.recorded.name, second.recorded.name) == ("Worst", "Even")
    assert len(first.recorded.hosts) == len(second.recorded.hosts) == 4
    assert second.gain == pytest.approx(0.0)
    (named,) = gains(path, cluster="Even")
    assert named.verdict.line == second.verdict.line
    with pytest.raises(NotFoundError, match="no cluster Perf") as caught:
        gains(path, cluster="Perf")
    assert "Even, Worst" in str(caught.value)


def test_vms_of_one_name_are_still_several(tmp_path: Path) -> None:
    (found,) = gains(write(tmp_path / "s.hscope", {"Perf": WORST}, names="clone"))
    assert [one.now for one in found.hosts()] == pytest.approx([140, 140, 20, 20], abs=0.1)
    assert found.gain == pytest.approx(33.3, abs=0.8)


def test_a_part_of_the_time_is_judged_alone_and_must_be_long_enough(tmp_path: Path) -> None:
    path = write(tmp_path / "s.hscope", {"Perf": WORST})
    (found,) = gains(path, TimeRange(T0, T0 + 900_000))
    assert found.verdict.figures[0].n == 15
    (short,) = gains(path, TimeRange(T0, T0 + 300_000))
    assert short.verdict.line == "No verdict: too little was recorded."
    assert (list(short.hosts()), list(short.moves())) == ([], [])


def test_one_host_has_nowhere_to_move_vms_to(tmp_path: Path) -> None:
    (found,) = gains(write(tmp_path / "s.hscope", {"Perf": ("4H",)}))
    assert found.verdict.line == "No verdict: there is one host only."
    assert "esxtop on each of them" in found.verdict.why


def test_without_cpu_counters_of_vms_there_is_no_verdict(tmp_path: Path) -> None:
    (found,) = gains(write(tmp_path / "s.hscope", {"Perf": WORST}, counters=("cpu.ready",)))
    assert found.verdict.line == "No verdict: no CPU counters of VMs were recorded."


def test_esxtop_captures_of_all_hosts_of_a_cluster(tmp_path: Path) -> None:
    file = capture(tmp_path / "all.csv", "cpu-saturated-too-many", 720.0, host="esx01.lab.local")
    other = capture(tmp_path / "other.csv", "cpu-saturated-too-many", 720.0, host="esx02.lab.local")
    import_captures([file, other], tmp_path / "s.hscope", workers=0)
    (found,) = gains(tmp_path / "s.hscope")
    assert found.title == "The hosts of this session"
    assert found.verdict.line.startswith("DRS would help")
    assert {one.before for one in found.moves()} >= {"esx01.lab.local"}
