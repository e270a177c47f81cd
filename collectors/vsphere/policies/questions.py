"""Asks which object has which storage policy, whether it complies with it, and what the policies say."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, NamedTuple, TypeVar

from lxml import etree

from collectors.vsphere.inventory.elements import tidy
from collectors.vsphere.inventory.facts import FactValue, Pair
from connections.vsphere.policies import SERVICE, Element, PolicyApi, element
from connections.vsphere.soap import text_of
from resources.storage_policies import PolicyService

T = TypeVar("T")
ObjectType = Literal["virtualMachine", "virtualDiskId"]
_XSI_TYPE = "{http://www.w3.org/2001/XMLSchema-instance}type"


class PolicyObject(NamedTuple):
    """What can have a policy: a VM's home (``vm-42``) or a virtual disk (``vm-42:2000``)."""

    type: ObjectType
    key: str


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy's name, and those of its rules that become facts."""

    name: str
    rules: tuple[Pair, ...] = ()


@dataclass(slots=True)
class PolicyQuestions:
    """The questions to one vCenter, each for as many objects as fit into a call.

    All methods raise SourceError, SoapFault.
    """

    api: PolicyApi
    service: PolicyService
    _managers: dict[str, tuple[str, str]] = field(default_factory=dict)

    def associated(self, objects: Sequence[PolicyObject]) -> dict[PolicyObject, str]:
        """Return the id of each object's policy, empty where it has none; objects of which the server can't
        say are left out.
        """
        found: dict[PolicyObject, str] = {}
        for asked in self._batches(objects):
            for one in self._ask("PbmQueryAssociatedProfiles", "profileManager", _entities(asked)):
                if one.find("{*}fault") is None and (known := _object(one.find("{*}object"))):
                    found[known] = text_of(one, "profileId", "uniqueId")
        return found

    def compliance(self, objects: Sequence[PolicyObject]) -> dict[PolicyObject, str]:
        """Return what the last check of compliance found (``compliant``, ``nonCompliant`` …); nothing is
        checked for that.
        """
        found: dict[PolicyObject, str] = {}
        for asked in self._batches(objects):
            for one in self._ask("PbmFetchComplianceResult", "complianceManager", _entities(asked)):
                if known := _object(one.find("{*}entity")):
                    found[known] = tidy(text_of(one, "complianceStatus"))
        return found

    def defaults(self, datastores: Sequence[str]) -> dict[str, str]:
        """Return the name of each datastore's default policy; ``datastores`` are moids."""
        found: dict[str, str] = {}
        for asked in self._batches(datastores):
            hubs = (_hub(moid) for moid in asked)
            for one in self._ask("PbmQueryDefaultRequirementProfiles", "profileManager", hubs):
                if name := tidy(text_of(one, "defaultProfile", "name")):
                    found.update((text_of(hub, "hubId"), name) for hub in one.iterfind("{*}datastores"))
        return found

    def policies(self, ids: Collection[str]) -> dict[str, Policy]:
        """Return policies by id, with the rules of the components that they name."""
        profiles = self._profiles(sorted(ids))
        most = self.service.component.most
        components = {id_: list(islice(self._components(one), most)) for id_, one in profiles.items()}
        named = sorted({one for all_ in components.values() for one in all_})
        parts = self._profiles(named) if named else {}
        return {
            id_: Policy(
                tidy(text_of(one, "name")),
                self._rules((one, *(parts[part] for part in components[id_] if part in parts))),
            )
            for id_, one in profiles.items()
        }

    def _profiles(self, ids: Sequence[str]) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for asked in self._batches(ids):
            wanted = (f"<profileIds>{element('uniqueId', id_)}</profileIds>" for id_ in asked)
            for one in self._ask("PbmRetrieveContent", "profileManager", wanted):
                found[text_of(one, "profileId", "uniqueId")] = one
        wanted_ids = set(ids)
        return {id_: one for id_, one in found.items() if id_ in wanted_ids}

    def _components(self, profile: Element) -> Iterator[str]:
        namespace = self.service.component.namespace
        return (str(value) for of, _, _, value in _properties(profile) if of == namespace)

    def _rules(self, profiles: Iterable[Element]) -> tuple[Pair, ...]:
        """The rules as facts; of several values of one, the lowest: all of them must hold."""
        found: dict[str, FactValue] = {}
        for profile in profiles:
            for namespace, capability, property_, value in _properties(profile):
                for rule in self.service.rule:
                    if not rule.is_of(namespace, capability, property_) or not rule.allows(value):
                        continue
                    known = found.get(rule.fact)
                    is_lower = isinstance(known, float) and isinstance(value, float) and value < known
                    if known is None or is_lower:
                        found[rule.fact] = value
        return tuple(sorted(found.items()))

    def _ask(self, method: str, manager: str, body: Iterable[str]) -> list[Element]:
        if manager not in self._managers:
            for content in self.api.ask("PbmRetrieveServiceContent", SERVICE):
                for one in content.iterfind("{*}*"):
                    if moid := text_of(one):
                        self._managers[etree.QName(one).localname] = one.get("type", ""), moid
        return self.api.ask(method, self._managers.get(manager, ("", "")), body)

    def _batches(self, wanted: Sequence[T]) -> Iterator[Sequence[T]]:
        size = self.service.timing.batch
        return (wanted[at : at + size] for at in range(0, len(wanted), size))


def _entities(objects: Iterable[PolicyObject]) -> Iterator[str]:
    return (
        f"<entities>{element('objectType', one.type)}{element('key', one.key)}</entities>" for one in objects
    )


def _hub(datastore: str) -> str:
    return f"<datastores>{element('hubType', 'Datastore')}{element('hubId', datastore)}</datastores>"


def _object(reference: Element | None) -> PolicyObject | None:
    match text_of(reference, "objectType"):
        case "virtualMachine" | "virtualDiskId" as kind:
            return PolicyObject(kind, text_of(reference, "key"))
    return None


def _properties(profile: Element) -> Iterator[tuple[str, str, str, FactValue]]:
    """Yield namespace, capability, property and value of all rules; ranges and sets are left out."""
    for capability in profile.iterfind("{*}constraints/{*}subProfiles/{*}capability"):
        of = text_of(capability, "id", "namespace"), text_of(capability, "id", "id")
        for one in capability.iterfind("{*}constraint/{*}propertyInstance"):
            value = one.find("{*}value")
            if value is not None and not len(value):
                yield *of, text_of(one, "id"), _value(value)


def _value(written: Element) -> FactValue:
    kind, text = written.get(_XSI_TYPE, "").rpartition(":")[2], (written.text or "").strip()
    if kind == "boolean":
        return text in ("true", "1")
    try:
        number = float(text) if kind != "string" else math.nan
    except ValueError:
        return tidy(text)
    return number if math.isfinite(number) else tidy(text)
