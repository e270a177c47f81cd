"""QueryPerf replies as text, with the counters that the benchmarks of vCenter use."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from types import MappingProxyType

from collectors.vsphere.counters.metrics import Definition
from collectors.vsphere.inventory.objects import VM, Managed
from sessions.model import EntityRef

INTERVAL_S = 20
T0_MS = 1_795_267_200_000
COUNTERS = 30

VM_OWN = (
    "cpu.usage.average", "cpu.run.summation", "cpu.ready.summation", "cpu.costop.summation",
    "cpu.maxlimited.summation", "cpu.swapwait.summation", "cpu.system.summation", "cpu.latency.average",
    "mem.latency.average", "mem.swapinRate.average", "mem.swapoutRate.average", "mem.vmmemctl.average",
    "mem.vmmemctltarget.average", "mem.granted.average", "mem.consumed.average", "mem.active.average",
    "mem.swapped.average", "mem.compressionRate.average",
)  # fmt: skip
VM_EACH = (
    "virtualDisk.numberReadAveraged.average", "virtualDisk.numberWriteAveraged.average",
    "virtualDisk.read.average", "virtualDisk.write.average", "virtualDisk.totalReadLatency.average",
    "virtualDisk.totalWriteLatency.average", "net.packetsTx.summation", "net.packetsRx.summation",
    "net.transmitted.average", "net.received.average", "net.droppedTx.summation", "net.droppedRx.summation",
)  # fmt: skip
HOST_OWN = (
    "cpu.usage.average", "cpu.utilization.average", "cpu.coreUtilization.average", "mem.sysUsage.average",
    "mem.state.latest", "mem.swapused.average", "mem.swapinRate.average", "mem.swapoutRate.average",
    "mem.vmmemctl.average", "power.power.average",
)  # fmt: skip
HOST_EACH = (
    "disk.commandsAveraged.average", "disk.deviceLatency.average", "disk.kernelLatency.average",
    "disk.queueLatency.average", "disk.read.average", "disk.write.average", "disk.commandsAborted.summation",
    "disk.busResets.summation", "net.packetsTx.summation", "net.packetsRx.summation",
    "net.transmitted.average", "net.received.average", "net.droppedTx.summation", "net.droppedRx.summation",
    "storageAdapter.commandsAveraged.average", "storageAdapter.queueDepth.average",
    "storageAdapter.read.average", "storageAdapter.write.average", "storageAdapter.queueLatency.average",
    "storageAdapter.outstandingIOs.average",
)  # fmt: skip
NAMES = tuple(dict.fromkeys((*VM_OWN, *VM_EACH, *HOST_OWN, *HOST_EACH)))
DEFINITIONS = [Definition(number, name, "number") for number, name in enumerate(NAMES, 2)]
IDS = {definition.name: definition.id for definition in DEFINITIONS}


def sample_info(times: Iterable[int]) -> str:
    """Return the sampleInfoCSV for samples at these times (ms): interval and instant of each."""
    stamps = (datetime.fromtimestamp(t // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") for t in times)
    return ",".join(f"{INTERVAL_S},{stamp}" for stamp in stamps)


def series_xml(counter: int, instance: str, values: str) -> str:
    """Return the XML of one series; ``values`` are comma-separated."""
    return (
        f'<value xsi:type="PerfMetricSeriesCSV"><id><counterId>{counter}</counterId>'
        f"<instance>{instance}</instance></id><value>{values}</value></value>"
    )


def entity_xml(moid: str, kind: str, info: str, rows: str) -> str:
    """Return the XML of one entity; ``info`` is its sampleInfoCSV, ``rows`` the XML of its series."""
    return (
        f'<returnval xsi:type="PerfEntityMetricCSV"><entity type="{kind}">{moid}</entity>'
        f"<sampleInfoCSV>{info}</sampleInfoCSV>{rows}</returnval>"
    )


def reply_envelope(body: Iterable[str]) -> bytes:
    """Return the SOAP reply with the XML of these entities."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope'
        ' xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"'
        ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>'
        f'<QueryPerfResponse xmlns="urn:vim25">{"".join(body)}</QueryPerfResponse>'
        "</soapenv:Body></soapenv:Envelope>"
    ).encode()


def managed_object(moid: str, kind: str, host: str | None) -> Managed:
    """Return a running host or VM with 4 vCPUs; ``host`` is the moid of a VM's host."""
    ref = EntityRef("vm" if kind == VM else "host", moid)
    return Managed(moid, kind, ref, moid, host, 4, True, True, None, MappingProxyType({}))
