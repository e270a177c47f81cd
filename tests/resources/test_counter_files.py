"""What is wrong with a counter file is said in one sentence, with the file and the key."""

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.catalogue import Catalogue, load_catalogue
from resources.counter_files import read_counters
from resources.failures import KnowledgeError

READY = """
[[counter]]
key = 'cpu.ready'
label = 'Waiting for a CPU'
unit = '%'
entities = ['vm']
meaning = 'Ours.'
source = 'our own'
esxtop = [{ class = 'Group Cpu', counter = '% Ready', per = 'vcpu' }]
"""


def load(tmp_path: Path, **files: str) -> Catalogue:
    folder = tmp_path / "counters"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    return load_catalogue([tmp_path])


def problem(tmp_path: Path, **files: str) -> str:
    with pytest.raises(KnowledgeError) as caught:
        load(tmp_path, **files)
    assert str(tmp_path) in caught.value.meaning
    return caught.value.happened


def test_an_admins_counter_replaces_ours(tmp_path: Path) -> None:
    catalogue = load(tmp_path, own=READY)
    ready = catalogue.get("cpu.ready")
    assert ready
    assert ready.label == "Waiting for a CPU"
    assert catalogue.esxtop("Group Cpu", "% Ready") == (ready, ready.esxtop[0])
    assert catalogue.esxtop("Vcpu", "% Ready") is None
    assert len(catalogue) == len(load_catalogue())


def test_an_admins_counter_is_added(tmp_path: Path) -> None:
    text = READY.replace("cpu.ready", "gpu.busy").replace("Group Cpu", "GPU").replace("% Ready", "% Busy")
    catalogue = load(tmp_path, own=text)
    found = catalogue.esxtop("GPU", "% Busy")
    assert found
    assert found[0].key == "gpu.busy"
    assert len(catalogue) == len(load_catalogue()) + 1


