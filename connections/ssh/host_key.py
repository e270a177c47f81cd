"""Which host key to trust: one with a given fingerprint, the remembered one, or one that the user accepts."""

from __future__ import annotations

from collections.abc import Sequence

from connections.address import Address
from connections.fingerprints import HOST_KEY, key_type_of, same_key
from connections.known_hosts import KnownHosts
from connections.untrusted import Ask, UntrustedServer
from resources.failures import ChangedCertificateError, UntrustedError

_NEVER_SEEN = "it was never seen before"


class HostKeyTrust:
    """Decides whether a machine's host key is trusted, before anything secret is sent.

    A ``pin`` overrides everything else, and is remembered once a key matched it; without one the fingerprint
    in ``known`` counts. The key of a machine that is not in ``known`` is given to ``ask``, and remembered
    when accepted.
    """

    def __init__(
        self,
        address: Address,
        *,
        pin: str | None = None,
        known: KnownHosts | None = None,
        ask: Ask | None = None,
    ) -> None:
        self._address = address
        self._pin = None if pin is None else HOST_KEY.parse(pin)
        self._known = None if known is None else known.for_proof(HOST_KEY)
        self._ask = ask

    def ordered(self, types: Sequence[str]) -> tuple[str, ...]:
        """Sort key ``types`` so that the expected type is first: a machine may have several keys and
        presents only one.
        """
        expected = self._expected()
        wanted = key_type_of(expected) if expected is not None else ""
        prefix = (
            "rsa-" if wanted == "ssh-rsa" else wanted
        )  # one kind of key, with signatures of several names
        return tuple(sorted(types, key=lambda name: not (prefix and name.startswith(prefix))))

    def check(self, shown: str) -> None:
        """Return if the key with the fingerprint ``shown`` is trusted.

        Raises UntrustedError, ChangedCertificateError.
        """
        expected = self._expected()
        if expected is None:
            self._ask_about(shown)
        elif not same_key(shown, expected):
            raise self._changed(shown, expected)
        if self._known is not None and self._remembered() != shown:
            self._known.remember(self._address.host, self._address.port, shown)

    def _expected(self) -> str | None:
        return self._remembered() if self._pin is None else self._pin

    def _remembered(self) -> str | None:
        if self._known is None:
            return None
        return self._known.remembered(self._address.host, self._address.port)

    def _ask_about(self, shown: str) -> None:
        server = UntrustedServer(self._address.host, self._address.port, shown, _NEVER_SEEN)
        if self._ask is None or not self._ask(server):
            raise UntrustedError(
                f"The ssh host key of {self._address.place} is not known yet.",
                meaning=f"It is {shown}; without a check, anyone in between could pose as "
                f"{self._address.host} and get the password.",
                advice=f"If that is right, add --thumbprint {shown.rpartition(' ')[2]}.",
            )

    def _changed(self, shown: str, expected: str) -> ChangedCertificateError:
        whose = "remembered is" if self._pin is None else "--thumbprint says"
        return ChangedCertificateError(
            f"The ssh host key of {self._address.place} is not the expected one.",
            meaning=f"It shows {shown}, {whose} {expected}. "
            "Either it was installed anew, or someone in between poses as it. No password was sent.",
            advice=f"If its administrators confirm the new one, add --thumbprint {shown.rpartition(' ')[2]}.",
        )
