"""Simulated vCenters that no one here wrote, and certificates made for the occasion."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from connections.address import Address
from connections.vsphere.address import parse_address
from connections.vsphere.session import VSphere
from tests.vcenter.binaries import MissingProgramError, program
from tests.vcenter.conftest import start_vcenter, vcenter, vcsim
from tests.vsphere.front import Certificate, Front, make_certificate

__all__ = ["start_vcenter", "vcenter", "vcsim"]

PASSWORD = "Tr0ub4dor&3"


@contextlib.contextmanager
def running_vcsim(*options: str) -> Iterator[int]:
    """A plain vcsim; yields its port."""
    try:
        command = [str(program("vcsim")), "-l=127.0.0.1:0", "-username=user"]
    except MissingProgramError as error:
        pytest.skip(str(error))
    command += [f"-password={PASSWORD}", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"127\.0\.0\.1:(\d+)", line)
            assert found, line
            yield int(found[1])
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Certificate]:
    """``authority``; ``signed`` by it; ``elsewhere``, for another host; ``own``, ``other``: by themselves."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make certificates with")
    folder = tmp_path_factory.mktemp("certificates")
    authority = make_certificate(folder, "authority", host="")
    return {
        "authority": authority,
        "signed": make_certificate(folder, "signed", issuer=authority),
        "elsewhere": make_certificate(folder, "elsewhere", host="DNS:elsewhere.lab", issuer=authority),
        "own": make_certificate(folder, "own"),
        "other": make_certificate(folder, "other"),
    }


@pytest.fixture(scope="session")
def bare_vcsim() -> Iterator[int]:
    """The port of a vcsim without TLS, for a front."""
    with running_vcsim("-tls=false") as port:
        yield port


@pytest.fixture
def front(bare_vcsim: int, certificates: dict[str, Certificate]) -> Iterator[Front]:
    """A vCenter with TLS whose certificate nobody vouches for."""
    front = Front(certificates["own"], bare_vcsim)
    try:
        yield front
    finally:
        front.stop()


def address_of(port: int, kind: str = "vcenter", user: str = "user") -> Address:
    return parse_address(f"{kind}://{user}@127.0.0.1:{port}")


Connect = Callable[..., VSphere]


@pytest.fixture
def connect(front: Front) -> Iterator[Connect]:
    """Makes an opened VSphere to the front, closed afterwards."""
    with contextlib.ExitStack() as stack:

        def open_one(password: str = PASSWORD, **options: object) -> VSphere:
            options.setdefault("thumbprint", front.certificate.sha256)
            vsphere = VSphere(address_of(front.port), lambda: password, **options)  # type: ignore[arg-type]
            stack.callback(vsphere.close)
            vsphere.open()
            return vsphere

        yield open_one


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, certificates: dict[str, Certificate]) -> None:
    """The system's store trusts our authority, and nothing else."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates["authority"].certificate))
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
