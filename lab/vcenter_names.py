"""What a vCenter calls the lab's cluster, its datastores and the pools that have a limit."""

from __future__ import annotations

from collections.abc import Mapping

from lab.inventory import NFS_LUN, POOLS, SHARED_LUNS, Cluster

CLUSTER_NAME = "Cluster-01"


def datastore_names(cluster: Cluster) -> Mapping[int, str]:
    """Return the datastore's name of each shared LUN and NFS export, by position of the LUN."""
    names = {
        lun: f"{cluster.arrays[cluster.luns[lun].array].name}-ds{lun + 1:02d}" for lun in range(SHARED_LUNS)
    }
    return {**names, NFS_LUN: cluster.luns[NFS_LUN].name}


def limited_pool_name(host: int, pool: int) -> str:
    """Return the name of the pool that holds a host's VMs of a pool whose limit applies there."""
    return f"{POOLS[pool]} {host}"
