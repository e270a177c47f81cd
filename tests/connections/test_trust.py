"""Certificates: who is believed, who is not, and that nothing was said before that was clear."""

from __future__ import annotations

from pathlib import Path

import pytest

from connections.fingerprints import parse_thumbprint
from connections.known_hosts import KnownHosts
from connections.untrusted import UntrustedServer
from connections.vsphere.session import VSphere
from resources.failures import ChangedCertificateError, UntrustedError, UsageError
from tests.vsphere.conftest import PASSWORD, Connect, address_of
from tests.vsphere.front import Certificate, Front

Certificates = dict[str, Certificate]


@pytest.fixture
def known(tmp_path: Path) -> KnownHosts:
    return KnownHosts(tmp_path / "data" / "known_hosts")


def never(stranger: UntrustedServer) -> bool:
    pytest.fail(f"asked about {stranger}")


def test_an_unknown_certificate_is_refused_and_told(
    connect: Connect, front: Front, certificates: Certificates
) -> None:
    with pytest.raises(UntrustedError) as caught:
        connect(thumbprint=None)
    assert caught.value.exit_code == 24
    assert certificates["own"].sha256 in str(caught.value)
    assert f"--thumbprint {certificates['own'].sha256}" in caught.value.advice
    assert not front.heard


def test_a_pinned_one_is_taken(connect: Connect, certificates: Certificates) -> None:
    sha256 = certificates["own"].sha256
    assert connect(thumbprint=sha256.replace(":", "").lower()).about.api_type == "VirtualCenter"


def test_another_than_the_pinned_one_is_refused(
    connect: Connect, front: Front, certificates: Certificates
) -> None:
    with pytest.raises(ChangedCertificateError) as caught:
        connect(thumbprint=certificates["other"].sha256)
    assert certificates["own"].sha256 in str(caught.value)
    assert certificates["other"].sha256 in str(caught.value)
    assert not front.heard


@pytest.mark.usefixtures("store")
def test_a_pin_counts_more_than_the_store(connect: Connect, front: Front, certificates: Certificates) -> None:
    front.certificate = certificates["signed"]
    with pytest.raises(ChangedCertificateError):
        connect(thumbprint=certificates["own"].sha256)
    assert not front.heard


def test_the_first_time_somebody_is_asked_then_never_again(
    connect: Connect, front: Front, known: KnownHosts, certificates: Certificates
) -> None:
    asked: list[UntrustedServer] = []

    def yes(stranger: UntrustedServer) -> bool:
        assert not front.heard
        asked.append(stranger)
        return True

    connect(thumbprint=None, known=known, ask=yes)
    assert [(one.host, one.port, one.shown) for one in asked] == [
        ("127.0.0.1", front.port, certificates["own"].sha256)
    ]
    assert asked[0].why
    connect(thumbprint=None, known=known, ask=never)


def test_no_means_no(connect: Connect, front: Front, known: KnownHosts) -> None:
    with pytest.raises(UntrustedError):
        connect(thumbprint=None, known=known, ask=lambda _: False)
    assert known.remembered("127.0.0.1", front.port) is None
    assert not front.heard


def test_a_changed_one_is_refused_with_both_shown(
    connect: Connect, front: Front, known: KnownHosts, certificates: Certificates
) -> None:
    connect(thumbprint=None, known=known, ask=lambda _: True).close()
    del front.heard[:]
    front.certificate = certificates["other"]
    with pytest.raises(ChangedCertificateError) as caught:
        connect(thumbprint=None, known=known, ask=never)
    assert caught.value.exit_code == 25
    assert certificates["own"].sha256 in caught.value.meaning
    assert certificates["other"].sha256 in caught.value.meaning
    assert not front.heard
    connect(thumbprint=certificates["other"].sha256, known=known)
    connect(thumbprint=None, known=known, ask=never)


def test_a_renewed_one_that_somebody_trusts_meanwhile_is_taken(
    connect: Connect, front: Front, known: KnownHosts, certificates: Certificates
) -> None:
    """Also by a connection that asked about the first one itself: a window remembers the new one."""
    vsphere = connect(thumbprint=None, known=known, ask=lambda _server: True)
    front.certificate = certificates["other"]
    front.drop()
    with pytest.raises(ChangedCertificateError):
        vsphere.server_time()
    known.remember("127.0.0.1", front.port, certificates["other"].sha256)
    vsphere.server_time()


@pytest.mark.usefixtures("store")
def test_one_that_the_system_vouches_for_needs_nobody(
    connect: Connect, front: Front, known: KnownHosts, certificates: Certificates
) -> None:
    front.certificate = certificates["signed"]
    connect(thumbprint=None, known=known, ask=never)
    assert known.remembered("127.0.0.1", front.port) is None


