"""The guided tests as data: what ships is consistent, and what an admin gets wrong is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from resources.failures import KnowledgeError, NotFoundError
from resources.fio_jobs import load_fio_jobs
from resources.guided_tests import load_guided_tests
from resources.toml_files import RESOURCES


def test_every_test_names_jobs_inputs_and_facts_that_exist() -> None:
    known, jobs = load_guided_tests(), load_fio_jobs()
    assert known.tests
    for test in known.tests.values():
        for step in test.step:
            for work in step.work:
                job = jobs.jobs[work.job]
                assert set(work.inputs) <= set(job.inputs), f"{test.id}, {step.step}"
            assert set(step.facts) <= set(known.facts), f"{test.id}, {step.step}"
        for one in test.input:
            texts = [text for text in test.lengths["quick"].inputs if text == one.name]
            assert len(texts) <= 1
            if isinstance(one.default, int) and not isinstance(one.default, bool) and one.least is not None:
                assert one.least <= one.default <= (one.most or one.default)


def test_the_groups_come_in_the_order_in_which_the_gallery_is_drawn() -> None:
    known = load_guided_tests()
    assert list(dict.fromkeys(one.group for one in known.cards)) == [
        "Is my storage fair?",
        "Would DRS help?",
        "Is dedup set up right?",
        "Is A as good as B?",
        "How much can this storage carry?",
        "Does the cache pay?",
    ]
    assert [one.id for one in known.cards if one.group == "Would DRS help?"] == ["drs-gain", "drs-balance"]
    assert [*known.tests][:3] == ["sioc-shares", "iops-limit", "host-shares"]


def test_a_test_of_an_admin_without_a_rank_comes_last(tmp_path: Path) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    text = (RESOURCES / "tests" / "sioc-shares.toml").read_text(encoding="utf-8")
    (folder / "mine.toml").write_text(
        text.replace('id = "sioc-shares"', 'id = "mine"').replace("rank = 10\n", ""), encoding="utf-8"
    )
    assert [*load_guided_tests([tmp_path]).tests][-1] == "mine"


def test_a_test_that_is_not_there() -> None:
    with pytest.raises(NotFoundError, match="There is no test nothing"):
        load_guided_tests().require("nothing")


def test_an_analysis_has_no_plan_and_says_what_to_run() -> None:
    with pytest.raises(NotFoundError, match="has no plan: it only reads") as caught:
        load_guided_tests().require("drs-gain")
    assert "hyperscope test gain" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('id = "io-sweep"', 'id = "sweep"', "the file must be called like the test"),
        ('"C14"', '"C99"', "there is no check C99"),
        ('each = "depths"', 'each = "deeps"', "deeps is no input"),
        ('only_if = "fill"', 'only_if = "fillet"', "fillet is no input"),
        ("inputs = { depths", "inputs = { deeps", "deeps, which is no input"),
        ("rounds = 1", "rounds = 0", "rounds"),
        ("risk =", "wrisk =", "wrisk"),
        ("[lengths.full]", "[lengths.long]", "long"),
    ],
)
def test_what_an_admin_gets_wrong_is_named(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    text = (RESOURCES / "tests" / "io-sweep.toml").read_text(encoding="utf-8")
    assert old in text
    (folder / "io-sweep.toml").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(KnowledgeError, match=sentence):
        load_guided_tests([tmp_path])
