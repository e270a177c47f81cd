"""VM names such as admins give: with prefixes, numbers, spaces, parentheses and vCloud's UUIDs."""

from __future__ import annotations

import numpy as np

_TEMPLATES: dict[str, tuple[str, ...]] = {
    "web": (
        "web{n:02d}",
        "WEB-PROD-{n:02d}",
        "nginx-edge-{n}",
        "www{n}.example.org",
        "IIS{n:02d} (intranet)",
    ),
    "app": ("app{n:02d}", "tomcat-{n}", "SAP-APP{n:02d}", "JBOSS {n:02d} (billing)", "k8s-worker-{n:02d}"),
    "db": ("SQL{n:02d}", "ORA-PRD{n:02d}", "pg-main-{n}", "SQL{n:02d} ({uuid})", "MSSQL-BI-{n:02d}"),
    "dc": ("DC{n:02d}", "ADDS-{n:02d}", "dns{n}"),
    "file": ("FS{n:02d}", "fileserver {n}", "DFS-{n:02d} (archive)"),
    "mail": ("EXCH{n:02d}", "Exchange 2019 (DAG{n})", "zimbra{n}"),
    "vdi": ("W10-VDI-{n:03d}", "Win11 desktop {n:03d}", "VDI-POOL1-{n:03d}"),
    "ci": ("jenkins-agent-{n}", "gitlab-runner{n:02d}", "build{n:02d} (windows)"),
    "monitor": ("zabbix{n}", "prometheus-{n}", "PRTG probe {n}"),
    "appliance": ("vcsa{n:02d}", "loadbalancer-{n}", "OpenVPN AS {n}"),
    "proxy": ("squid{n}", "haproxy{n:02d}", "proxy-dmz-{n}"),
}

_LIKE = {"monster": "db", "single": "app"}
"""Roles whose VMs are named like those of another."""


class Names:
    """Makes unique VM names from a template for each role and site, so that they look like
    a grown fleet's.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._used: set[str] = set()
        self._style = {role: int(rng.integers(len(forms))) for role, forms in _TEMPLATES.items()}

    def take(self, role: str) -> str:
        """Return a name for a VM of the role that no other VM has."""
        role = _LIKE.get(role, role)
        forms = _TEMPLATES[role]
        odd = self._rng.random() < 0.15
        form = forms[int(self._rng.integers(len(forms)))] if odd else forms[self._style[role]]
        number = int(self._rng.integers(1, 9))
        while (name := form.format(n=number, uuid=self._uuid())) in self._used:
            number += 1
        self._used.add(name)
        return name

    def _uuid(self) -> str:
        digits = self._rng.bytes(16).hex()
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
