"""From the words of the command line to collectors."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from app.recording.questions import Questions
from app.terminal import ended_at_once
from collectors.feed import Collector
from collectors.vsphere.collector import VSphereCollector
from collectors.vsphere.collector import Wishes as VSphereWishes
from connections.fingerprints import parse_thumbprint
from connections.known_hosts import KnownHosts
from connections.secrets import find_password, somebody_there
from connections.vsphere.address import Address, parse_address
from connections.vsphere.trust import Ask, Stranger
from lab.live import LabCollector, parse_lab_address
from resources.failures import UsageError


class Lines(Protocol):
    """Where passwords come from with --password-stdin."""

    def next_line(self) -> bytes | None:
        """The next line, None at the end."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options say. ``thumbprints`` and ``lines`` belong to the vSphere sources, in their order.

    ``questions``: somebody who reads our events answers them; ``ask_here`` asks at the terminal whether a
    certificate is the right one. Neither: nobody can be asked.
    """

    vsphere: VSphereWishes
    speed: float = 1.0
    thumbprints: Sequence[str] = ()
    lines: Lines | None = None
    questions: Questions | None = None
    ask_here: Callable[[str], bool] | None = None
    known: KnownHosts = field(default_factory=KnownHosts)


def collectors_of(sources: Sequence[str], wishes: Wishes) -> list[Collector]:
    """A collector for each source. Raises UsageError for words that name none, NotFoundError for a scenario.

    Passwords are got here, where somebody sits at the terminal: nothing has been started yet.
    """
    _require_known(sources)
    addresses = {source: parse_address(source) for source in sources if not _is_lab(source)}
    names = [str(addresses.get(source, source)) for source in sources]
    if twice := {name for name in names if names.count(name) > 1}:
        raise UsageError(f"{min(twice)} is named twice.")
    if len(wishes.thumbprints) > len(addresses):
        raise UsageError("There are more thumbprints than sources that have certificates.")
    pins: Iterator[str] = map(parse_thumbprint, wishes.thumbprints)
    return [
        LabCollector(parse_lab_address(source), speed=wishes.speed)
        if _is_lab(source)
        else _vsphere(addresses[source], wishes, next(pins, None))
        for source in sources
    ]


def _is_lab(source: str) -> bool:
    return source.lower().startswith("lab:")


def _require_known(sources: Sequence[str]) -> None:
    for source in sources:
        if not source.lower().startswith(("lab:", "vcenter:", "esxi:")):
            raise UsageError(
                "A source begins with vcenter://, esxi:// or lab:.",
                advice="For instance vcenter://administrator@vsphere.local@vc01.lab, or lab:demo.",
            )


def _vsphere(address: Address, wishes: Wishes, thumbprint: str | None) -> Collector:
    return VSphereCollector(
        address,
        _password(address, wishes),
        wishes.vsphere,
        thumbprint=thumbprint,
        known=wishes.known,
        ask=_ask(address, wishes),
    )


def _password(address: Address, wishes: Wishes) -> Callable[[], str]:
    if wishes.lines is not None:
        return find_password(address, stdin=io.BytesIO(wishes.lines.next_line() or b""))
    questions = wishes.questions
    if questions is None:
        with ended_at_once():
            return find_password(address, interactive=somebody_there())
    try:
        return find_password(address)
    except UsageError:  # the keyring has none: whoever started us is asked
        return lambda: questions.password(str(address))


def _ask(address: Address, wishes: Wishes) -> Ask | None:
    questions, ask_here = wishes.questions, wishes.ask_here
    if questions is not None:
        return lambda stranger: questions.trust(str(address), stranger.sha256, stranger.why)
    if ask_here is not None:
        return lambda stranger: ask_here(_question(address, stranger))
    return None


def _question(address: Address, stranger: Stranger) -> str:
    return (
        f"The certificate of {address.place} is vouched for by nobody ({stranger.why}).\n"
        f"Its SHA-256 thumbprint is {stranger.sha256}.\n"
        "Is it the right one? It is remembered then. [y/N] "
    )
