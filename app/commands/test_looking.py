"""``test look``: what an environment has for a test: what can be chosen for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.commands.options import AsJson
from app.commands.test_options import (
    AgentKeys,
    Attached,
    EnvironmentAddresses,
    GuestUser,
    KeyFile,
    PasswordStdin,
    Thumbprints,
    Workers,
    environment_options,
)
from app.terminal import hint, print_json, print_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wizards.flows.surroundings import Surroundings, WorkerSeen
    from workloads.environment import DiskIdentity


def look(
    environment: EnvironmentAddresses,
    worker: Workers = None,
    guest_user: GuestUser = "",
    key_file: KeyFile = None,
    agent: AgentKeys = True,
    thumbprint: Thumbprints = None,
    password_stdin: PasswordStdin = False,
    attached: Attached = False,
    as_json: AsJson = False,
) -> None:
    """List what can be chosen for a test: datastores, clusters, VMs, and the workers' disks. Nothing is
    changed."""
    from app.testing.asking import answering, tell  # noqa: PLC0415 - after the help
    from app.testing.environments import open_environment  # noqa: PLC0415
    from app.testing.looking import look_into  # noqa: PLC0415

    options = environment_options(
        workers=worker,
        guest_user=guest_user,
        key_file=key_file,
        agent=agent,
        thumbprints=thumbprint,
        password_stdin=password_stdin,
    )
    if attached:
        with answering(options) as asking:
            found = look_into(open_environment(environment, asking))
        tell(found)
        return
    around = look_into(open_environment(environment, options)).around
    if as_json:
        print_json(_json(around))
        return
    for line in _lines(around):
        print_line(line)
    hint(f"Next: hyperscope test plan io-sweep {environment[0]} -o sweep.toml")


def _json(around: Surroundings) -> dict[str, object]:
    from wizards.flows.choices import candidates_of  # noqa: PLC0415 - after the help

    kinds = {"datastores": "Datastore", "clusters": "ClusterComputeResource", "hosts": "HostSystem"}
    vms = [{"name": one.name, "about": one.about, "why_not": one.why_not} for one in candidates_of(around)]
    workers = [
        {"name": one.name, "why_not": one.why, "disks": [_disk(disk) for disk in _disks(one)]}
        for one in around.workers
    ]
    named = {name: [one.object.name for one in around.of_kind(kind)] for name, kind in kinds.items()}
    return {**named, "vms": vms, "workers": workers}


def _disks(one: WorkerSeen) -> tuple[DiskIdentity, ...]:
    return one.facts.disks if one.facts is not None else ()


def _disk(one: DiskIdentity) -> dict[str, object]:
    return {
        "path": one.path, "uuid": one.uuid, "size_bytes": one.size_bytes, "in_use": list(one.in_use)
    }  # fmt: skip


def _lines(around: Surroundings) -> Iterator[str]:
    from resources.foreign_text import shown  # noqa: PLC0415 - after the help
    from wizards.flows.choices import candidates_of, offer_worker  # noqa: PLC0415

    for what, kind in (("Datastores", "Datastore"), ("Clusters", "ClusterComputeResource")):
        names = [shown(one.object.name) for one in around.of_kind(kind)]
        if names:
            yield f"{what}: {', '.join(names)}"
    if around.workers:
        yield "Workers:"
    for seen in around.workers:
        one = offer_worker(seen, around)
        yield f"  {'▲' if one.why_not else '●'} {shown(one.name)}  {shown(one.why_not or one.about)}"
    named = {one.name for one in around.workers}
    others = [one for one in candidates_of(around) if one.name not in named]
    if others:
        yield "VMs:"
    for one in others:
        yield f"  {'–' if one.why_not else '○'} {shown(one.name)}  {shown(one.why_not or one.about)}"
