"""esxtop's view of the network: one row for each port of each virtual switch."""

from __future__ import annotations

import numpy as np

from lab.esxtop_tables import EsxtopTables
from lab.inventory import UPLINKS
from lab.layout import HostLayout, Port
from lab.parameters import Index
from lab.seen import Seen
from lab.worlds import NO_OWNER
from sessions.model import FloatArray, IntArray

_FRAME = 1200.0


class NetworkView:
    """Fills the table ``Network Port``."""

    def __init__(
        self,
        index: Index,
        layouts: tuple[HostLayout, ...],
        tables: EsxtopTables,
        rng: np.random.Generator,
    ) -> None:
        self._table = tables["Network Port"]
        self._rng = rng
        ports: list[tuple[int, Port]] = [
            (host, port) for host, one in enumerate(layouts) for port in one.ports
        ]
        self._vm_rows = np.flatnonzero([port.vm != NO_OWNER for _, port in ports])
        self._nic_rows = np.flatnonzero([port.uplink != NO_OWNER for _, port in ports])
        self._vmk_rows = np.flatnonzero([port.vmk != NO_OWNER for _, port in ports])
        self._nics = np.array(
            [host * UPLINKS + port.uplink for host, port in ports if port.uplink != NO_OWNER]
        )
        self._multicast = rng.uniform(0.2, 2.5, len(self._vm_rows))
        self._table.set({"Link Up?": 1.0})
        self._table.ticks["Full Duplex?"][:, self._nic_rows] = 1.0
        assert len(self._vm_rows) == index.vms

    def update(self, seen: Seen) -> None:
        """Write the values of the ticks that were seen."""
        network = seen.network
        row, nics, mine = self._table.ticks, self._nics, self._vm_rows
        row["Link Speed (Mb/s)"][:, self._nic_rows] = network.speed[:, nics]
        row["Link Up?"][:, self._nic_rows] = network.speed[:, nics] > 0
        self._write(mine, "Transmitted", network.tx_packets, network.tx)
        self._write(mine, "Received", network.rx_packets, network.rx)
        row["% Outbound Packets Dropped"][:, mine] = network.tx_drops
        row["% Received Packets Dropped"][:, mine] = network.rx_drops
        self._write(self._nic_rows, "Transmitted", network.nic_tx_packets[:, nics], network.nic_tx[:, nics])
        self._write(self._nic_rows, "Received", network.nic_rx_packets[:, nics], network.nic_rx[:, nics])
        row["% Received Packets Dropped"][:, self._nic_rows] = network.nic_rx_drops[:, nics]
        vmk_tx, vmk_rx = (one.reshape(len(seen), -1) for one in (network.vmk_tx, network.vmk_rx))
        self._write(self._vmk_rows, "Transmitted", vmk_tx * 125_000.0 / _FRAME, vmk_tx)
        self._write(self._vmk_rows, "Received", vmk_rx * 125_000.0 / _FRAME, vmk_rx)
        row["Multicast Packets Received/sec"][:, mine] = self._multicast
        row["Broadcast Packets Received/sec"][:, mine] = self._rng.poisson(8.0, (len(seen), len(mine))) / 5.0
        row["Actions Posted/sec"][:, mine] = 0.02 * network.tx_packets

    def _write(self, rows: IntArray, way: str, packets: FloatArray, mbits: FloatArray) -> None:
        row = self._table.ticks
        row[f"Packets {way}/sec"][:, rows] = packets
        row[f"MBits {way}/sec"][:, rows] = mbits
        size = np.where(packets > 0, mbits * 125_000.0 / np.maximum(packets, 1e-9), 0.0)
        row[f"Average Packet Size  {way} (Bytes)"][:, rows] = np.rint(size)
