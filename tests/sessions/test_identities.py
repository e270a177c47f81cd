"""Who is who in a session: by what a source promises to keep; a name is only what something is called."""

from __future__ import annotations

from sessions.identities import MOID, UUID, Identities
from sessions.model import EntityRef, Fact

A, B = "4c4c4544-0032-5310-8052-b4c04f4d3632", "4c4c4544-0032-5310-8052-b4c04f4d3633"
NOBODY = "localhost.localdomain"
HOST = EntityRef("host", "esx01")


def test_two_that_have_the_same_name_are_two() -> None:
    known = Identities()
    first, second = (known.identify("host", [uuid], NOBODY) for uuid in (A, B))
    assert first == EntityRef("host", NOBODY)
    assert second == EntityRef("host", f"{NOBODY} (3633)")
    assert known.identify("host", [A], NOBODY) == first
    assert known.identify("host", [B], NOBODY) == second


def test_many_of_the_same_name_are_many() -> None:
    known = Identities()
    uuids = [f"{number:08x}-0000-0000-0000-000000003632" for number in range(5)]
    assert len({known.identify("host", [uuid], NOBODY) for uuid in uuids}) == 5


def test_one_that_is_renamed_is_the_same() -> None:
    known = Identities()
    assert known.identify("host", [A], "esx01") == HOST
    assert known.identify("host", [A], "esx01.lab") == HOST
    assert known.identify("host", [B], "esx01.lab") == EntityRef("host", "esx01.lab")


def test_sources_that_know_one_by_different_names_mean_the_same() -> None:
    """A vCenter knows its own id and the UUID; the host alone the UUID and another name."""
    known = Identities()
    assert known.identify("host", ["vc/host-12", A], "esx01") == HOST
    assert known.identify("host", [A], NOBODY) == HOST
    assert known.identify("host", ["vc/host-12"], "esx01") == HOST, "while its hardware can't be read"


def test_a_session_says_who_is_who() -> None:
    facts = [Fact(HOST, UUID, A, 1, 5), Fact(HOST, MOID, "vc/host-12", 1), Fact(HOST, "version", "8", 1)]
    known = Identities(facts)
    assert known.identify("host", [A], "esx01.lab") == HOST
    assert known.identify("host", [B], "esx01") == EntityRef("host", "esx01 (3633)")


def test_a_name_alone_is_taken_up_by_whoever_has_it_first() -> None:
    """A session of the first version, or a capture of esxtop: its hosts have names and nothing else."""
    known = Identities()
    assert known.identify("host", [A], "esx01") == HOST
    assert known.identify("host", [B], "esx01") != HOST
