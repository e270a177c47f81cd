"""The scope: a value, and a history like a browser's."""

from __future__ import annotations

from app.gui.scope_model import ScopeModel
from sessions.model import EntityRef
from sessions.scope import Scope
from sessions.times import TimeRange

VM, HOST = EntityRef("vm", "a"), EntityRef("host", "esx1")
SPAN = TimeRange(0, 1_000)


def test_a_window_that_follows_keeps_its_length() -> None:
    scope = Scope().during(TimeRange(0, 100), follow=True)
    assert scope.window_in(SPAN) == TimeRange(900, 1_000)
    assert scope.window_in(TimeRange(0, 50)) == TimeRange(0, 50)
    assert scope.window_in(None) is None
    assert Scope().window_in(SPAN) == SPAN
    assert Scope(window=TimeRange(5_000, 6_000)).window_in(SPAN) is None


def test_a_single_instant_can_be_seen() -> None:
    assert Scope().window_in(TimeRange(5_000, 5_000)) == TimeRange(4_000, 5_000)
    assert Scope(window=TimeRange(0, 1_000)).window_in(TimeRange(1_000, 9_000)) == TimeRange(0, 1_000)


def test_entities_keep_their_order_and_do_not_repeat() -> None:
    assert Scope().on([HOST, VM, HOST]).entities == (HOST, VM)


def test_back_and_forward(qapp: object) -> None:
    model = ScopeModel()
    model.set(Scope().on([VM]))
    model.set(Scope().on([HOST]))
    assert (model.can_go_back, model.can_go_forward) == (True, False)
    model.back()
    assert model.scope.entities == (VM,)
    model.back()
    assert model.scope == Scope()
    assert not model.can_go_back
    model.forward()
    assert model.scope.entities == (VM,)
    model.set(Scope().on([HOST, VM]))
    assert not model.can_go_forward


def test_following_is_no_step(qapp: object) -> None:
    model = ScopeModel()
    model.set(Scope().during(TimeRange(0, 100), follow=True))
    seen: list[Scope] = []
    model.changed.connect(seen.append)
    for end in (200, 300):
        model.set(Scope().during(TimeRange(end - 100, end), follow=True))
    assert seen == []
    model.set(Scope().during(TimeRange(0, 200), follow=True))
    model.back()
    assert model.scope.window == TimeRange(0, 100)
    model.back()
    assert model.scope == Scope()


def test_a_drag_is_one_step(qapp: object) -> None:
    model = ScopeModel()
    seen: list[Scope] = []
    model.changed.connect(seen.append)
    for end in (10, 20, 30):
        model.set(Scope().during(TimeRange(0, end)), passing=True)
    model.set(Scope().during(TimeRange(0, 30)))
    assert len(seen) == 3
    model.set(Scope().during(TimeRange(5, 30)))
    model.back()
    assert model.scope.window == TimeRange(0, 30)
    model.back()
    assert model.scope == Scope()
