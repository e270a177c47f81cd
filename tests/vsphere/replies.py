"""Writes replies to QueryPerf as a vCenter does, for the decoder's tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<soapenv:Envelope'
    ' xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"'
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body>'
    '<QueryPerfResponse xmlns="urn:vim25">'
)
TAIL = "</QueryPerfResponse></soapenv:Body></soapenv:Envelope>"


@dataclass
class Answer:
    """What a reply says of one entity: ``series`` are (counter id, instance, values as text)."""

    moid: str
    info: str
    series: list[tuple[str, str, str]] = field(default_factory=list)

    def xml(self) -> str:
        parts = [
            '<returnval xsi:type="PerfEntityMetricCSV">',
            f'<entity type="VirtualMachine">{escape(self.moid)}</entity>',
            f"<sampleInfoCSV>{escape(self.info)}</sampleInfoCSV>",
        ]
        for counter, instance, text in self.series:
            parts.append(
                f'<value xsi:type="PerfMetricSeriesCSV"><id><counterId>{escape(counter)}</counterId>'
                f"<instance>{escape(instance)}</instance></id><value>{escape(text)}</value></value>"
            )
        return "".join(parts) + "</returnval>"


def reply(answers: Sequence[Answer]) -> bytes:
    return (HEAD + "".join(answer.xml() for answer in answers) + TAIL).encode()


def info(stamps: Sequence[str]) -> str:
    return ",".join(f"20,{text}" for text in stamps)
