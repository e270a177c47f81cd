"""Raw SOAP requests, as the counters' code writes them."""

from __future__ import annotations


def envelope(method: str, this: tuple[str, str], inside: str = "") -> bytes:
    kind, moid = this
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>'
        f'<{method} xmlns="urn:vim25"><_this type="{kind}">{moid}</_this>{inside}</{method}>'
        "</soapenv:Body></soapenv:Envelope>"
    ).encode()


CURRENT_TIME = envelope("CurrentTime", ("ServiceInstance", "ServiceInstance"))
PROVIDER = envelope(
    "QueryPerfProviderSummary", ("PerformanceManager", "PerfMgr"), '<entity type="HostSystem">{}</entity>'
)
