"""The guest operations of one VM as plain calls; each is one request to vCenter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from pyVmomi import vim

from connections.failures import ClosedError, forget_frames
from connections.vsphere.logged_in import Connection
from connections.vsphere.session import VSphere
from connections.vsphere.tools.faults import NoGuestFileError, guest_failure
from resources.failures import SourceError
from resources.foreign_text import shown

T = TypeVar("T")

MAX_ARGUMENTS = 8000
"""Characters of arguments: a message of VMware Tools has 64 KiB (modern.md §3); longer texts are files."""

_MAX_RESULTS = 200


@dataclass(frozen=True, slots=True)
class GuestLogin:
    """An account of a guest. ``password`` is called for each request; its result is not kept."""

    user: str
    password: Callable[[], str]

    def __repr__(self) -> str:
        return f"GuestLogin({self.user!r})"


@dataclass(frozen=True, slots=True)
class GuestProcess:
    """A process of a guest. ``exit_code`` is None while it runs."""

    pid: int
    has_ended: bool
    exit_code: int | None


@dataclass(frozen=True, slots=True)
class GuestFile:
    """A file of a guest: its name without the folder, and its size in bytes."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class GuestFolder:
    """A folder of a guest: its name without those above it, when it was changed by the guest's clock."""

    name: str
    changed: datetime | None


class GuestCalls:
    """Guest operations of one VM (moid), whose display name is ``name``.

    All calls raise SourceError: GuestBusyError if it may work later, LoginError, NoGuestFileError.
    """

    def __init__(self, vsphere: VSphere, moid: str, name: str, login: GuestLogin) -> None:
        self._vsphere, self._moid, self._login = vsphere, moid, login
        self.name = name

    def check_login(self) -> None:
        """Ask the guest whether user and password are right."""
        self._ask(
            "checking the login", "authManager", lambda it, vm, auth: it.ValidateCredentialsInGuest(vm, auth)
        )

    def start(self, program: str, arguments: str, folder: str) -> int:
        """Start a program in a folder and return its process id. It is sent once.

        The guest's shell reads ``arguments`` (bash on Linux), so they are fixed text, never a value.
        """
        if len(arguments) > MAX_ARGUMENTS:
            raise ValueError("arguments too long for VMware Tools")
        spec = vim.vm.guest.ProcessManager.ProgramSpec(
            programPath=program, arguments=arguments, workingDirectory=folder
        )
        pid = self._ask(
            "starting a program",
            "processManager",
            lambda it, vm, auth: it.StartProgramInGuest(vm, auth, spec),
        )
        return int(pid)

    def process(self, pid: int) -> GuestProcess | None:
        """Return a process; None if it is gone, or ended more than five minutes ago."""
        found = self._processes(
            "its processes", lambda it, vm, auth: it.ListProcessesInGuest(vm, auth, [pid])
        )
        one = next((one for one in found or () if one.pid == pid), None)
        return None if one is None else GuestProcess(int(one.pid), one.endTime is not None, one.exitCode)

    def terminate(self, pid: int) -> None:
        """End a process."""
        self._ask(
            "ending a process",
            "processManager",
            lambda it, vm, auth: it.TerminateProcessInGuest(vm, auth, pid),
        )

    def make_folder(self, path: str) -> None:
        """Make a folder. Raises GuestFileThereError if it is there."""
        self._files("making a folder", lambda it, vm, auth: it.MakeDirectoryInGuest(vm, auth, path, False))

    def make_temporary_file(self, folder: str) -> str:
        """Make an empty file in a folder and return its path."""
        made = self._files(
            "making a file",
            lambda it, vm, auth: it.CreateTemporaryFileInGuest(vm, auth, "clock-", "", folder),
        )
        return str(made)

    def remove_folder(self, path: str) -> None:
        """Remove a folder with everything in it; it is no error if it is gone."""
        try:
            self._files(
                "removing a folder", lambda it, vm, auth: it.DeleteDirectoryInGuest(vm, auth, path, True)
            )
        except NoGuestFileError:
            return

    def remove_file(self, path: str) -> None:
        """Remove a file; it is no error if it is gone."""
        try:
            self._files("removing a file", lambda it, vm, auth: it.DeleteFileInGuest(vm, auth, path))
        except NoGuestFileError:
            return

    def move_file(self, path: str, to: str) -> None:
        """Rename a file, over another one if there is one."""
        self._files("renaming a file", lambda it, vm, auth: it.MoveFileInGuest(vm, auth, path, to, True))

    def list_files(self, folder: str, pattern: str) -> Sequence[GuestFile]:
        """Return the files of a folder whose names match a regular expression. Raises NoGuestFileError."""
        found = self._files(
            "its files",
            lambda it, vm, auth: it.ListFilesInGuest(vm, auth, folder, 0, _MAX_RESULTS, pattern),
        )
        files = found.files if found is not None else ()
        return [GuestFile(str(one.path), int(one.size)) for one in files or () if str(one.type) == "file"]

    def list_folders(self, folder: str, pattern: str) -> Sequence[GuestFolder]:
        """Return the folders in a folder whose names match a regular expression. Raises NoGuestFileError."""
        found = self._files(
            "its folders",
            lambda it, vm, auth: it.ListFilesInGuest(vm, auth, folder, 0, _MAX_RESULTS, pattern),
        )
        there = found.files if found is not None else ()
        return [
            GuestFolder(str(one.path), one.attributes.modificationTime if one.attributes else None)
            for one in there or ()
            if str(one.type) == "directory"
        ]

    def upload_address(self, path: str, size: int, permissions: int, *, windows: bool) -> str:
        """Return the address to which a file can be put once, within ten minutes."""
        attributes = (
            vim.vm.guest.FileManager.WindowsFileAttributes()
            if windows
            else vim.vm.guest.FileManager.PosixFileAttributes(permissions=permissions)
        )
        address = self._files(
            "sending a file",
            lambda it, vm, auth: it.InitiateFileTransferToGuest(vm, auth, path, attributes, size, True),
        )
        return str(address)

    def download_address(self, path: str) -> tuple[str, int]:
        """Return the address from which a file can be got once, and its size. Raises NoGuestFileError."""
        found = self._files(
            "fetching a file", lambda it, vm, auth: it.InitiateFileTransferFromGuest(vm, auth, path)
        )
        return str(found.url), int(found.size)

    def _processes(self, what: str, call: Callable[[Any, Any, Any], T]) -> T:
        return self._ask(what, "processManager", call)

    def _files(self, what: str, call: Callable[[Any, Any, Any], T]) -> T:
        return self._ask(what, "fileManager", call)

    def _ask(self, what: str, manager: str, call: Callable[[Any, Any, Any], T]) -> T:
        """Call a method of one of the guest operations' managers with the VM and the login."""

        def question(connection: Connection) -> T:
            operations = connection.content.guestOperationsManager
            vm = vim.VirtualMachine(self._moid, connection.stub)
            auth = vim.vm.guest.NamePasswordAuthentication(
                username=self._login.user, password=self._login.password(), interactiveSession=False
            )
            return call(getattr(operations, manager), vm, auth)

        try:
            return self._vsphere.ask(what, question)
        except ClosedError:
            raise
        except SourceError as error:
            forget_frames(error)  # they hold the password
            raise guest_failure(error, what, shown(self.name), self._vsphere.address) from error
