"""Failures: three parts, one exit code each, and they survive the way home from a worker process."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

from resources import failures
from resources.failures import HyperscopeError


def kinds(top: type[HyperscopeError] = HyperscopeError) -> Iterator[type[HyperscopeError]]:
    """The tree as it is drawn; collectors derive kinds of their own that keep its exit codes."""
    yield top
    for kind in top.__subclasses__():
        if kind.__module__ == failures.__name__:
            yield from kinds(kind)


def test_every_failure_has_an_exit_code_of_its_own() -> None:
    codes = [kind.exit_code for kind in kinds()]
    assert len(codes) == len(set(codes))
    assert all(0 < code < 256 for code in codes)


def test_the_tree_in_the_docstring_is_complete() -> None:
    drawn = failures.__doc__ or ""
    for kind in kinds():
        line = next(line for line in drawn.splitlines() if f" {kind.__name__} " in f" {line.strip('│├└─ ')} ")
        assert kind is HyperscopeError or str(kind.exit_code) in line


@pytest.mark.parametrize("kind", list(kinds()))
def test_a_failure_reads_as_what_happened_what_it_means_what_to_try(kind: type[HyperscopeError]) -> None:
    failure = kind("The disk is full.", meaning="Nothing was kept.", advice="Make room.")
    assert str(failure) == "The disk is full. Nothing was kept. Make room."
    home = pickle.loads(pickle.dumps(failure))
    assert (type(home), str(home), home.advice) == (kind, str(failure), "Make room.")