@pytest.mark.usefixtures("store")
def test_one_for_another_host_is_refused(connect: Connect, front: Front, certificates: Certificates) -> None:
    front.certificate = certificates["elsewhere"]
    with pytest.raises(UntrustedError, match=r"127\.0\.0\.1"):
        connect(thumbprint=None)
    assert not front.heard


@pytest.mark.usefixtures("store")
def test_a_remembered_one_may_be_replaced_by_one_that_the_system_vouches_for(
    connect: Connect, front: Front, known: KnownHosts, certificates: Certificates
) -> None:
    connect(thumbprint=None, known=known, ask=lambda _: True).close()
    front.certificate = certificates["signed"]
    connect(thumbprint=None, known=known, ask=never)


@pytest.mark.parametrize("how", ["ask", "post"])
@pytest.mark.parametrize("trusted_by", ["pin", "memory", "store"])
def test_every_new_connection_is_checked(
    connect: Connect,
    front: Front,
    known: KnownHosts,
    certificates: Certificates,
    how: str,
    trusted_by: str,
    request: pytest.FixtureRequest,
) -> None:
    """Somebody steps in between in the midst of a recording: the session's cookie is not told to him."""
    vsphere = _opened(connect, front, known, certificates, trusted_by, request)
    front.certificate = certificates["other"]
    front.drop()
    del front.heard[:]
    with pytest.raises(ChangedCertificateError) as caught:
        vsphere.server_time() if how == "ask" else vsphere.post(b"<secret/>")
    assert certificates["other"].sha256 in str(caught.value)
    assert not front.heard


def _opened(
    connect: Connect,
    front: Front,
    known: KnownHosts,
    certificates: Certificates,
    trusted_by: str,
    request: pytest.FixtureRequest,
) -> VSphere:
    if trusted_by == "pin":
        return connect()
    if trusted_by == "store":
        request.getfixturevalue("store")
        front.certificate = certificates["signed"]
    return connect(thumbprint=None, known=known, ask=lambda _: True)


def test_a_stranger_in_between_at_the_moment_of_asking(
    front: Front, known: KnownHosts, certificates: Certificates
) -> None:
    """The certificate changes while somebody looks at the thumbprint: what was agreed to counts."""

    def yes_but_swapped(_: UntrustedServer) -> bool:
        front.certificate = certificates["other"]
        return True

    vsphere = VSphere(address_of(front.port), lambda: PASSWORD, known=known, ask=yes_but_swapped)
    with pytest.raises(ChangedCertificateError):
        vsphere.open()
    assert not front.heard


def test_the_remembered_ones_are_a_file_for_people(known: KnownHosts, tmp_path: Path) -> None:
    one, two = ":".join(["0A"] * 32), ":".join(["FF"] * 32)
    known.remember("VC01.lab", 443, one)
    known.remember("fd00::10", 8443, two)
    path = tmp_path / "data" / "known_hosts"
    path.write_text(
        path.read_text(encoding="utf-8") + "\n# mine\nhalf a li\nvc09:443 AA:BB\n", encoding="utf-8"
    )
    known.remember("vc01.LAB", 443, two)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    assert f"vc01.lab:443 {two}" in lines
    assert f"[fd00::10]:8443 {two}" in lines
    assert not any(one in line for line in lines)
    assert {"# mine", "half a li", "vc09:443 AA:BB"} <= set(lines)
    assert known.remembered("vc01.lab", 443) == two
    assert known.remembered("vc01.lab", 444) is None
    assert known.remembered("vc09", 443) is None
    known.forget("vc01.lab", 443)
    assert known.remembered("vc01.lab", 443) is None
    assert sorted(entry.name for entry in path.parent.iterdir()) == [".known_hosts.lock", "known_hosts"]


@pytest.mark.parametrize("text", ["", "AA", "A" * 40, "G" * 64, "AA:" * 32 + "AA"])
def test_what_is_no_thumbprint(text: str) -> None:
    with pytest.raises(UsageError):
        parse_thumbprint(text)


@pytest.mark.parametrize(
    "text", ["SHA256:" + "ab" * 32, "sha256 Fingerprint=" + ":".join(["AB"] * 32), "AB" * 32]
)
def test_how_a_thumbprint_may_be_spelt(text: str) -> None:
    assert parse_thumbprint(text) == ":".join(["AB"] * 32)


def test_a_file_that_cannot_be_read_trusts_nobody(tmp_path: Path) -> None:
    (tmp_path / "known_hosts").mkdir()
    with pytest.raises(Exception, match="known_hosts can't be read"):
        KnownHosts(tmp_path / "known_hosts").remembered("vc01", 443)
