"""Where recordings come from: each beginning of an address is a row that says all there is to know of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.recording.origins import RecordOptions, collectors_of
from app.recording.schemes import SCHEMES, scheme_of
from collectors.vsphere.options import VSphereOptions
from connections.known_hosts import KnownHosts
from resources.failures import UsageError

PIN = ":".join(["0A"] * 32)


class Lines:
    """Passwords that come over stdin."""

    def __init__(self, count: int) -> None:
        self.left = [b"secret"] * count

    def next_line(self) -> bytes | None:
        return self.left.pop() if self.left else None


def options(folder: Path, *thumbprints: str, lines: Lines | None = None) -> RecordOptions:
    return RecordOptions(
        VSphereOptions(),
        thumbprints=thumbprints,
        next_password=lines.next_line if lines else None,
        known=KnownHosts(folder / "known_hosts"),
    )


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.prefix)
def test_each_example_is_recorded_under_its_address(scheme: object, tmp_path: Path) -> None:
    row = next(row for row in SCHEMES if row is scheme)
    lines = Lines(2 if row.prefix == "tools://" else 1)  # a vCenter and its guests have a password each
    (collector,) = collectors_of([row.example], options(tmp_path, lines=lines))
    assert collector.name == str(row.parse(row.example))
    assert scheme_of(collector.name) is row
    assert lines.left == ([] if row.has_password else [b"secret"])


@pytest.mark.parametrize("source", ["", "demo", "lab", "https://vc01", "root@vc01", "://"])
def test_an_unknown_beginning_is_refused_with_those_there_are(source: str) -> None:
    with pytest.raises(UsageError) as caught:
        scheme_of(source)
    told = "A source begins with vcenter://, esxi://, esxtop://, ssh://, guest://, tools:// or lab:."
    assert caught.value.happened == told
    assert "lab:demo" in caught.value.advice


def test_thumbprints_belong_to_the_sources_that_have_certificates(tmp_path: Path) -> None:
    sources = ["lab:demo", "esxi://root@esx01"]
    assert len(collectors_of(sources, options(tmp_path, PIN, lines=Lines(1)))) == 2
    with pytest.raises(UsageError, match="more thumbprints"):
        collectors_of(sources, options(tmp_path, PIN, PIN, lines=Lines(1)))
    with pytest.raises(UsageError, match="SHA-1"):
        collectors_of(sources, options(tmp_path, "AB" * 20, lines=Lines(1)))


def test_sources_of_one_user_at_one_server_share_a_password_and_a_thumbprint(tmp_path: Path) -> None:
    sources = [
        "vcenter://ann@vc01", "esxtop://ann@vc01/esx01", "esxi://root@esx09", "esxtop://bob@vc01/esx02",
        "esxtop://root@esx09",
    ]  # fmt: skip
    lines = Lines(3)
    assert len(collectors_of(sources, options(tmp_path, PIN, PIN, lines=lines))) == len(sources)
    assert lines.left == [], "ann at vc01, root at esx09, bob at vc01"
    for_each = options(tmp_path, *[PIN] * len(sources), lines=Lines(3))
    assert len(collectors_of(sources, for_each)) == len(sources)
    with pytest.raises(UsageError, match="more thumbprints"):
        collectors_of(sources, options(tmp_path, *[PIN] * (len(sources) + 1), lines=Lines(3)))


def test_a_user_of_another_server_needs_a_line_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="password"):
        collectors_of(["esxi://root@esx01", "esxi://root@esx02"], options(tmp_path, lines=Lines(1)))


def test_the_same_source_is_not_recorded_twice(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="esxi://root@esx01 is named twice"):
        collectors_of(["esxi://root@esx01", "ESXI://root@esx01:443"], options(tmp_path, lines=Lines(2)))


def test_guests_through_tools_share_the_login_of_their_vcenter(tmp_path: Path) -> None:
    guests = "tools://root@vc01/app01,app02"
    lines = Lines(2)
    assert len(collectors_of([guests, "vcenter://ann@vc01"], options(tmp_path, PIN, lines=lines))) == 2
    assert lines.left == [], "ann at vc01, root in the guests"
    lines = Lines(2)
    assert len(collectors_of(["vcenter://root@vc01", guests], options(tmp_path, lines=lines))) == 2
    assert lines.left == [], "root of the vCenter is not root of the guests"
    with pytest.raises(UsageError, match="does not say who logs in to vc01 itself"):
        collectors_of([guests], options(tmp_path, lines=Lines(2)))
    for wrong in ("tools://root@vc01", "tools://root@vc01/app01?as=", "tools://root@vc01/app01?user=ann"):
        with pytest.raises(UsageError):
            collectors_of([wrong], options(tmp_path, lines=Lines(2)))
