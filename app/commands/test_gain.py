"""``test gain``: would DRS help here? From what was recorded, without any load or change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.options import AsJson, From, SessionPath, Times, To, clock_of, window_of
from app.terminal import hint, print_json, print_line
from resources.failures import NotFoundError
from sessions.clock import UTC_ZONE
from sessions.store import SessionReader

if TYPE_CHECKING:
    from wizards.flows.drs_gain import ClusterGain


def gain(
    session: SessionPath,
    cluster: Annotated[
        str, typer.Option(metavar="NAME", help="One cluster of the session; without it all of them.")
    ] = "",
    start: From = "",
    end: To = "",
    times: Times = UTC_ZONE,
    as_json: AsJson = False,
) -> None:
    """Estimate what DRS would bring, from recorded counters alone: no load, nothing is changed.

    What VMs used and waited for is what they want; what their hosts can't serve, others might. It needs the
    VMs of at least two hosts, recorded in the same time for ten minutes. Without an answer it fails.
    """
    from resources.study_numbers import load_studies  # noqa: PLC0415 - after the help
    from wizards.flows.drs_gain import cluster_gains, gain_json, gain_lines  # noqa: PLC0415

    with SessionReader.open(session) as reader:
        window = window_of(reader, start, end, clock_of(reader, times))
        found = cluster_gains(reader, load_studies(), window, cluster)
    answered = [one for one in found if one.verdict.valid]
    if as_json:
        print_json({"clusters": [gain_json(one) for one in found]})
    for number, one in enumerate(() if as_json else answered):
        if number:
            print_line("")
        for line in gain_lines(one):
            print_line(line)
    if not answered:
        raise _without_answer(found[0])
    if not as_json:
        for one in found:
            if not one.verdict.valid:
                hint(str(_without_answer(one)))
        hint("To measure it: hyperscope test plan drs-balance vcenter://USER@HOST -o drs.toml")


def _without_answer(one: ClusterGain) -> NotFoundError:
    """Return why there is no answer for a cluster, and what to do."""
    failed = next(each for each in one.verdict.conditions if each.forbids_a_verdict)
    return NotFoundError(
        f"There is no answer: {failed.refusal} ({failed.measured}, needed: {failed.limit}).",
        meaning=f"{one.scope}.",
        advice=failed.advice,
    )
