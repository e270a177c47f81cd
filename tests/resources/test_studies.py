"""The studies' numbers: complete, each with a source, and replaced one by one by an admin's folder."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from resources.failures import KnowledgeError
from resources.study_numbers import Number, Rule, load_studies
from resources.toml_files import RESOURCES
from resources.units import UNITS


def numbers() -> list[tuple[str, Number]]:
    studies = load_studies()
    parts = [getattr(studies, field.name) for field in msgspec.structs.fields(type(studies))]
    named = (
        (field.name, getattr(part, field.name))
        for part in parts
        for field in msgspec.structs.fields(type(part))
    )
    return [(name, one) for name, one in named if isinstance(one, Number)]


def test_every_number_has_a_source_and_a_unit_that_can_be_written() -> None:
    found = numbers()
    assert len(found) > 60
    for name, one in found:
        assert one.source, name
        assert one.unit in UNITS or not one.unit, name


def test_the_studys_own_numbers() -> None:
    studies = load_studies()
    assert (studies.drs.gain_least_percent.value, studies.drs.gain_most_percent.value) == (15, 47)
    assert (studies.sioc.ratio_least.value, studies.sioc.ratio_most.value) == (0.8, 1.25)
    assert studies.cache.read_part.value == 0.7
    assert studies.storage.margin_percent.value == 5


def test_every_placement_of_the_study_has_eight_heavy_and_eight_light_vms() -> None:
    for placement in load_studies().drs.placement:
        text = "".join(placement.hosts)
        heavy = sum(int(text[at - 1]) for at, sign in enumerate(text) if sign == "H")
        light = sum(int(text[at - 1]) for at, sign in enumerate(text) if sign == "L")
        assert (len(placement.hosts), heavy, light) == (4, 8, 8), placement.name


def test_a_rule_speaks_only_of_what_is_known() -> None:
    rule = Rule("R3", "cache_percent_of_capacity", "More cache.", "here", below=10)
    assert rule.speaks({"cache_percent_of_capacity": 4.0})
    assert not rule.speaks({"cache_percent_of_capacity": 12.0})
    assert not rule.speaks({})


def test_an_admin_replaces_one_number(tmp_path: Path) -> None:
    (tmp_path / "studies").mkdir()
    mine = 'margin_percent = { value = 3, unit = "%", source = "our own rule" }\n'
    (tmp_path / "studies" / "storage.toml").write_text(mine, encoding="utf-8")
    studies = load_studies([tmp_path])
    assert studies.storage.margin_percent == Number(3, "%", "our own rule")
    assert studies.storage.level.value == 0.05


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        ("storage.toml", 'margin = { value = 3, unit = "%", source = "x" }', "margin"),
        ("storage.toml", 'margin_percent = { value = 3, unit = "%" }', "source"),
        ("storage.toml", 'margin_percent = { value = 3, unit = "%", source = "" }', "it has no source"),
        ("storage.toml", 'margin_percent = { value = "3", unit = "%", source = "x" }', "margin_percent"),
        ("stores.toml", "", "there is no study stores"),
    ],
)
def test_what_an_admin_gets_wrong_is_named(tmp_path: Path, file: str, text: str, sentence: str) -> None:
    assert (RESOURCES / "studies" / "storage.toml").is_file()
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / file).write_text(text, encoding="utf-8")
    with pytest.raises(KnowledgeError, match=sentence):
        load_studies([tmp_path])
