"""The expression language: what it computes, what it refuses, and that bounds never prune a true sample."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diagnosis import arrays, entity_statistics
from diagnosis.evaluate import Bounds, Operands, bound, evaluate
from diagnosis.language import ExpressionError, Shape, parse, settled
from sessions.model import FloatArray

NAN = float("nan")
NAMES = {"a": Shape.SERIES, "b": Shape.SERIES, "limit": Shape.CONSTANT, "vcpus": Shape.ENTITY}


def operands(a: list[float], b: list[float] | None = None, windows: list[bool] | None = None) -> Operands:
    first = np.array([a])
    second = np.array([b if b is not None else [0.0] * len(a)])
    mask = np.array([windows]) if windows else np.ones(first.shape, dtype=bool)
    times = np.arange(len(a), dtype=np.int64) * 5000
    values: dict[str, FloatArray | float] = {
        "a": first,
        "b": second,
        "limit": 5.0,
        "vcpus": np.array([[4.0]]),
    }
    return Operands(values, times, first.shape, mask)


def value(
    text: str, a: list[float], b: list[float] | None = None, windows: list[bool] | None = None
) -> list[float]:
    result = evaluate(parse(text, NAMES), operands(a, b, windows))
    return [float(one) for one in np.atleast_1d(np.squeeze(result))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b * 2", [3.0, 6.0, NAN]),
        ("a - -b", [2.0, 4.0, NAN]),
        ("a / b", [1.0, 1.0, NAN]),
        ("a / (b - b)", [NAN, NAN, NAN]),
        ("a / (b - 9)", [NAN, NAN, NAN]),  # "600 % of −1 MB" is a counter that says it knows nothing
        ("b / (b * 0.000000000001)", [NAN, NAN, NAN]),
        ("a > 1", [0.0, 1.0, NAN]),
        ("0 < a <= 1", [1.0, 0.0, NAN]),
        ("a > limit or b > 1", [0.0, 1.0, 1.0]),
        ("a > 0 and b > 2", [0.0, 0.0, NAN]),
        ("a > 9 and b > 0", [0.0, 0.0, NAN]),
        ("not a > 1", [1.0, 0.0, NAN]),
        ("max(a, b, 2)", [2.0, 2.0, NAN]),
        ("min(a, vcpus)", [1.0, 2.0, NAN]),
        ("abs(a - 2)", [1.0, 0.0, NAN]),
        ("coalesce(a, b)", [1.0, 2.0, 3.0]),
        ("where(b > 1, 10, a)", [1.0, 10.0, 10.0]),
        ("where(a > 1, 10, 20)", [20.0, 10.0, NAN]),
        ("where(missing(a), 7, 8)", [8.0, 8.0, 7.0]),
        ("where(b > 2, a, unknown)", [NAN, NAN, NAN]),
    ],
)
def test_absent_samples_are_neither_true_nor_false(text: str, expected: list[float]) -> None:
    assert value(text, [1.0, 2.0, NAN], [1.0, 2.0, 3.0]) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mean(a)", 15.0),
        ("max(a)", 20.0),
        ("min(a)", 10.0),
        ("p95(a)", 20.0),
        ("p05(a)", 10.0),
        ("last(a)", 20.0),
        ("sum(a)", 30.0),
        ("share(a > 15)", 0.5),
        ("seconds(a > 15)", 5.0),
        ("calm(a)", 50.5),
        ("overall(a)", 32.75),
        ("final(a)", 100.0),
        ("mean(a) / limit", 3.0),
        ("correlation(a, a)", NAN),  # four pairs are too few
        ("slope(a - a)", 0.0),
    ],
)
def test_statistics_look_at_the_windows(text: str, expected: float) -> None:
    got = value(text, [1.0, 10.0, NAN, 20.0, 100.0], windows=[False, True, True, True, False])
    assert got == pytest.approx([expected], nan_ok=True)


def test_a_name_may_stand_for_a_test() -> None:
    assert parse("not busy", {"busy": Shape.ENTITY}, {"busy"}).truth
    with pytest.raises(ExpressionError, match="not a quantity"):
        parse("busy + 1", {"busy": Shape.ENTITY}, {"busy"})
    with pytest.raises(ExpressionError, match="not true or false"):
        parse("not busy", {"busy": Shape.ENTITY})


def test_trailing_and_around_are_means_over_time() -> None:
    ramp = [0.0, 10.0, 20.0, 30.0, 40.0]
    assert value("trailing(a, 10)", ramp) == [0.0, 5.0, 15.0, 25.0, 35.0]
    assert value("around(a, 10)", ramp) == [5.0, 10.0, 20.0, 30.0, 35.0]
    assert value("trailing(a, 10)", [0.0, NAN, 20.0]) == pytest.approx([0.0, NAN, 20.0], nan_ok=True)


def test_slope_is_per_hour_and_correlation_has_a_sign() -> None:
    ramp = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert value("slope(a)", ramp) == pytest.approx([720.0])
    ramp += [6.0, 7.0]
    assert value("correlation(a, b)", ramp, ramp[::-1]) == pytest.approx([-1.0])


def test_seven_pairs_are_too_few_for_a_correlation() -> None:
    """Half an hour of five minutes: what rises together in it does so by chance."""
    ramp = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert np.isnan(value("correlation(a, a)", ramp)).all()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("__import__('os').system('true')", "not allowed"),
        ("a.__class__", "not allowed"),
        ("a[0]", "not allowed"),
        ("'text'", "not allowed"),
        ("True", "not allowed"),
        ("1j", "not allowed"),
        ("lambda: 1", "not allowed"),
        ("[a]", "not allowed"),
        ("a if b else 1", "not allowed"),
        ("(a := 1)", "not allowed"),
        ("a ** 9 ** 9 ** 9", "not allowed"),
        ("a % b", "not allowed"),
        ("a is b", "not allowed"),
        ("mean(a=1)", "not allowed"),
        ("mean(*a)", "not allowed"),
        ("exec(a)", "no function 'exec'"),
        ("c + 1", "no signal or threshold 'c'"),
        ("mean(limit)", "has samples"),
        ("mean(mean(a))", "has samples"),
        ("mean(a, b)", "1 to 1 arguments"),
        ("share(a)", "not true or false"),
        ("not a", "not true or false"),
        ("a and b", "not true or false"),
        ("(a > 1) + 1", "not a quantity"),
        ("trailing(a, b)", "takes something"),
        ("trailing(limit, 5)", "takes something"),
        ("trailing(a)", "takes a signal and seconds"),
        ("1e999", "not finite"),
        ("9" * 400, "too large"),
        ("a +", "is not an expression"),
        ("", "is not an expression"),
        ("a\x00b", "is not an expression"),
        ("(" * 300 + "a" + ")" * 300, "is not an expression"),
        ("-" * 100 + "a", "nested deeper"),
        ("-" * 1900 + "a > 0", "nested deeper|is not an expression"),
        ("a" + ".b" * 900, "nested deeper"),
        ("a" + "()" * 900, "nested deeper"),
        ("a" + "[0]" * 600, "nested deeper"),
        ("a**" * 600 + "a", "nested deeper"),
        ("[" * 190 + "a" + "]" * 190, "nested deeper"),
        ("lambda:" * 250 + "a", "nested deeper"),
        ("a if b else " * 150 + "a", "nested deeper"),
        ("a" + " + a" * 3000, "longer than"),
    ],
)
def test_anything_else_is_refused(text: str, says: str) -> None:
    with pytest.raises(ExpressionError, match=says):
        parse(text, NAMES)


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_text_does_anything_but_parse_or_be_refused(text: str) -> None:
    with contextlib.suppress(ExpressionError):
        parse(text, NAMES)


def _combine(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: f"({p[0]} + {p[1]})"),
        pair.map(lambda p: f"({p[0]} - {p[1]})"),
        pair.map(lambda p: f"({p[0]} * {p[1]})"),
        pair.map(lambda p: f"({p[0]} / {p[1]})"),
        pair.map(lambda p: f"min({p[0]}, {p[1]})"),
        pair.map(lambda p: f"max({p[0]}, {p[1]})"),
        pair.map(lambda p: f"coalesce({p[0]}, {p[1]})"),
        inner.map(lambda one: f"abs(-{one})"),
        inner.map(lambda one: f"trailing(a + 0 * {one}, 10)"),
        st.tuples(inner, inner, inner).map(lambda p: f"where({p[0]} >= 1, {p[1]}, {p[2]})"),
    )


quantities = st.recursive(st.sampled_from(["a", "b", "limit", "2", "0.5", "unknown"]), _combine, max_leaves=6)
comparisons = st.tuples(quantities, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), quantities).map(
    " ".join
)
tests = st.recursive(
    st.one_of(comparisons, quantities.map(lambda one: f"missing({one})")),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: f"({p[0]} and {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]} or {p[1]})"),
        inner.map(lambda one: f"(not {one})"),
    ),
    max_leaves=4,
)
samples = st.lists(st.one_of(st.just(NAN), st.integers(-4, 8).map(float)), min_size=4, max_size=4)


@given(tests, samples, samples)
@settings(max_examples=600, deadline=None)
def test_bounds_never_rule_out_a_sample_that_is_true(text: str, a: list[float], b: list[float]) -> None:
    node = parse(text, NAMES)
    page = operands(a, b)
    true = np.broadcast_to(evaluate(node, page), (1, 4)) == 1
    bounds = {
        name: Bounds(np.fmin.reduce(page.values[name], axis=1), np.fmax.reduce(page.values[name], axis=1))
        for name in ("a", "b")
    }
    bounds["limit"] = Bounds(np.asarray(5.0), np.asarray(5.0))
    possible = np.broadcast_to(bound(node, bounds).high, (1,)) == 1
    assert possible[0] or not true.any()


def test_nested_expressions_are_refused_however_little_room_is_left_for_calls() -> None:
    def deep(calls: int, text: str) -> None:
        if calls:
            deep(calls - 1, text)
        else:
            parse(text, NAMES)

    for text in ("a" + ".b" * 900, "lambda:" * 250 + "a", "-" * 1900 + "a"):
        for calls in (0, 300, 600):
            with pytest.raises(ExpressionError):
                deep(calls, text)


@pytest.mark.parametrize("text", ["a", "a * b + limit", "trailing(a, 60)", "a > limit"])
def test_statistics_of_windows_are_the_same_however_much_is_read(text: str) -> None:
    """Of the windows' time alone, of all samples, or of those until somebody looked: the same to the bit."""
    chance = np.random.default_rng(len(text))
    a, b = chance.normal(5, 3, (3, 997)), chance.normal(0, 1e4, (3, 997))
    a[chance.random(a.shape) < 0.05] = np.nan
    times = np.cumsum(chance.integers(4000, 6000, 997))
    mask = np.zeros(a.shape, np.bool_)
    mask[0, 211:390] = mask[1, 300:301] = mask[1, 500:777] = True  # the third has no window
    known = Operands({"a": a, "b": b, "limit": 5.0, "vcpus": 4.0}, times, a.shape, mask)
    values = evaluate(parse(text, NAMES), known)
    weights = arrays.sample_seconds(times)
    expected = {
        "mean": entity_statistics.mean(values, mask),
        "sum": entity_statistics.total(values, mask),
        "max": entity_statistics.maximum(values, mask),
        "min": entity_statistics.minimum(values, mask),
        "p95": entity_statistics.percentile(values, mask, 0.95),
        "last": entity_statistics.last(values, mask),
    }
    if text == "a > limit":
        expected = {
            "share": entity_statistics.mean(values, mask),
            "seconds": entity_statistics.seconds(values, mask, weights),
        }
    earlier = Operands(
        {"a": a[:, :801], "b": b[:, :801], "limit": 5.0, "vcpus": 4.0}, times[:801], (3, 801), mask[:, :801]
    )
    for name, found in expected.items():
        node = parse(f"{name}({text})", NAMES)
        assert evaluate(node, known).tobytes() == found.tobytes()
        assert evaluate(node, earlier).tobytes() == found.tobytes()


def test_a_fact_beside_statistics_is_what_it_was_for_most_of_the_windows() -> None:
    text = "where(a > limit, mean(a) + b, mean(where(b > 4, a, unknown)))"
    fact, load = [9.0, 9.0, 9.0, 2.0, 2.0], [1.0, 2.0, 3.0, 4.0, 5.0]
    test = settled(parse("b > limit", NAMES), {"b"})
    assert test.shape is Shape.ENTITY
    assert evaluate(test, operands(load, fact)).tolist() == [[1.0]]
    assert evaluate(test, operands(load, fact, [False, False, True, True, True])).tolist() == [[0.0]]
    inside = settled(parse("mean(where(b > 4, a, unknown))", NAMES), {"b"})
    assert evaluate(inside, operands(load, fact)).tolist() == [[2.0]]
    assert settled(parse(text, NAMES), {"a", "b"}).shape is Shape.ENTITY


def test_a_fact_that_never_changed_is_told_without_looking_at_samples() -> None:
    given = Operands({"vcpus": np.array([[4.0]])}, np.zeros(0, dtype=np.int64), (1, 0))
    assert evaluate(settled(parse("vcpus", {"vcpus": Shape.SERIES}), {"vcpus"}), given).tolist() == [[4.0]]
