"""Makes SOAP envelopes of QueryPerf in csv format, as bytes, without an XML serialiser.

The metric list of a kind of entity is rendered once and reused for each entity: a query of 35,000 VMs with 30
counters has more than a million elements.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

_HEAD = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n'
    b'<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"'
    b' xmlns:xsd="http://www.w3.org/2001/XMLSchema"'
    b' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
    b'<soapenv:Body><QueryPerf xmlns="urn:vim25">'
)
_TAIL = b"</QueryPerf></soapenv:Body></soapenv:Envelope>"


@dataclass(frozen=True, slots=True)
class MetricList:
    """The (counter id, instance) pairs queried of an entity; "" is its own value, "*" all instances."""

    ids: tuple[tuple[int, str], ...]
    xml: bytes

    def __len__(self) -> int:
        return len(self.ids)


def metric_list(ids: Iterable[tuple[int, str]]) -> MetricList:
    """Return the pairs with their XML, which is rendered here once."""
    pairs = tuple(ids)
    return MetricList(pairs, "".join(_metric(counter, instance) for counter, instance in pairs).encode())


def _metric(counter: int, instance: str) -> str:
    return f"<metricId><counterId>{counter:d}</counterId><instance>{_text(instance)}</instance></metricId>"


@dataclass(frozen=True, slots=True)
class QuerySpec:
    """A query for samples of one entity, after ``start_ms`` up to and including ``end_ms``
    (server's clock).
    """

    moid: str
    type: str
    metrics: MetricList
    start_ms: int
    end_ms: int


def query_perf(manager: str, specs: Sequence[QuerySpec], interval_s: int) -> bytes:
    """Return the envelope that queries the PerformanceManager with id ``manager`` for ``specs`` at
    ``interval_s`` seconds.
    """
    tail = f"<intervalId>{interval_s:d}</intervalId><format>csv</format></querySpec>".encode()
    parts = [_HEAD, f'<_this type="PerformanceManager">{_text(manager)}</_this>'.encode()]
    for spec in specs:
        parts += [
            (
                f"<querySpec><entity type={quoteattr(_legal(spec.type))}>{_text(spec.moid)}</entity>"
                f"<startTime>{stamp(spec.start_ms)}</startTime><endTime>{stamp(spec.end_ms)}</endTime>"
            ).encode(),
            spec.metrics.xml,
            tail,
        ]
    parts.append(_TAIL)
    return b"".join(parts)


def stamp(t_ms: int) -> str:
    """Format a time as ``2026-11-21T13:37:53Z``, with milliseconds only if they are not zero."""
    at = datetime.fromtimestamp(t_ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{at}.{t_ms % 1000:03d}Z" if t_ms % 1000 else f"{at}Z"


def _text(text: str) -> str:
    return escape(_legal(text), {"\r": "&#13;"})


def _legal(text: str) -> str:
    """Without characters that XML 1.0 can't hold, escaped or not."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c
        for c in text
        if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff" and not "\ud800" <= c <= "\udfff")
    )
