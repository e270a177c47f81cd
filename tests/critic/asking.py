"""Asks the commands what an environment asks, and says in sentences what was not answered right."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from app.program import run
from sessions.store import SessionReader
from tests.critic.answers import Ask, Comparison, Culprits, Fix, NoCulprit, Report, Row
from tests.critic.environments import BLAME, Environment

_SURE = {"none": 0, "indicative": 1, "low": 1, "medium": 2, "high": 3}
_SHARED = ("device", "datastore", "host", "nic", "adapter", "path")


def said(*words: object) -> str:
    """What a command prints; an error is printed, too."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(word) for word in words])
    assert code == 0, f"{words}: {err.getvalue()}"
    return out.getvalue()


def wrong(environment: Environment, ask: Ask, folder: Path) -> list[str]:
    """What an answer lacks; nothing if it is right."""
    match ask:
        case Culprits():
            return list(_culprits(environment, ask))
        case NoCulprit():
            return list(_no_culprit(environment, ask))
        case Comparison():
            return list(_comparison(environment, ask))
        case Fix():
            return list(_fix(environment, ask))
        case Report():
            return list(_report(environment, ask, folder))


def _words(text: str, says: tuple[str, ...], never: tuple[str, ...] = ()) -> Iterator[str]:
    flat = " ".join(text.split())
    for pattern in says:
        if not (re.search(pattern, text) or re.search(pattern, flat)):
            yield f"does not say {pattern}"
    for pattern in never:
        if found := re.search(pattern, text):
            yield f"says {found.group()!r}"


def _ranked(environment: Environment, words: tuple[str, ...]) -> list[dict[str, Any]]:
    document = json.loads(said("correlate", environment.a, *words, "--json"))
    rows: list[dict[str, Any]] = document["ranked"]
    return rows


def _culprits(environment: Environment, ask: Culprits) -> Iterator[str]:
    rows = _ranked(environment, ask.words)
    names = [row["entity"]["name"] for row in rows]
    others = [
        row["entity"]["name"]
        for row in rows
        if row["entity"]["kind"] not in _SHARED and row["entity"]["name"] != ask.subject
    ]
    for name in ask.names:
        if name not in others[: ask.within]:
            yield f"{name} is not among the first {ask.within}: {others[:3]}"
        roles = {row["role"] for row in rows if row["entity"]["name"] == name}
        if "culprit" not in roles:
            yield f"{name} is called {roles}"
    if not set(names[: ask.raw_within]) & set(ask.names):
        yield f"none of {ask.names} is among the first {ask.raw_within} rows"
    if ask.says or ask.never_says:
        yield from _words(said("correlate", environment.a, *ask.words), ask.says, ask.never_says)


def _no_culprit(environment: Environment, ask: NoCulprit) -> Iterator[str]:
    rows = _ranked(environment, ask.words)
    blamed = [
        row["entity"]["name"]
        for row in rows
        if row["role"] == "culprit" and row["entity"]["kind"] == "vm" and row["entity"]["name"] != ask.subject
    ]
    if blamed:
        yield f"blames {blamed}"
    for name in ask.first:
        if name not in [row["entity"]["name"] for row in rows[:5]]:
            yield f"{name} is not among the first five"
    text = said("correlate", environment.a, *ask.words)
    yield from _words(text, ask.says)
    yield from (f"says {line!r}" for line in text.splitlines() if re.search(BLAME, line) and "(vm" in line
                and ask.subject not in line)  # fmt: skip


def _comparison(environment: Environment, ask: Comparison) -> Iterator[str]:
    sessions = (environment.a, environment.b) if ask.b and environment.b else (environment.a,)
    document = json.loads(said("compare", *sessions, *ask.words, "--json"))
    rows = document["rows"]
    if document["same_load"] not in ask.same_load:
        yield f"same_load is {document['same_load']}"
    different = [row for row in rows if row["verdict"] in ("higher", "lower")]
    if ask.most_different is not None and len(different) > ask.most_different * len(rows):
        yield f"{len(different)} of {len(rows)} series are called different"
    for asked in ask.rows:
        yield from _row(rows, asked)
    for entity, counter in ask.exact:
        for side, path in zip("ab", sessions, strict=True):
            yield from _exact(path, rows, entity, counter, side)
    if ask.says or ask.never_says:
        yield from _words(said("compare", *sessions, *ask.words), ask.says, ask.never_says)


def _row(rows: list[dict[str, Any]], asked: Row) -> Iterator[str]:
    mine = [r for r in rows if r["entity"]["name"] == asked.entity and r["counter"] == asked.counter]
    if not mine:
        yield f"has no {asked.counter} of {asked.entity}"
    for row in mine:
        if row["verdict"] not in asked.verdicts:
            yield f"{asked.counter} of {asked.entity} is {row['verdict']}"
        if asked.ratio and not asked.ratio[0] <= row["ratio"] <= asked.ratio[1]:
            yield f"{asked.counter} of {asked.entity}: ratio {row['ratio']:.2f}"


def _exact(path: Path, rows: list[dict[str, Any]], entity: str, counter: str, side: str) -> Iterator[str]:
    with SessionReader.open(path) as reader:
        entities = reader.entities()
        ids = [s.id for s in reader.series([counter]) if entities[s.entity].name == entity]
        values = reader.read(np.array(ids))[0].values[:, 0]
    values = values[~np.isnan(values)]
    right = (values.size, values.mean(), *np.percentile(values, [50, 95]))
    row = next(r for r in rows if r["entity"]["name"] == entity and r["counter"] == counter)
    told = tuple(row[side][key] for key in ("n", "mean", "p50", "p95"))
    if not np.allclose(told, right, rtol=1e-6):
        yield f"{counter} of {entity} in {side}: {told} instead of {right}"


def _fix(environment: Environment, ask: Fix) -> Iterator[str]:
    said("troubleshoot", environment.a, *ask.words)
    more = ("--with", environment.b) if ask.b else ()
    text = said("troubleshoot", environment.a, "--verify", 1, *ask.after, *more)
    told = re.match(r"(?P<verdict>[A-Z][a-z' ]+?)(, confidence (?P<sure>\w+))?: ", text)
    assert told is not None, text
    verdict = {"can't tell": "undecided", "too early": "undecided"}.get(
        told["verdict"].lower(), told["verdict"].lower()
    )
    sure = _SURE[told["sure"] or "none"]
    if verdict not in ask.verdicts:
        yield f"says {verdict}"
    if ask.at_most is not None and verdict == "fixed" and sure > _SURE[ask.at_most]:
        yield f"says {verdict} with confidence {told['sure']}"
    yield from _words(text, ask.says, ask.never_says)


def _report(environment: Environment, ask: Report, folder: Path) -> Iterator[str]:
    page, secret = folder / "report.html", folder / "secret.html"
    said("report", environment.a, "-o", page, *ask.words)
    yield from _words(re.sub(r"<[^>]+>", " ", page.read_text("utf-8")), ask.says, ask.never_says)
    if ask.secrets:
        session = folder / "secret.hscope"
        said("report", environment.a, "-o", secret, "--anonymise", *ask.words)
        said("export", environment.a, "-o", session, "--anonymise")
        for path in (secret, session):
            data = path.read_bytes().lower()
            yield from (f"{path.name} holds {name}" for name in ask.secrets if name.lower().encode() in data)
