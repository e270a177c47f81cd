"""Ports, interrupts and power, as the API's esxtop service tells a host of the lab."""

from __future__ import annotations

from lab.esxtop_tables import INTERRUPT_PER_CPU
from lab.fields import C_STATES, P_STATES, T_STATES
from lab.inventory import Cluster, Host
from lab.layout import VECTORS
from lab.service_counting import HostCounts
from lab.service_lines import Lines, Objects
from lab.worlds import NO_OWNER

_KINDS = (("C", C_STATES), ("P", P_STATES), ("T", T_STATES))
_PORT = "Network Port"


def tell_network(counts: HostCounts, cluster: Cluster, lines: Lines, objects: Objects) -> None:
    """Tell the ports of each switch, then the physical NICs."""
    ports = [(row, port) for row, port in enumerate(counts.layout.ports) if counts.is_there(port.vm)]
    switches: dict[str, list[int]] = {}
    for row, port in ports:
        switches.setdefault(port.name.partition(":")[0], []).append(row)
    nics = [row for row, port in ports if port.uplink != NO_OWNER]
    objects.add("Net", top=True, TotalPorts=len(ports), NetPortset=len(switches), PNIC=len(nics))
    lines.add("Net", NumOfPortsets=len(switches), NumOfPNICs=len(nics))
    told = counts.counts(_PORT).lists()
    for switch, rows in switches.items():
        lines.add("NetPortset", PortsetName=switch, IsValid=1, NumOfPorts=len(rows))
        for row in rows:
            port = counts.layout.ports[row]
            _, number, client = port.name.split(":", 2)
            vm = cluster.vms[port.vm] if port.vm != NO_OWNER else None
            is_uplink = port.uplink != NO_OWNER
            lines.add(
                "NetPort", PortID=int(number), IsValid=1, IsUplink=int(is_uplink),
                ClientName=f"{vm.name}.eth0" if vm else client,
                TeamUplink=f"vmnic{vm.uplink}" if vm else "-" if is_uplink else "n/a",
                WorldLeader=vm.cartel if vm else 0, **{name: values[row] for name, values in told.items()},
            )  # fmt: skip
    for row in nics:
        _, number, client = counts.layout.ports[row].name.split(":")
        lines.add(
            "PNIC", PNICName=client, UplinkPort=int(number), IsValid=1,
            IsLinkUp=counts.now(_PORT, "Link Up?", row),
            SpeedInMbps=counts.now(_PORT, "Link Speed (Mb/s)", row),
            IsFullDuplex=counts.now(_PORT, "Full Duplex?", row),
        )  # fmt: skip


def tell_interrupts(counts: HostCounts, host: Host, lines: Lines, objects: Objects) -> None:
    """Tell each vector, and what it cost each processor."""
    objects.add("Interrupt", top=True, InterruptVector=len(VECTORS))
    lines.add("Interrupt", NumOfInterruptVectors=len(VECTORS))
    told = counts.counts(INTERRUPT_PER_CPU).lists()
    for number, vector in enumerate(VECTORS):
        lines.add(
            "InterruptVector", VectorID=int(vector, 16), Devices=f"VMK vector {vector}", NumOfCPUs=host.pcpus
        )
        for pcpu in range(host.pcpus):
            row = number * host.pcpus + pcpu
            lines.add("InterruptPerCPU", CPUID=pcpu, **{name: values[row] for name, values in told.items()})


def tell_power(counts: HostCounts, host: Host, lines: Lines, objects: Objects) -> None:
    """Tell the host's power, which states there are, and how long each processor was in each."""
    pcpus = host.pcpus
    objects.add("Power", top=True, CState=C_STATES, PState=P_STATES, TState=T_STATES, LCPU=pcpus)
    watts, cap = (counts.now("Power", f"Power Usage {what} Watts", 0) for what in ("Now", "Cap"))
    lines.add("Power", NumOfLCPUs=pcpus, UsageNowInWatt=watts, UsageCapInWatt=cap)
    for kind, count in _KINDS:
        for state in range(count):
            lines.add(f"{kind}StateInfo", StateID=state)
    told = counts.counts("PCPU Power State").lists()
    for pcpu in range(pcpus):
        lines.add(
            "LCPUPower", LCPUID=pcpu, Aperf=told["Aperf"][pcpu], Mperf=told["Mperf"][pcpu],
            NumOfCStates=C_STATES, NumOfPStates=P_STATES, NumOfTStates=T_STATES,
        )  # fmt: skip
        for kind, count in _KINDS:
            for state in range(count):
                time_us = told[f"{kind}{state}"][pcpu]
                lines.add(f"{kind}State", StateID=state, ResidentTimeInUsec=time_us)
