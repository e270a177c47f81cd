"""Forged replies of a vCenter's policy service: a refusal or plain facts, and no flood of calls."""

from __future__ import annotations

import contextlib
import math
import random
import re
from collections.abc import Callable

import pytest

from collectors.vsphere.policies.questions import Policy, PolicyObject, PolicyQuestions
from connections.vsphere.address import parse_address
from connections.vsphere.faults import SoapFault
from connections.vsphere.policies import PolicyApi
from resources.failures import SourceError
from resources.storage_policies import load_policy_service

XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
HOME, DISK = PolicyObject("virtualMachine", "vm-1"), PolicyObject("virtualDiskId", "vm-1:2000")
SERVICE = (
    '<returnval><profileManager type="PbmProfileProfileManager">ProfileManager</profileManager>'
    '<complianceManager type="PbmComplianceManager">ComplianceManager</complianceManager></returnval>'
)
OBJECT = "<objectType>virtualDiskId</objectType><key>vm-1:2000</key>"


def rule(namespace: str, capability: str, value: str, kind: str = "xsd:int") -> str:
    return (
        f"<capability><id><namespace>{namespace}</namespace><id>{capability}</id></id><constraint>"
        f'<propertyInstance><id>{capability}</id><value {XSI} xsi:type="{kind}">{value}</value>'
        "</propertyInstance></constraint></capability>"
    )


def profile(id_: str, name: str, *rules: str) -> str:
    return (
        f"<returnval><profileId><uniqueId>{id_}</uniqueId></profileId><name>{name}</name><constraints>"
        f"<subProfiles>{''.join(rules)}</subProfiles></constraints></returnval>"
    )


GENUINE = {
    "PbmRetrieveServiceContent": SERVICE,
    "PbmQueryAssociatedProfiles": f"<returnval><object>{OBJECT}</object><profileId><uniqueId>gold</uniqueId>"
    "</profileId></returnval>",
    "PbmFetchComplianceResult": f"<returnval><entity>{OBJECT}</entity><complianceStatus>compliant"
    "</complianceStatus></returnval>",
    "PbmQueryDefaultRequirementProfiles": "<returnval><datastores><hubType>Datastore</hubType><hubId>ds-1"
    "</hubId></datastores><defaultProfile><name>Default</name></defaultProfile></returnval>",
    "PbmRetrieveContent": profile(
        "gold",
        "Gold",
        rule("VSAN", "iopsLimit", "500"),
        rule("VSAN", "replicaPreference", "RAID-1", "xsd:string"),
        rule("com.vmware.storageprofile.dataservice", "x", "part", "xsd:string"),
    ),
}


class Forger:
    """A vCenter's connection whose replies are forged; it counts what it is asked."""

    def __init__(self, forge: Callable[[str, str], bytes] = lambda _method, inner: inner.encode()) -> None:
        self.address = parse_address("vcenter://u@vc")
        self.asked: list[str] = []
        self._forge = forge

    def post(self, envelope: Callable[[str], bytes], *_: object, **__: object) -> bytes:
        request = envelope("cookie").decode()
        found = re.search(r"<soapenv:Body><(\w+) ", request)
        assert found is not None
        self.asked.append(found[1])
        return self._forge(found[1], GENUINE[found[1]])

    @property
    def questions(self) -> PolicyQuestions:
        return PolicyQuestions(PolicyApi(self), load_policy_service())  # type: ignore[arg-type]


def enveloped(inner: str) -> bytes:
    return (
        '<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/">'
        f'<soapenv:Body><Reply xmlns="urn:pbm">{inner}</Reply></soapenv:Body></soapenv:Envelope>'
    ).encode("utf-8", "surrogatepass")


def all_of(forger: Forger) -> dict[str, Policy]:
    questions = forger.questions
    found = questions.associated([HOME, DISK])
    questions.compliance([HOME, DISK])
    questions.defaults(["ds-1"])
    return questions.policies({id_ for id_ in found.values() if id_} or {"gold"})


def require_plain(policies: dict[str, Policy]) -> None:
    for policy in policies.values():
        for text in (policy.name, *(value for _, value in policy.rules if isinstance(value, str))):
            assert text.isprintable(), ascii(text)
            assert len(text) < 1000
        for fact, value in policy.rules:
            assert not isinstance(value, float) or math.isfinite(value)
            if fact in {"policy_limit_iops", "policy_ftt", "policy_stripes", "policy_space_reservation"}:
                assert type(value) is float, (fact, value)
                assert value >= 0


def test_genuine_ones_are_read() -> None:
    policies = all_of(Forger(lambda _method, inner: enveloped(inner)))
    assert policies == {
        "gold": Policy("Gold", (("policy_limit_iops", 500.0), ("policy_raid", "RAID-1"))),
    }


HOSTILE = [
    "\x00", "\x1b[31m\u202e", "&#27;", "&#x202e;evil", "-1", "-500", "1e308", "1e999", "nan", "inf",
    "0x10", "1_000",
    "true", "", " ", "9" * 400, "L" * 100_000, "&lt;script&gt;", "<x/>", "<!-- c -->500", "<?pi x?>",
    "٣", "&bomb;",
    "<value>7</value>", "]]&gt;", "𝟝𝟘", "\ufffe",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(300))
def test_forged_ones_are_refused_or_give_plain_facts(seed: int) -> None:
    random_ = random.Random(seed)

    def forge(method: str, inner: str) -> bytes:
        for _ in range(random_.randint(1, 4)):
            places = [one.span(1) for one in re.finditer(r">([^<>]*)<", inner)] or [(0, 0)]
            match random_.randrange(6):
                case 0 | 1 | 2:
                    start, end = random_.choice(places)
                    inner = inner[:start] + random_.choice(HOSTILE) + inner[end:]
                case 3:
                    inner += inner if len(inner) < 50_000 else ""
                case 4:
                    cut = sorted(random_.randrange(len(inner) + 1) for _ in range(2))
                    inner = inner[: cut[0]] + inner[cut[1] :]
                case 5:
                    kinds = ("xsd:string", "xsd:boolean", "PbmCapabilityRange", ":", "&#10;")
                    inner = inner.replace("xsd:int", random_.choice(kinds))
        reply = enveloped(inner)
        return reply[: random_.randrange(len(reply))] if random_.random() < 0.05 else reply

    forger = Forger(forge)
    with contextlib.suppress(SourceError, SoapFault):
        require_plain(all_of(forger))
    assert len(forger.asked) < 30


def test_an_entity_bomb_is_refused() -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "' + b"A" * 1000 + b'"><!ENTITY b "' + b"&a;" * 1000 + b'">]>'
    inner = enveloped(profile("gold", "&b;&b;&b;")).removeprefix(b'<?xml version="1.0"?>')

    def forge(method: str, genuine: str) -> bytes:
        return bomb + inner if method == "PbmRetrieveContent" else enveloped(genuine)

    with contextlib.suppress(SourceError, SoapFault):
        require_plain(all_of(Forger(forge)))


def test_a_policy_that_names_thousands_of_components_costs_no_thousands_of_calls() -> None:
    rules = [
        rule("com.vmware.storageprofile.dataservice", "x", f"part-{number}", "xsd:string")
        for number in range(20_000)
    ]

    def forge(method: str, genuine: str) -> bytes:
        return enveloped(profile("gold", "Gold", *rules) if method == "PbmRetrieveContent" else genuine)

    forger = Forger(forge)
    require_plain(all_of(forger))
    assert len(forger.asked) < 20
