"""A controller as a process of its own, for tests that kill it: prepares, starts and follows one job.

Arguments: the guest's address, its key, the file of known hosts, the work file, seconds of silence that the
guest allows.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from connections.fingerprints import HOST_KEY
from connections.known_hosts import KnownHosts
from connections.ssh.address import parse_address
from connections.ssh.login import SshLogin
from tests.workloads.guests.machines import mixed
from workloads.guests.opening import open_guests
from workloads.guests.worker import GuestOptions
from workloads.job_file import Disk


def main(address: str, key: str, known: str, file: str, silence_s: str) -> None:
    environment = open_guests(
        [parse_address(address)],
        lambda _: SshLogin(key_file=Path(key)),
        known=KnownHosts(Path(known), HOST_KEY),
        ask=lambda _: True,
        options=GuestOptions(silence_s=int(silence_s)),
    )
    worker = environment.workers()[0]
    print(worker.prepare("run-1", mixed(Disk("disk", file), runtime=3600)).id, flush=True)
    worker.start(environment.now_ms())
    while True:
        print(worker.poll().state, flush=True)
        time.sleep(0.2)


if __name__ == "__main__":
    main(*sys.argv[1:])
