"""When a host's esxtop service is asked next: a busy machine of ours shifts instants and leaves none out."""

from __future__ import annotations

from collectors.esxtop_service.polling import next_request


def asked(took: dict[int, float], late: dict[int, float], interval_s: float, count: int = 8) -> list[float]:
    """When requests were sent: some answers took long, some requests were sent late (by number)."""
    due = at = 0.0
    found = []
    for number in range(count):
        began = at + late.get(number, 0.0)
        found.append(round(began, 2))
        due, at = next_request(due, began, began + took.get(number, 0.1), interval_s, 2.0)
    return found


def test_in_time() -> None:
    assert asked({}, {}, 5.0) == [0, 5, 10, 15, 20, 25, 30, 35]


def test_what_started_late_is_caught_up() -> None:
    assert asked({}, {1: 7.0}, 5.0) == [0, 12, 14.5, 17, 20, 25, 30, 35]


def test_at_the_hosts_own_least_interval_instants_shift() -> None:
    assert asked({}, {1: 2.5}, 2.0) == [0, 4.5, 6.5, 8.5, 10.5, 12.5, 14.5, 16.5]


def test_a_host_that_takes_longer_than_an_interval_is_asked_at_the_next_one() -> None:
    assert asked({1: 7.0}, {}, 5.0) == [0, 5, 15, 20, 25, 30, 35, 40]


def test_a_machine_that_slept_does_not_ask_for_what_is_over() -> None:
    assert asked({}, {1: 3600.0}, 5.0)[:4] == [0, 3605, 3610, 3615]
