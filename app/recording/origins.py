"""Makes collectors from the source arguments of ``record``."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from app.recording.logins import Logins
from app.recording.schemes import Access, Scheme, scheme_of
from app.recording.ssh_logins import has_keys, no_password
from app.terminal import immediate_interrupt
from collectors.feed import Collector
from collectors.vsphere.options import VSphereOptions
from connections.address import ACCOUNT, Address
from connections.fingerprints import Proof
from connections.known_hosts import KnownHosts
from connections.secrets import can_prompt, find_password, prompt_password, prompt_password_or_key
from connections.untrusted import Ask, UntrustedServer
from connections.vsphere.address import GUESTS, VCENTER, guests_of
from recorder.questions import Questions
from resources.failures import UsageError


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """The options of ``record`` that concern its sources.

    ``thumbprints`` are for the servers with certificates, in the order of their first sources.
    ``next_password`` returns the next line of stdin, one password for each user at a server, in that order,
    too, None at the end of stdin. ``interval_s``: between two samples of esxtop and guests, None for the
    usual. ``key`` is a private key for those that are reached over ssh, None for the usual ones.

    ``questions`` asks the program that reads our events; ``ask_here`` asks yes or no at the terminal. If both
    are None, nobody can be asked.
    """

    vsphere: VSphereOptions
    speed: float = 1.0
    thumbprints: Sequence[str] = ()
    next_password: Callable[[], bytes | None] | None = None
    questions: Questions | None = None
    ask_here: Callable[[str], bool] | None = None
    known: KnownHosts = field(default_factory=KnownHosts)
    interval_s: float | None = None
    key: Path | None = None
    logins: Logins = field(default_factory=Logins)


def collectors_of(sources: Sequence[str], options: RecordOptions) -> list[Collector]:
    """Return a collector for each source. Raises UsageError for a bad address, NotFoundError for a scenario.

    Passwords are asked for here: the terminal is still free, and nothing is running yet. Sources of the same
    user at the same server share one.
    """
    schemes = [scheme_of(source) for source in sources]
    addresses = [scheme.parse(source) for scheme, source in zip(schemes, sources, strict=True)]
    names = [str(address) for address in addresses]
    if twice := {name for name in names if names.count(name) > 1}:
        raise UsageError(f"{min(twice)} is named twice.")
    places = [_place(scheme, address) for scheme, address in zip(schemes, addresses, strict=True)]
    pins = _pins(places, options.thumbprints)
    for address in addresses:
        if isinstance(address, Address):
            options.logins.expect(address)
    return [
        scheme.collector(address, _access(scheme, address, options, pin))
        for scheme, address, pin in zip(schemes, addresses, pins, strict=True)
    ]


def added_collector(source: str, interval_s: float | None, options: RecordOptions) -> Collector:
    """Return the collector of a source that is added to a recording. Raises UsageError, NotFoundError.

    Its password is the one that a person gave for it during the recording (an older one may have been
    refused), else that of another source with the same user and server; else the keyring is asked, or whoever
    reads our events, when it is first needed.
    """
    scheme = scheme_of(source)
    address = scheme.parse(source)
    options = replace(options, next_password=None, interval_s=interval_s or options.interval_s)
    if not isinstance(address, Address):
        return scheme.collector(address, _access(scheme, address, options, None))
    options.logins.expect(address)
    password = _given(address, options) or options.logins.password(address)
    password = password or _when_needed(_of_password(address), options)
    access = _access(scheme, address, options, options.logins.pin(address), password)
    return scheme.collector(address, access)


def _given(address: Address, options: RecordOptions) -> Callable[[], str] | None:
    """Return what gives the password that a person gave for an address, None if nobody was asked for it."""
    questions, source = options.questions, str(_of_password(address))
    if questions is None or not questions.has_password(source):
        return None
    return lambda: questions.password(source)


def _when_needed(address: Address, options: RecordOptions) -> Callable[[], str]:
    """Return what finds a password when it is first called: a keyring may have to be unlocked."""
    return lambda: password_of(address, options)()  # noqa: PLW0108 - looked for only when it is called


_Place = tuple[Proof, str, int]
"""A server as it proves who it is: by a certificate or a host key, at a host and port."""


def _place(scheme: Scheme, address: Any) -> _Place | None:
    return None if scheme.proof is None else (scheme.proof, address.host, address.port)


def _pins(places: Sequence[_Place | None], given: Sequence[str]) -> list[str | None]:
    """Return the parsed thumbprint of each source, None for those without.

    ``given`` is in the order of the servers, or has one for each source, though several are of one server.
    """
    proving = [place for place in places if place is not None]
    if len(given) > len(proving):
        raise UsageError("There are more thumbprints than sources that have certificates.")
    servers = list(dict.fromkeys(proving))
    if len(given) <= len(servers):
        pins = {place: place[0].parse(text) for place, text in zip(servers, given, strict=False)}
        return [None if place is None else pins.get(place) for place in places]
    left = iter(given)
    texts = [None if place is None else next(left, None) for place in places]
    return [
        None if place is None or text is None else place[0].parse(text)
        for place, text in zip(places, texts, strict=True)
    ]


def _access(
    scheme: Scheme,
    address: Any,
    options: RecordOptions,
    pin: str | None,
    password: Callable[[], str] | None = None,
) -> Access:
    server = _server_login(address, options, pin, later=password is not None)
    if scheme.has_password:
        password = password or options.logins.password(address)
        password = password or password_of(_of_password(address), options, takes_keys=scheme.takes_keys)
        options.logins.note(address, password, pin)
    return Access(
        password or _no_password,
        pin,
        options.known if scheme.proof is None else options.known.for_proof(scheme.proof),
        None if scheme.proof is None else ask_of(address, scheme.proof, options),
        options.vsphere,
        options.speed,
        options.interval_s,
        options.key,
        server,
    )


def _server_login(
    address: Any, options: RecordOptions, pin: str | None, *, later: bool
) -> tuple[str, Callable[[], str]]:
    """Return the login at the server itself, for guests behind it: as the address or another source says.

    ``later``: a password is looked for when it is first needed. Raises UsageError.
    """
    if not isinstance(address, Address) or address.scheme != GUESTS.scheme:
        return "", _no_password
    account = address.account or options.logins.account(address)
    if account is None:
        raise UsageError(
            f"{address} does not say who logs in to {address.place} itself.",
            meaning=f"{address.user} is an account of the guests.",
            advice=f"Add ?{ACCOUNT}=ACCOUNT behind it, or record vcenter://ACCOUNT@{address.place} as well.",
        )
    server = replace(address, scheme=VCENTER.scheme, user=account, path="", account="")
    password = _given(server, options) or options.logins.password(server)
    if password is None:
        password = _when_needed(server, options) if later else password_of(server, options)
        options.logins.note(server, password, pin)
    return account, password


def _of_password(address: Address) -> Address:
    """The address under which a password is asked for and kept: that of all guests with the same user."""
    return guests_of(address) if address.scheme == GUESTS.scheme else address


def _no_password() -> str:
    raise AssertionError("nobody logs in there")


def password_of(address: Address, options: RecordOptions, *, takes_keys: bool = False) -> Callable[[], str]:
    """Return what gives the password of an address; it is asked for here, or when it is first needed.

    Where a key of ssh may do, who has one may answer nothing, and a line of stdin may be empty.
    """
    if options.next_password is not None:
        line = options.next_password() or b""
        if takes_keys and not line.strip():
            return no_password(address)
        return find_password(address, stdin=io.BytesIO(line))
    if options.questions is None and not takes_keys:
        with immediate_interrupt():
            return find_password(address, interactive=can_prompt())
    try:
        return find_password(address)
    except UsageError:  # the keyring has none
        return _asked_for(address, options)


def _asked_for(address: Address, options: RecordOptions) -> Callable[[], str]:
    """Return what asks whoever started us, or who sits at the terminal, for what the keyring lacks."""
    questions = options.questions
    if questions is not None:
        return lambda: questions.password(str(address))
    if not can_prompt():
        return no_password(address)
    with immediate_interrupt():
        if options.key is None and not has_keys():
            return prompt_password(address)
        return prompt_password_or_key(address) or no_password(address)


def ask_of(address: Address, proof: Proof, options: RecordOptions) -> Ask | None:
    """Return what asks whether a server is to be trusted; None if nobody can be asked."""
    questions, ask_here = options.questions, options.ask_here
    if questions is not None:
        return lambda server: questions.trust(str(address), server.shown, server.why)
    if ask_here is not None:
        return lambda server: ask_here(_question(address, proof, server))
    return None


def _question(address: Address, proof: Proof, server: UntrustedServer) -> str:
    return (
        f"The {proof.thing} of {address.place} is not trusted ({server.why}).\n"
        f"Its {proof.digest} is {server.shown}.\n"
        "Is it the right one? If so, it is remembered. [y/N] "
    )