def test_later_directories_win(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for directory, label in ((first, "First"), (second, "Second")):
        directory.mkdir()
        load(directory, own=READY.replace("Waiting for a CPU", label))
    ready = load_catalogue([first, second]).get("cpu.ready")
    assert ready
    assert ready.label == "Second"


def test_a_directory_without_counters_is_fine(tmp_path: Path) -> None:
    assert len(load_catalogue([tmp_path])) == len(load_catalogue())


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match="There is no knowledge directory"):
        load_catalogue([tmp_path / "none"])


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    assert load(tmp_path, own="\ufeff" + READY).get("cpu.ready")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "unit = '%'",
            "unit = 'per cent'",
            "counters/own.toml: cpu.ready: unit 'per cent' is none of %, ms,",
        ),
        ("unit = '%'", "unit = 5", "counters/own.toml: cpu.ready: Expected `str`, got `int` - at `$.unit`."),
        ("unit = '%'\n", "", "counters/own.toml: cpu.ready: Object missing required field `unit`."),
        ("meaning = 'Ours.'", "meaning = ''", "counters/own.toml: cpu.ready: meaning must not be empty."),
        ("label =", "lable =", "counters/own.toml: cpu.ready: Object contains unknown field `lable`."),
        (
            "['vm']",
            "['virtual machine']",
            "counters/own.toml: cpu.ready: Invalid enum value 'virtual machine'",
        ),
        ("per = 'vcpu'", "per = 'core'", "counters/own.toml: cpu.ready: Invalid enum value 'core'"),
        ("per = 'vcpu'", "pre = 'vcpu'", "counters/own.toml: cpu.ready: Object contains unknown field `pre`"),
        ("'cpu.ready'", "'CPU Ready'", "counters/own.toml: CPU Ready: a key is area.name in small letters"),
        ("key = 'cpu.ready'", "key = 7", "counters/own.toml: counter number 1: Expected `str`, got `int`"),
        ("key = 'cpu.ready'", "", "counters/own.toml: counter number 1: Object missing required field `key`"),
        (
            "% Ready",
            "%C<n>",
            "counters/own.toml: cpu.ready: %C<n>: counter and tail have one <n> each, or none.",
        ),
        ("[[counter]]", "[counter]", "counters/own.toml: Expected `array`, got `object` - at `$.counter`."),
        ("[[counter]]", "[[counters]]", "counters/own.toml: Object contains unknown field `counters`."),
        ("[[counter]]", "[[counter]", "counters/own.toml: is not TOML: "),
        ("'cpu.ready'", "9" * 5000, "counters/own.toml: is not TOML: "),
        ("% Ready", "% Run", "counters/own.toml: cpu.ready: Group Cpu\\% Run is already cpu."),
    ],
)
def test_mistakes(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert problem(tmp_path, own=READY.replace(old, new)).startswith(said)


@pytest.mark.parametrize(
    ("twin", "said"),
    [
        ("name = 'cpu ready', conversion = 'same'", "cpu ready: a vCenter name is group.name.rollup"),
        ("name = 'cpu.ready.summation', conversion = 'twice'", "Invalid enum value 'twice'"),
        (
            "name = 'a.b.summation', conversion = 'dropped_of_packets'",
            "a.b.summation: 'with' names the packets",
        ),
    ],
)
def test_mistakes_in_a_twin(tmp_path: Path, twin: str, said: str) -> None:
    rest = "on = 'vm', unit = 'number', level = 1, level_instance = 3"
    text = f"{READY}vcenter = [{{ {twin}, {rest} }}]\n"
    assert problem(tmp_path, own=text).startswith(f"counters/own.toml: cpu.ready: {said}")


def test_a_level_that_does_not_exist(tmp_path: Path) -> None:
    twin = (
        "name = 'a.b.average', on = 'vm', unit = 'number', conversion = 'same', level = 5, level_instance = 3"
    )
    assert problem(tmp_path, own=f"{READY}vcenter = [{{ {twin} }}]\n").endswith(
        "a statistics level is 1 to 4."
    )


def test_a_twin_that_another_counter_has(tmp_path: Path) -> None:
    name = "name = 'cpu.run.summation', on = 'vm', unit = 'millisecond'"
    twin = f"{name}, conversion = 'ms_of_interval_per_vcpu', level = 2, level_instance = 3"
    said = problem(tmp_path, own=f"{READY}vcenter = [{{ {twin} }}]\n")
    assert "cpu.run.summation\\vm is already cpu.r" in said


def test_the_same_key_twice_in_one_place(tmp_path: Path) -> None:
    assert problem(tmp_path, a=READY, b=READY) == "counters/b.toml: cpu.ready: is also defined in a.toml."


def test_the_same_spelling_twice_in_one_entry(tmp_path: Path) -> None:
    spelling = "{ class = 'Group Cpu', counter = '%  Ready', per = 'vcpu' }"
    text = READY.replace("'vcpu' }]", f"'vcpu' }}, {spelling}]")
    assert "is already cpu.ready" in problem(tmp_path, own=text)


def test_not_utf8(tmp_path: Path) -> None:
    folder = tmp_path / "counters"
    folder.mkdir()
    (folder / "own.toml").write_bytes(b"# Gr\xfc\xdfe\n")
    assert problem(tmp_path) == "counters/own.toml: is not UTF-8 at byte 4."


def test_a_directory_called_like_a_file(tmp_path: Path) -> None:
    (tmp_path / "counters" / "own.toml").mkdir(parents=True)
    assert problem(tmp_path).startswith("counters/own.toml: cannot be read: ")


@given(
    start=st.integers(0, len(READY)),
    cut=st.integers(0, 40),
    inserted=st.text(max_size=10)
    | st.sampled_from(["[[counter]]\n", "key = 1\n", "'", "{", "[", "<n>", "= "]),
)
def test_a_damaged_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, start: int, cut: int, inserted: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "own.toml"
    path.write_text(READY[:start] + inserted + READY[start + cut :], encoding="utf-8", errors="surrogatepass")
    with contextlib.suppress(KnowledgeError):
        assert all(counter.key and counter.meaning for counter in read_counters(path))


def test_what_ships_is_read_once_and_an_admins_file_each_time(tmp_path: Path) -> None:
    assert load_catalogue() is load_catalogue()
    ours = load(tmp_path, own=READY).get("cpu.ready")
    theirs = load(tmp_path, own=READY.replace("Waiting for a CPU", "Changed")).get("cpu.ready")
    assert ours
    assert theirs
    assert (ours.label, theirs.label) == ("Waiting for a CPU", "Changed")
