"""Which hosts and VMs are recorded."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from collectors.vsphere.inventory.objects import CLUSTER, DATASTORE, HOST, VM, Inventory, Managed
from collectors.vsphere.selection import Selection, parse_selection, unmatched
from resources.failures import UsageError
from sessions.model import EntityRef, Kind


def managed(
    moid: str, type_name: str, name: str, host: str | None = None, cluster: str | None = None
) -> Managed:
    kind: Kind = "vm" if type_name == VM else "host"
    return Managed(
        moid, type_name, EntityRef(kind, moid), name, host, 1, True, True, cluster, MappingProxyType({})
    )


INVENTORY = Inventory(
    MappingProxyType(
        {
            one.moid: one
            for one in (
                managed("c-1", CLUSTER, "Prod"),
                managed("c-2", CLUSTER, "Test"),
                managed("h-1", HOST, "esx01.lab", cluster="c-1"),
                managed("h-2", HOST, "esx02.lab", cluster="c-1"),
                managed("h-3", HOST, "esx11.lab", cluster="c-2"),
                managed("v-1", VM, "SQL01", "h-1", "c-1"),
                managed("v-2", VM, "sql02", "h-3"),
                managed("v-3", VM, "web", "h-2", "c-1"),
                managed("d-1", DATASTORE, "gold"),
            )
        }
    )
)


def chosen(*words: str) -> set[str]:
    return set(parse_selection(words).of(INVENTORY))


def test_everything_by_default() -> None:
    assert Selection().of(INVENTORY) is INVENTORY.objects


def test_vms_come_with_their_hosts_only() -> None:
    assert chosen("vm:SQL*") == {"v-1", "v-2", "h-1", "h-3"}


def test_hosts_take_their_vms() -> None:
    assert chosen("host:esx0*") == {"h-1", "h-2", "v-1", "v-3"}


def test_clusters_take_hosts_and_vms() -> None:
    assert chosen("cluster:prod") == {"c-1", "h-1", "h-2", "v-1", "v-3"}
    assert chosen("cluster:Test", "datastore:*") == {"c-2", "h-3", "v-2", "d-1"}


def test_what_names_nothing_is_said() -> None:
    assert unmatched(parse_selection(["vm:Oracle*", "host:esx01*"]), INVENTORY) == ["vm:oracle*"]


@pytest.mark.parametrize("word", ["SQL*", "vm:", "pool:x", ":x", ""])
def test_what_selects_nothing_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="selects nothing"):
        parse_selection([word])
