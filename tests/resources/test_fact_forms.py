"""How facts are called and written: what a vCenter's inventory tells, and what only a forged session has."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest

from resources.catalogue import load_catalogue
from resources.fact_forms import Value, load_fact_forms
from resources.guided_flow import load_flow
from resources.storage_policies import load_policy_service
from sessions.identities import MOID, UUID
from tests.vcenter_lab.test_document import document
from tests.vcenter_lab.vcenter_session import vcenter_session
from tests.vsphere.inventories import loaded
from tests.vsphere.small_world import WORLD

IDENTITIES = {UUID, MOID, "name"}


def known(name: str) -> bool:
    forms = load_fact_forms()
    return name in IDENTITIES or any(
        name == one or fnmatchcase(name, one) for form in forms.fact for one in form.names
    )


def test_what_a_vcenter_s_inventory_tells_has_a_form() -> None:
    _, feed = loaded(*WORLD)
    told = {fact.name for fact in feed.written}
    assert "cpu.shares" in told
    assert [name for name in sorted(told) if not known(name)] == []


@pytest.mark.parametrize("scenario", ["demo", "vsan-congestion-write-buffer", "mem-tiering-working-set"])
def test_what_the_lab_s_vcenter_tells_has_a_form(scenario: str) -> None:
    session = vcenter_session(document(scenario), load_catalogue())
    told = {fact.name for fact in session.facts() if not fact.name.startswith("vsan.")}
    assert "vcpus" in told
    assert [name for name in sorted(told) if not known(name)] == []


def test_rules_of_storage_policies_have_a_form() -> None:
    for rule in load_policy_service().rule:
        assert known(f"vdisk.scsi0:0.{rule.fact}"), rule.fact


def test_what_guided_troubleshooting_takes_for_a_change_is_a_fact() -> None:
    """A name that nothing tells would never be seen to change."""
    names = [name for form in load_fact_forms().fact for name in form.names]
    for wanted in load_flow().setting_facts:
        assert any(fnmatchcase(name, wanted) or name == wanted for name in names), wanted


@pytest.mark.parametrize(
    ("name", "before", "after", "said"),
    [
        ("cpu.limit_mhz", 3530.0, None, "CPU limit: 3.53 GHz → unlimited"),
        ("mem.reservation_mb", 0.0, 8192.0, "memory reservation: 0 MB → 8 GB"),
        ("vdisk.scsi0:1.limit_iops", None, 1000.0, "IOPS limit of scsi0:1: unlimited → 1,000"),
        ("nic.4000.type", "e1000", "vmxnet3", "type of network adapter 1: e1000 → vmxnet3"),
        ("nic.4001.network", None, "prod", "network of network adapter 2: not set → prod"),
        ("nic.3999.mac", None, "x", "MAC address of network adapter 3999: not set → x"),
        ("nic.9999999999.mac", None, "x", "MAC address of network adapter 9999999999: not set → x"),
        ("drs.enabled", True, False, "DRS: on → off"),
        ("drs.behavior", "manual", "fullyAutomated", "DRS automation: manual → fully automated"),
        ("vdisk.nvme0:1.datastore", "ds:///a", "ds:///b", "datastore of nvme0:1: [ds:///a] → [ds:///b]"),
        ("cpu.affinity", None, "0,1", "CPU affinity: not set → 0,1"),
        ("cpu.hot_add", False, True, "CPU hot add: no → yes"),
        ("power_policy", "dynamic", "static", "power policy: Balanced → High performance"),
        ("vdisk..limit_iops", 1.0, 2.0, "vdisk  limit iops: 1 → 2"),
        ("made.up_{part}%s", 1.5, "x", "made up {part}%s: 1.5 → x"),
    ],
)
def test_a_change_in_words(name: str, before: Value, after: Value, said: str) -> None:
    assert load_fact_forms().change(name, before, after, lambda _kind, key: f"[{key}]") == said


def test_free_space_is_no_setting() -> None:
    forms = load_fact_forms()
    assert forms.is_reading("datastore.free_mb")
    assert not forms.is_reading("cpu.shares")
    assert not forms.is_reading("made.up")
