"""Asks the performance service of one cluster for one type of entity, and gets round what it refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from xml.sax.saxutils import escape

from collectors.vsphere.vsan.replies import EntitySamples, decode, missing_label
from connections.vsphere.faults import SoapFault
from connections.vsphere.soap import text_of
from connections.vsphere.vsan import VsanApi, VsanMethod

_PERF = "VsanPerformanceManager", "vsan-performance-manager"
_QUERY = VsanMethod("VsanPerfQueryPerf", *_PERF)
_TYPES = VsanMethod("VsanPerfGetSupportedEntityTypes", *_PERF)
_WHAT = "vSAN's performance"
_INVALID = "InvalidArgument"

Span = tuple[int, int]
"""From and until when, in ms since 1970."""


def supported_types(api: VsanApi) -> dict[str, int]:
    """Return the types that the service supports, and how many metrics each has. Raises SourceError."""
    return {
        name: sum(1 for _ in one.iter("{*}metrics"))
        for one in api.ask(_TYPES, what=_WHAT)
        if (name := text_of(one, "id") or text_of(one, "name"))
    }


class ClusterQueries:
    """The queries of one cluster.

    ``refused`` remembers for the recording which types and entities the service refused, with its words;
    ``dropped`` the labels that it lacks, by type.

    Only one specification of a call may name all entities of a type (``disk-group:*``), so each type is a
    call of its own. A single unknown entity or type makes the whole call fail: then the entities are asked
    for by their own ids, halved until those that are refused are alone.
    """

    def __init__(self, api: VsanApi, cluster: str) -> None:
        self._api, self._cluster = api, cluster
        self.refused: dict[str, str] = {}
        self.dropped: dict[str, set[str]] = {}

    def ask(
        self, kind: str, labels: Sequence[str], span: Span, ids: Callable[[], Sequence[str]]
    ) -> list[EntitySamples]:
        """Return the samples of all entities of the type ``kind``.

        ``ids`` gives them where the service does not take ``*``. Raises SourceError for what no other
        question would change.
        """
        wildcard = f"{kind}:*"
        if wildcard not in self.refused:
            found = self._try([wildcard], kind, labels, span)
            if found is not None:
                return found
        return self._split([f"{kind}:{one}" for one in ids()], kind, labels, span)

    def _split(
        self, entities: Sequence[str], kind: str, labels: Sequence[str], span: Span
    ) -> list[EntitySamples]:
        wanted = [one for one in entities if one not in self.refused]
        if not wanted:
            return []
        found = self._try(wanted, kind, labels, span)
        if found is not None or len(wanted) == 1:
            return found or []
        half = len(wanted) // 2
        return [
            one for part in (wanted[:half], wanted[half:]) for one in self._split(part, kind, labels, span)
        ]

    def _try(
        self, entities: Sequence[str], kind: str, labels: Sequence[str], span: Span
    ) -> list[EntitySamples] | None:
        """The samples; None if the service calls these entities wrong, which it does for all if one is."""
        for _ in range(len(labels) + 1):
            known = [label for label in labels if label not in self.dropped.get(kind, ())]
            if not known:
                return []
            try:
                return list(
                    decode(self._api.ask(_QUERY, self._cluster, _specs(entities, known, span), _WHAT))
                )
            except SoapFault as fault:
                label = missing_label(fault.text)
                if label in known:
                    self.dropped.setdefault(kind, set()).add(label)
                elif fault.type_name == _INVALID:
                    if len(entities) == 1:
                        self.refused[entities[0]] = " ".join(fault.text.split())[:200]
                    return None
                else:
                    raise
        return []


def _specs(entities: Sequence[str], labels: Sequence[str], span: Span) -> str:
    start, end = (datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="seconds") for at in span)
    wanted = "".join(f"<labels>{escape(label)}</labels>" for label in labels)
    return "".join(
        f"<querySpecs><entityRefId>{escape(one)}</entityRefId><startTime>{start}</startTime>"
        f"<endTime>{end}</endTime>{wanted}</querySpecs>"
        for one in entities
    )
