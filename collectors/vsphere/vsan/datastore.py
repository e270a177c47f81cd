"""What a whole vSAN datastore shows, computed from samples of its disk groups, hosts and disks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from collectors.vsphere.vsan.cluster import VsanCluster
from collectors.vsphere.vsan.replies import EntitySamples
from resources.vsan_service import Metric, OfDatastore, VsanService
from sessions.model import FloatArray

_WHOLE = 100.0
_SIBLINGS = 3
"""Disks without which there is no median to compare one with."""

Samples = dict[int, float]
"""Values by time (ms), in the counter's canonical unit."""


def of_datastore(
    service: VsanService, cluster: VsanCluster, samples: Sequence[EntitySamples]
) -> Iterator[tuple[OfDatastore, Samples]]:
    """Yield each counter of the cluster's datastore that these samples give."""
    for one in service.of_datastore(cluster.architecture):
        there = [entity for entity in samples if entity.type in one.types]
        if one.how == "missed":
            found = _missed(one, there) if cluster.is_hybrid else {}
        elif one.how == "skew":
            found = _skew(one, there, cluster, service)
        else:
            found = _extreme(one, there, service, cluster)
        if found:
            yield one, found


def _extreme(
    one: OfDatastore, samples: Iterable[EntitySamples], service: VsanService, cluster: VsanCluster
) -> Samples:
    metrics = _metrics(service, cluster)
    by_time: dict[int, list[float]] = defaultdict(list)
    for entity in samples:
        for label in one.labels:
            if label in entity.values and label in metrics[entity.type]:
                factor = metrics[entity.type][label].factor
                for at, value in _present(entity, entity.values[label]):
                    by_time[at].append(value * factor)
    pick = max if one.how == "highest" else min
    return {at: pick(values) for at, values in by_time.items()}


def _missed(one: OfDatastore, samples: Iterable[EntitySamples]) -> Samples:
    """What is missing to 100 % on average of all reads; nothing where nobody reads."""
    reads: dict[int, float] = defaultdict(float)
    missed: dict[int, float] = defaultdict(float)
    for entity in samples:
        weight, hits = entity.values.get(one.weight), entity.values.get(one.labels[0])
        if weight is not None and hits is not None:
            for at, lacking in _present(entity, weight * (_WHOLE - np.minimum(hits, _WHOLE))):
                missed[at] += lacking
            for at, number in _present(entity, np.where(np.isnan(hits), np.nan, weight)):
                reads[at] += number
    return {at: missed[at] / number for at, number in reads.items() if number > 0}


def _skew(
    one: OfDatastore, samples: Iterable[EntitySamples], cluster: VsanCluster, service: VsanService
) -> Samples:
    """The slowest disk over the median of its disk group, or of its host where there are no groups."""
    metrics, label = _metrics(service, cluster), one.labels[0]
    groups: dict[tuple[int, str], list[float]] = defaultdict(list)
    for entity in samples:
        disk = cluster.disks.get(entity.uuid)
        if disk is not None and label in entity.values and label in metrics[entity.type]:
            group = disk.group if cluster.architecture == "OSA" else disk.host.key if disk.host else ""
            for at, value in _present(entity, entity.values[label] * metrics[entity.type][label].factor):
                if value > 0 and group:
                    groups[at, group].append(value)
    found: Samples = {}
    for (at, _), latencies in groups.items():
        if len(latencies) >= _SIBLINGS:
            slowest = max(latencies)
            ratio = slowest / float(np.median(latencies)) if slowest >= service.timing.skew_from_ms else 1.0
            found[at] = max(found.get(at, 0.0), ratio)
    return found


def _metrics(service: VsanService, cluster: VsanCluster) -> dict[str, dict[str, Metric]]:
    """The metrics of each type by label."""
    return {kind.id: service.metrics(kind, cluster.architecture) for kind in service.type}


def _present(entity: EntitySamples, values: FloatArray) -> Iterator[tuple[int, float]]:
    pairs: Mapping[int, float] = dict(zip(entity.times.tolist(), values.tolist(), strict=True))
    return ((at, value) for at, value in pairs.items() if not np.isnan(value))
