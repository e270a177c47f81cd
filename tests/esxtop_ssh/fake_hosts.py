"""An sshd on whose PATH are fakes of what an ESXi host has: esxtop, ``vmware``, ``vim-cmd``, ``date``.

``vmware -v`` prints one line, and ``vim-cmd hostsvc/hostsummary`` the host's summary, of which a part is
here, in the form of the API's properties.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from tests.connections.ssh_servers import Sshd

FAKE = Path(__file__).with_name("fake_esxtop.py")
UUID = "38393738-3334-4d32-3236-313230304b50"
PRODUCT = "VMware ESXi 8.0.3 build-24022510"

_DATE = """\
import os, sys, time
clock = os.environ["FAKE_ESXTOP"] + "/clock"
ahead = float(open(clock).read()) if os.path.exists(clock) else 0.0
assert sys.argv[1] == "-u", sys.argv
print(time.strftime(sys.argv[2].lstrip("+"), time.gmtime(time.time() + ahead)))
"""
_VMWARE = f"[ \"$1\" = -v ] && echo '{PRODUCT}'\n"
_VIM_CMD = """\
[ "$1" = hostsvc/hostsummary ] && cat <<'EOF'
(vim.host.Summary) {
   host = 'vim.HostSystem:ha-host',
   hardware = (vim.host.Summary.HardwareSummary) {
      vendor = "HPE",
      uuid = "@UUID@",
      numCpuPkgs = 2,
   },
   rebootRequired = false
}
EOF
"""


class FakeHost:
    """The folder of one host's programs, and how its esxtop plays (``plan``)."""

    def __init__(self, folder: Path, server: Sshd, uuid: str = UUID) -> None:
        self.server, self._folder = server, folder
        self.programs = folder / "bin"
        self.programs.mkdir()
        # -I -S: nothing of this environment's, and a quick start.
        self.program("esxtop", f"exec '{sys.executable}' -I -S '{FAKE}' \"$@\"\n")
        self.program("vmware", _VMWARE)
        (folder / "date.py").write_text(_DATE, encoding="utf-8")
        self.program("date", f"exec '{sys.executable}' -I -S '{folder}/date.py' \"$@\"\n")
        self.program("vim-cmd", _VIM_CMD.replace("@UUID@", uuid))
        server.options += [f"SetEnv PATH={self.programs}:/usr/bin:/bin", f"SetEnv FAKE_ESXTOP={folder}"]

    def program(self, name: str, script: str) -> None:
        """Put a program of this name on the host's PATH."""
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}", encoding="utf-8")
        path.chmod(0o755)

    def plan(self, capture: Path, **words: object) -> None:
        """Play so from the next start on."""
        text = json.dumps({"capture": str(capture), **words})
        (self._folder / "plan.json").write_text(text, encoding="utf-8")

    def go_on_with(self, capture: Path) -> None:
        """An esxtop that runs goes on with the rows of a capture of the same columns."""
        (self._folder / "rows").write_text(f"{time.time()} {capture}", encoding="utf-8")

    def run_vms(self, vms: Sequence[tuple[str, int, str]]) -> None:
        """These VMs run now, by name, cartel and instance UUID, as esxcli lists them."""
        rows, text = ["ConfigFile,DisplayName,ProcessID,UUID,VMXCartelID,WorldID,"], []
        for name, cartel, uuid in vms:
            folder = self._folder / f"$(exit 1) `id` {name}"  # the file is found only if this is no command
            folder.mkdir(exist_ok=True)
            (folder / "it's.vmx").write_text(f'vc.uuid = "{uuid}"\n', encoding="utf-8")
            rows.append(f'{folder}/it\'s.vmx,"{name}",0,56 4d,{cartel - 1},{cartel},')
            text.append(f"{name}\n   World ID: {cartel}\n   Config File: {folder}/it's.vmx\n")
        for file, lines in (("vms.csv", rows), ("vms.txt", text)):
            whole = self._folder / f"{file}.new"
            whole.write_text("\n".join(lines) + "\n", encoding="utf-8")
            whole.replace(self._folder / file)
        at = shlex.quote(str(self._folder))
        self.program(
            "esxcli",
            f'case "$*" in "--formatter=csv vm process list") cat {at}/vms.csv;; '
            f'"vm process list") cat {at}/vms.txt;; *) exit 1;; esac\n',
        )

    def set_clock(self, ahead_s: float) -> None:
        """Set the host's clock: so far ahead of ours."""
        (self._folder / "clock").write_text(str(ahead_s), encoding="utf-8")

    def starts(self) -> int:
        """How often esxtop was started."""
        path = self._folder / "starts"
        return len(path.read_text(encoding="utf-8").split()) if path.exists() else 0

    def running(self) -> list[psutil.Process]:
        """The fake esxtops that run."""
        path = self._folder / "starts"
        pids = [int(word) for word in path.read_text(encoding="utf-8").split()] if path.exists() else []
        return [one for pid in pids if (one := esxtop_process(pid)) is not None]

    def all_ended(self, within_s: float = 15.0) -> bool:
        """Wait until none runs; False if one still does."""
        return not psutil.wait_procs(self.running(), timeout=within_s)[1]


def esxtop_process(pid: int) -> psutil.Process | None:
    """The fake esxtop of this pid; None if it has ended."""
    try:
        process = psutil.Process(pid)
        return process if str(FAKE) in process.cmdline() else None
    except psutil.NoSuchProcess:
        return None
