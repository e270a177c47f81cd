"""Records storage policies as facts of VMs and datastores: seldom, in few calls, beside everything else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from collectors.feed import Controls, Feed
from collectors.vsphere.inventory.describe import Described
from collectors.vsphere.inventory.facts import Pair
from collectors.vsphere.inventory.objects import DATASTORE, VM, Managed
from collectors.vsphere.inventory.reported_facts import ReportedFacts
from collectors.vsphere.policies.questions import Policy, PolicyObject, PolicyQuestions
from connections.failures import ClosedError
from connections.vsphere.faults import ReplacedError, SoapFault
from connections.vsphere.policies import PolicyApi
from connections.vsphere.retry import MAX_BACKOFF_S, is_transient
from connections.vsphere.session import VSphere
from resources.failures import HyperscopeError, PrivilegeError, SourceError
from resources.storage_policies import PolicyService


class PolicyRecording:
    """The facts ``home.policy`` and ``vdisk.scsi0:0.policy`` of a VM, with compliance and rules
    (``vdisk.scsi0:0.policy_limit_iops``), and ``default_policy`` of a datastore.

    ``selected`` gives the objects that are recorded. What the server refuses ends nothing: ``noted`` is
    called with a sentence when that has changed, with an empty one when all is well again.
    """

    def __init__(
        self,
        vsphere: VSphere,
        feed: Feed,
        selected: Callable[[], Mapping[str, Managed]],
        service: PolicyService,
        noted: Callable[[str], None],
    ) -> None:
        self._vsphere, self._feed, self._selected, self._noted = vsphere, feed, selected, noted
        self._timing = service.timing
        self._questions = PolicyQuestions(PolicyApi(vsphere), service)
        self._reported = ReportedFacts()
        self._policy_of: dict[PolicyObject, str] = {}
        self._compliance: dict[PolicyObject, str] = {}
        self._policies: dict[str, Policy] = {}
        self._stores: dict[str, str] = {}
        self._vms: dict[str, Managed] = {}
        self._seen: Mapping[str, Managed] | None = None
        self._all_at = 0.0
        self._trouble = ""

    def run(self, controls: Controls) -> None:
        """Ask until told to stop. Raises ClosedError, ReplacedError."""
        failures = 0
        while not controls.is_set():
            wait_s = self._timing.new_after_s
            if not controls.paused:
                try:
                    self.round()
                    failures = 0
                except (ClosedError, ReplacedError):
                    raise
                except SourceError as error:
                    if is_transient(error):
                        failures += 1
                        wait_s = min(MAX_BACKOFF_S, 2.0**failures)
                        self._all_at = 0.0
                    self._tell(f"Storage policies are not read: {_why(error)}")
            controls.wait(wait_s)

    def round(self) -> None:
        """Ask about all objects when that is due, else about those that are new. Raises SourceError."""
        selected, now = self._selected(), time.monotonic()
        is_all = now >= self._all_at
        if selected is self._seen and not is_all:
            return
        vms = {one.moid: one for one in selected.values() if one.type == VM}
        stores = [one for one in selected.values() if one.type == DATASTORE]
        if is_all:  # also after a refusal: it is not asked again at once
            self._all_at = now + self._timing.interval_s
        objects = [one for vm in vms.values() for one, _ in _objects(vm)]
        asked = objects if is_all else [one for one in objects if one not in self._policy_of]
        self._forget(vms)
        self._ask(asked, is_all=is_all)
        new = stores if is_all else [one for one in stores if one.moid not in self._stores]
        if new:
            named = self._questions.defaults([one.moid for one in new])
            self._stores |= {one.moid: named.get(one.moid, "") for one in new}
        changed = {one.key.partition(":")[0] for one in asked}
        at = self._now_ms()
        for moid in changed | {moid for moid, vm in vms.items() if vm is not self._vms.get(moid)}:
            self._report(vms[moid], self._pairs(vms[moid]), at)
        for store in new:
            name = self._stores[store.moid]
            self._report(store, (("default_policy", name),) if name else (), at)
        self._vms, self._seen = vms, selected

    def _ask(self, asked: Sequence[PolicyObject], *, is_all: bool) -> None:
        if not asked:
            return
        found = self._questions.associated(asked)
        having = [one for one in asked if found.get(one)]
        wanted = {found[one] for one in having}
        if not is_all:
            wanted -= self._policies.keys()
        if wanted:
            self._policies |= self._questions.policies(wanted)
        self._policy_of |= {one: found.get(one, self._policy_of.get(one, "")) for one in asked}
        trouble = ""
        try:
            if having:
                self._compliance |= self._questions.compliance(having)
        except (SoapFault, PrivilegeError) as error:
            trouble = f"Whether VMs comply with their storage policies is not read: {_why(error)}"
        self._tell(trouble)

    def _forget(self, vms: Mapping[str, Managed]) -> None:
        """End the facts of VMs that are gone, and forget their objects."""
        there = {one for vm in vms.values() for one, _ in _objects(vm)}
        self._policy_of = {one: policy for one, policy in self._policy_of.items() if one in there}
        self._compliance = {one: state for one, state in self._compliance.items() if one in there}
        at = self._now_ms()
        for moid in self._vms.keys() - vms.keys():
            self._feed.add_facts(self._reported.end_facts(moid, at).facts)

    def _pairs(self, vm: Managed) -> tuple[Pair, ...]:
        found: list[Pair] = []
        for one, name in _objects(vm):
            policy = self._policies.get(self._policy_of.get(one, ""))
            if policy is None:
                continue
            found.append((f"{name}.policy", policy.name))
            if state := self._compliance.get(one):
                found.append((f"{name}.policy_compliance", state))
            found += [(f"{name}.{fact}", value) for fact, value in policy.rules]
        return tuple(sorted(found))

    def _report(self, of: Managed, pairs: tuple[Pair, ...], at: int) -> None:
        described = Described(of, (), ((of.ref, pairs),) if pairs else ())
        facts = self._reported.compare(of.moid, described, at).facts
        if facts:
            self._feed.add_facts(facts)

    def _now_ms(self) -> int:
        return round(time.time() * 1000) + self._vsphere.clock_offset_ms

    def _tell(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self._noted(trouble)


def _why(error: HyperscopeError) -> str:
    return f"{error.happened} {error.meaning}" if isinstance(error, PrivilegeError) else error.happened


def _objects(vm: Managed) -> Iterator[tuple[PolicyObject, str]]:
    """What of a VM has a policy, with the beginning of its facts' names."""
    yield PolicyObject("virtualMachine", vm.moid), "home"
    for slot, key in vm.disk_keys.items():
        yield PolicyObject("virtualDiskId", f"{vm.moid}:{key}"), f"vdisk.{slot}"
