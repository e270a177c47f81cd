"""What a vCenter calls itself, the lab's cluster, its datastores and the pools that have a limit."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from lab.inventory import NFS_LUN, POOLS, SHARED_LUNS, VSAN_LUN, Cluster

CLUSTER_NAME = "Cluster-01"
VCENTER_NAME = "vc01.lab"
_NAMESPACE = uuid.UUID("c1a4f6d2-93b7-5a0e-8c55-6e2d7b4f1a90")


def datastore_names(cluster: Cluster) -> Mapping[int, str]:
    """Return the datastore's name of each shared LUN and NFS export, by position of the LUN."""
    names = {
        lun: f"{cluster.arrays[cluster.luns[lun].array].name}-ds{lun + 1:02d}" for lun in range(SHARED_LUNS)
    }
    vsan = {VSAN_LUN: cluster.luns[VSAN_LUN].name} if cluster.vsan else {}
    return {**names, NFS_LUN: cluster.luns[NFS_LUN].name, **vsan}


def vsan_disk_name(cluster: Cluster, host: int, number: int) -> str:
    """Return the device name of a host's disk that vSAN uses: capacity disks from 0, the cache disk is −1."""
    digits = uuid.uuid5(_NAMESPACE, f"{cluster.worlds_seed}/{host}/{number}").hex
    return f"naa.5{digits[:15]}"


def limited_pool_name(host: int, pool: int) -> str:
    """Return the name of the pool that holds a host's VMs of a pool whose limit applies there."""
    return f"{POOLS[pool]} {host}"
