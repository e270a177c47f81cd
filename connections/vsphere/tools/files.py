"""Files of a guest: to and from it through the web server of the host that its VM runs on."""

from __future__ import annotations

from typing import Any

from connections.vsphere.host_files import FileHost, HostFiles
from connections.vsphere.properties import read_one
from connections.vsphere.session import VSphere
from connections.vsphere.tools.calls import GuestCalls
from connections.vsphere.tools.faults import NoGuestFileError
from resources.failures import ChangedCertificateError, DisconnectedError, SourceError
from sessions.journal import ChangedObject

OWNER_ONLY, OWNER_RUNS = 0o600, 0o700

_TRIES = 3
_MANAGEMENT = "management"


class GuestFiles:
    """Files of one VM's guest. The host's certificate is asked of vCenter again after a vMotion."""

    def __init__(self, vsphere: VSphere, vm: ChangedObject, calls: GuestCalls, within_s: float) -> None:
        self._vsphere, self._vm, self._calls = vsphere, vm, calls
        self._within_s = within_s
        self._host: FileHost | None = None

    def put(self, path: str, content: bytes, *, executable: bool = False, windows: bool = False) -> None:
        """Write a file, over one that is there. An address is good once: a new one is taken for each try."""
        permissions = OWNER_RUNS if executable else OWNER_ONLY

        def send(host: FileHost) -> None:
            address = self._calls.upload_address(path, len(content), permissions, windows=windows)
            self._transfers().put(address, content, host)

        self._tried(send)

    def get(self, path: str, most: int) -> bytes | None:
        """Return the beginning of a file, None if there is none."""
        found: list[bytes] = []

        def fetch(host: FileHost) -> None:
            address, size = self._calls.download_address(path)
            found.append(self._transfers().get(address, min(most, size), host) if size else b"")

        try:
            self._tried(fetch)
        except NoGuestFileError:
            return None
        return found[-1]

    def _transfers(self) -> HostFiles:
        """A host to which we are connected directly leaves its name out of the addresses that it gives."""
        is_host = self._vsphere.about.api_type == "HostAgent"
        return HostFiles(self._within_s, self._vsphere.address.host if is_host else None)

    def _tried(self, transfer: Any) -> None:
        for left in reversed(range(_TRIES)):
            host = self._host or self._run_time_host()
            try:
                transfer(host)
            except (ChangedCertificateError, DisconnectedError) as error:
                self._host = None  # the VM may have moved to another host meanwhile
                if not left or not self._is_worth_it(error, host):
                    raise
            else:
                self._host = host
                return

    def _is_worth_it(self, error: SourceError, before: FileHost) -> bool:
        """Another certificate is taken only if vCenter says that the VM is on another host now."""
        return not isinstance(error, ChangedCertificateError) or self._run_time_host() != before

    def _run_time_host(self) -> FileHost:
        what = "its host's certificate"
        moid = read_one(self._vsphere, what, self._vm, ["runtime.host"])["runtime.host"]
        if moid is None:
            raise SourceError(f"{self._vm.name} runs on no host.", advice="Power it on.")
        host = ChangedObject(self._vm.source, "HostSystem", str(moid._moId), "Its host")
        paths = ["summary.config.sslThumbprint", "config.virtualNicManagerInfo"]
        found = read_one(self._vsphere, what, host, paths)
        return FileHost(str(found[paths[0]] or ""), _management_addresses(found[paths[1]]))


def _management_addresses(info: Any) -> tuple[str, ...]:
    """The addresses of the VMkernel adapters that carry management."""
    found: list[str] = []
    for one in getattr(info, "netConfig", None) or ():
        if one.nicType == _MANAGEMENT:
            chosen = {_nic_key(key) for key in one.selectedVnic or ()}
            nics = [nic for nic in one.candidateVnic or () if _nic_key(nic.key) in chosen]
            found += [str(nic.spec.ip.ipAddress or "") for nic in nics if nic.spec.ip is not None]
    return tuple(address for address in found if address)


def _nic_key(key: object) -> str:
    """A VMkernel adapter's key; where it is chosen, the kind of traffic stands before it."""
    return str(key).rpartition("key-")[2]
