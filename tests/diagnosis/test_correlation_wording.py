"""What an entity's part in a ranking is called."""

from __future__ import annotations

import pytest

from diagnosis.correlation.meeting import NOTHING
from diagnosis.correlation.movement import Move
from diagnosis.correlation.ranking import Group, Part, Ranked
from diagnosis.correlation.wording import part_words
from resources.correlation_roles import CounterRole
from sessions.model import EntityRef, Kind, Series, SeriesSpec


def group(kind: Kind, part: Part, role: CounterRole) -> Group:
    ref = EntityRef(kind, "one")
    move = Move(1, 0.9, 0.001, 1.0, 9.0, 8.0, 0.8, 0.0, 5.0, 2.0)
    lead = Ranked(
        Series(1, 1, SeriesSpec(ref, "x.y", "ms")), move, 0.9, role, None, NOTHING, 1.0, is_worse=True
    )
    return Group(ref, part, lead, ())


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (group("device", "shared", "effect"), "is slow itself"),
        (group("nic", "shared", "effect"), "is slow itself"),
        (group("host", "shared", "effect"), "where it meets"),
        (group("device", "shared", "load"), "where it meets"),
        (group("vm", "culprit", "load"), "makes the load"),
    ],
)
def test_a_lun_may_be_slow_itself_a_host_is_where_vms_meet(one: Group, words: str) -> None:
    assert part_words(one) == words
