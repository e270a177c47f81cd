"""What a reply states beside numbers: which device a path leads to, which uplink a port uses."""

from __future__ import annotations

from collections.abc import Container

from collectors.esxtop_service.reply import Reply
from sessions.model import EntityRef

_NO_UPLINK = frozenset({"", "-", "n/a"})


def device_facts(
    reply: Reply, host: str, there: Container[EntityRef]
) -> dict[tuple[EntityRef, str], str | float]:
    """Return facts of entities that are ``there``, by entity and name."""
    found: dict[tuple[EntityRef, str], str | float] = {}
    if "Path" in reply:
        paths = reply["Path"]
        for path, device in zip(paths.words("PathName"), paths.words("DeviceName"), strict=True):
            found[EntityRef("path", f"{host}/{path}"), "path.device"] = device
    if "NetPort" in reply:
        ports = reply["NetPort"]
        both = zip(ports.counts("PortID").tolist(), ports.words("TeamUplink"), strict=True)
        for number, uplink in both:
            if uplink not in _NO_UPLINK:
                found[EntityRef("port", f"{host}/port/{number}"), "port.uplink"] = uplink
    return {key: value for key, value in found.items() if key[0] in there}
