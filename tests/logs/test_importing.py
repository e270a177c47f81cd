"""Importing logs: events at their times, of their entities, from plain and packed files and archives."""

from __future__ import annotations

import gzip
import os
import tarfile
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collectors.logs.importing import LogOptions, import_logs
from collectors.logs.opening import opened_logs
from resources.failures import BadInputError, BusyError, CancelledError, HyperscopeError, UsageError
from resources.log_lines import load_log_lines
from sessions.model import Entity, EntityRef, Event, SeriesSpec, SourceSpec
from sessions.store import SessionReader, SessionWriter, check_session
from tests.logs.writing_logs import (
    BACK,
    LATENCY,
    LINK_DOWN,
    LINK_UP,
    LOST,
    LUN,
    NO_CONNECT,
    PATH,
    SENSE,
    SLOW,
    START_MS,
    VOLUME,
    archive,
    stamp,
    vmkernel,
)


def events_of(session: Path) -> Sequence[Event]:
    assert check_session(session, thorough=True) == []
    with SessionReader.open(session) as reader:
        return reader.events()


def imported(folder: Path, text: str | bytes, name: str = "vmkernel.log", **options: str) -> Sequence[Event]:
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    import_logs([folder / name], folder / "s.hscope", LogOptions(**{"host": "esx01", **options}))  # type: ignore[arg-type]
    return events_of(folder / "s.hscope")


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A session of esx01 and esx02 with samples of ten minutes, a LUN, an uplink, a datastore and a VM."""
    path = tmp_path / "night.hscope"
    hosts = [EntityRef("host", name) for name in ("esx01.lab.local", "esx02.lab.local")]
    with SessionWriter.create(path) as writer:
        writer.add_entities([Entity(ref, ref.key) for ref in hosts])
        writer.add_entities([Entity(EntityRef("device", LUN), LUN)])
        writer.add_entities(
            [
                Entity(EntityRef("nic", "esx01.lab.local/vmnic0"), "esx01.lab.local/vmnic0", hosts[0]),
                Entity(EntityRef("datastore", f"ds:///vmfs/volumes/{VOLUME}/"), "prod-01"),
                Entity(EntityRef("vm", "uuid-1"), "db-prod", hosts[0]),
            ]
        )
        source = writer.add_source(SourceSpec("esxtop", "esx01.lab.local", 20.0))
        ids = writer.add_series(source, [SeriesSpec(hosts[0], "cpu.pcpu_used", "%")])
        layout = writer.add_layout(source, ids)
        ticks = [(layout, START_MS + 20_000 * number, np.array([1.0])) for number in range(31)]
        writer.append_ticks(ticks)
    return path


def test_lines_become_events_of_their_device_path_and_uplink(tmp_path: Path) -> None:
    log = vmkernel(0, LATENCY) + vmkernel(10, SENSE) + vmkernel(20, LINK_DOWN) + vmkernel(23.5, LINK_UP)
    slow, sense, down, up = imported(tmp_path, log)
    assert slow == Event(
        START_MS,
        "storage",
        f"Performance has deteriorated, I/O latency 776 ms instead of 38.8 ms on average: {SLOW}",
        EntityRef("device", SLOW),
        None,
        slow.id,
        log="vmkernel.log",
    )
    assert sense.entity == EntityRef("device", LUN)
    assert sense.text == (
        "Read (0x28) failed, check condition (D:0x2), not ready: logical unit not ready, manual intervention "
        f"required (sense 0x2 0x4 0x3): {LUN} over {PATH}"
    )
    # What begins and ends is one event with its length.
    assert (down.entity, down.at, down.end) == (
        EntityRef("nic", "esx01/vmnic0"),
        START_MS + 20_000,
        START_MS + 23_500,
    )
    assert (up.text, up.end) == ("The link of vmnic0 is up again", None)


def test_bursts_are_folded(tmp_path: Path) -> None:
    burst = "".join(vmkernel(number / 10, NO_CONNECT) for number in range(413))
    later = vmkernel(1000, NO_CONNECT)
    first, second = imported(tmp_path, burst + later)
    assert first.text.startswith("Write (0x2a) failed, no connection to the LUN (H:0x1): ")
    assert first.text.endswith(" (412 more until 11:20:41 UTC)")
    assert (first.at, first.end) == (START_MS, START_MS + 41_200)
    assert (second.at, second.end) == (START_MS + 1_000_000, None)


def test_a_burst_tells_its_worst_number(tmp_path: Path) -> None:
    worse = LATENCY.replace("776315", "1552630")
    [event] = imported(tmp_path, vmkernel(0, LATENCY) + vmkernel(5, worse) + vmkernel(9, LATENCY))
    assert "1.6 s instead of 38.8 ms" in event.text


def test_what_two_logs_say_is_one_event(tmp_path: Path) -> None:
    (tmp_path / "vmkernel.log").write_text(vmkernel(0, LINK_DOWN), encoding="utf-8")
    vobd = (
        f"{stamp(0.4)}: [netCorrelator] 789us: [vob.net.vmnic.linkstate.down] vmnic vmnic0 linkstate down\n"
    )
    (tmp_path / "vobd.log").write_text(vobd, encoding="utf-8")
    files = [tmp_path / "vobd.log", tmp_path / "vmkernel.log"]
    import_logs(files, tmp_path / "s.hscope", LogOptions(host="esx01"))
    [event] = events_of(tmp_path / "s.hscope")
    assert (event.text, event.at) == ("The link of vmnic0 is down", START_MS)


def test_rotated_logs_are_one_log(tmp_path: Path) -> None:
    old = "".join(vmkernel(number, SENSE) for number in range(10))
    new = "".join(vmkernel(number, SENSE) for number in range(10, 20))
    (tmp_path / "vmkernel.0.gz").write_bytes(gzip.compress(old.encode()))
    (tmp_path / "vmkernel.log").write_text(new, encoding="utf-8")
    files = [tmp_path / "vmkernel.log", tmp_path / "vmkernel.0.gz"]
    import_logs(files, tmp_path / "s.hscope", LogOptions(host="esx01"))
    [event] = events_of(tmp_path / "s.hscope")
    assert (event.at, event.end, event.log) == (START_MS, START_MS + 19_000, "vmkernel.0.gz")
    assert "(19 more until 11:20:19 UTC)" in event.text


def test_a_datastore_that_was_lost_and_came_back(tmp_path: Path, recorded: Path) -> None:
    log = f"{stamp(5)} In(14) {LOST}\n{stamp(17)} In(14) vobd[2098532]:  {BACK}\n"
    (tmp_path / "vobd.log").write_text(log, encoding="utf-8")
    import_logs([tmp_path / "vobd.log"], recorded, LogOptions(into=True, host="esx01"))
    lost, back = events_of(recorded)
    assert lost.entity == back.entity == EntityRef("datastore", f"ds:///vmfs/volumes/{VOLUME}/")
    assert (lost.at, lost.end) == (START_MS + 5_000, START_MS + 17_000)
    assert lost.text == "Access to datastore prod-01 was lost: the host's heartbeat on it timed out"


def test_a_session_of_logs_says_what_it_is(tmp_path: Path) -> None:
    imported(tmp_path, vmkernel(0, SENSE) + vmkernel(600, "something that nobody knows"))
    with SessionReader.open(tmp_path / "s.hscope") as reader:
        [source] = reader.sources()
        assert (source.spec.kind, source.spec.name, source.state) == ("log", "esx01", "complete")
        assert dict(source.spec.attributes)["lines"] == "1 known of 2"
        span = reader.span()
        assert span is not None
        assert (span.start, span.end) == (START_MS, START_MS + 660_000)
        [series] = reader.series()
        [frame] = reader.read(np.array([series.id]))
        assert (series.counter, frame.values[1:, 0].tolist()) == ("log.lines", [1.0] + [0.0] * 10)


class TestIntoASession:
    def add(self, log: Path, session: Path, text: str, **options: str) -> Sequence[Event]:
        log.write_text(text, encoding="utf-8")
        import_logs([log], session, LogOptions(into=True, **options))  # type: ignore[arg-type]
        return events_of(session)

    def test_events_join_the_session_s_entities(self, tmp_path: Path, recorded: Path) -> None:
        text = vmkernel(10, SENSE) + vmkernel(20, LINK_DOWN)
        sense, down = self.add(tmp_path / "vmkernel.log", recorded, text, host="esx01")
        assert sense.entity == EntityRef("device", LUN)
        assert down.entity == EntityRef("nic", "esx01.lab.local/vmnic0")
        with SessionReader.open(recorded) as reader:
            assert [source.spec.kind for source in reader.sources()] == ["esxtop", "log"]
            assert len(reader.series()) == 1  # nothing but events came

    def test_the_folder_tells_the_host(self, tmp_path: Path, recorded: Path) -> None:
        folder = tmp_path / "esx01"
        folder.mkdir()
        [down] = self.add(folder / "vmkernel.log", recorded, vmkernel(20, LINK_DOWN))
        assert down.entity == EntityRef("nic", "esx01.lab.local/vmnic0")

    def test_which_of_several_hosts_is_asked_for(self, tmp_path: Path, recorded: Path) -> None:
        before = recorded.read_bytes()
        with pytest.raises(UsageError, match=r"does not say which host wrote it\. .* esx02.*--host"):
            self.add(tmp_path / "vmkernel.log", recorded, vmkernel(20, LINK_DOWN))
        assert recorded.read_bytes() == before

    def test_adding_twice_adds_nothing(self, tmp_path: Path, recorded: Path) -> None:
        text = vmkernel(10, SENSE) + vmkernel(20, LINK_DOWN)
        first = self.add(tmp_path / "vmkernel.log", recorded, text, host="esx01")
        report = import_logs([tmp_path / "vmkernel.log"], recorded, LogOptions(into=True, host="esx01"))
        assert report.events == 0
        assert "already" in " ".join(report.notes)
        assert events_of(recorded) == first

    def test_logs_of_another_time_are_refused(self, tmp_path: Path, recorded: Path) -> None:
        before = recorded.read_bytes()
        with pytest.raises(BadInputError, match="the session has samples from"):
            self.add(tmp_path / "vmkernel.log", recorded, vmkernel(200_000, SENSE), host="esx01")
        assert recorded.read_bytes() == before

    def test_what_is_far_from_the_samples_is_left_out(self, tmp_path: Path, recorded: Path) -> None:
        log = tmp_path / "vmkernel.log"
        log.write_text(vmkernel(-90_000, LATENCY) + vmkernel(10, SENSE), encoding="utf-8")
        report = import_logs([log], recorded, LogOptions(into=True, host="esx01"))
        assert report.events == 1
        [note] = report.notes
        assert note == "1 event was left out: more than 1 h before or after the session's samples."

    def test_a_session_that_is_written_is_left_alone(self, tmp_path: Path, recorded: Path) -> None:
        writer = SessionWriter.open(recorded)
        try:
            with pytest.raises(BusyError):
                self.add(tmp_path / "vmkernel.log", recorded, vmkernel(10, SENSE), host="esx01")
        finally:
            writer.close()

    def test_the_log_of_a_vm(self, tmp_path: Path, recorded: Path) -> None:
        text = (
            f'{stamp(0)}| vmx| I120: DICT              displayName = "db-prod"\n'
            f"{stamp(30)}| vcpu-0| I120: Checkpoint_Unstun: vm stopped for 2188405 us\n"
        )
        [stun] = self.add(tmp_path / "vmware.log", recorded, text)
        assert stun.entity == EntityRef("vm", "uuid-1")
        assert (stun.kind, stun.at, stun.end) == ("stun", START_MS + 30_000 - 2188, START_MS + 30_000)
        assert "2.2 s" in stun.text


class TestArchives:
    def test_a_vm_support_archive(self, tmp_path: Path) -> None:
        top = "esx-esx07.lab.local-2026-03-05--11.30-2101234"
        packed = archive(
            tmp_path / f"{top}.tgz",
            {
                f"{top}/var/run/log/vmkernel.log": vmkernel(60, LINK_DOWN, release=8),
                f"{top}/var/run/log/vmkernel.0.gz": vmkernel(0, SENSE, release=8),
                f"{top}/var/run/log/syslog.log": vmkernel(60, SENSE),
                f"{top}/commands/vmware_-vl.txt": "VMware ESXi 8.0.3\n",
                f"{top}/vmfs/volumes/{VOLUME}/web-7/vmware.log": (
                    f"{stamp(30)} In(05) vcpu-0 - Checkpoint_Unstun: vm stopped for 188405 us\n"
                ),
            },
        )
        import_logs([packed], tmp_path / "s.hscope")
        sense, stun, down = events_of(tmp_path / "s.hscope")
        assert (sense.log, down.log) == ("vmkernel.0.gz", "vmkernel.log")
        assert down.entity == EntityRef("nic", "esx07.lab.local/vmnic0")
        with SessionReader.open(tmp_path / "s.hscope") as reader:
            assert stun.entity is not None
            assert reader.entities()[stun.entity].name == "web-7"
            assert [source.spec.name for source in reader.sources()] == ["esx07.lab.local"]

    def test_names_with_tricks_name_no_file(self, tmp_path: Path) -> None:
        inside = tmp_path / "in"
        inside.mkdir()
        packed = archive(
            inside / "logs.tgz",
            {"../../escaped/vmkernel.log": vmkernel(0, SENSE), "/etc/vobd.log": vmkernel(1, LINK_DOWN)},
        )
        before = sorted(tmp_path.rglob("*"))
        import_logs([packed], inside / "s.hscope", LogOptions(host="esx01"))
        assert len(events_of(inside / "s.hscope")) == 2
        assert sorted(tmp_path.rglob("*")) == sorted([*before, inside / "s.hscope"])

    def test_two_hosts_of_one_device(self, tmp_path: Path) -> None:
        tops = [f"esx-esx0{number}-2026-03-05--11.30-2101234" for number in (1, 2)]
        packed = [
            archive(tmp_path / f"{top}.tgz", {f"{top}/var/run/log/vmkernel.log": vmkernel(0, SENSE)})
            for top in tops
        ]
        import_logs(packed, tmp_path / "s.hscope")
        events = events_of(tmp_path / "s.hscope")
        assert [event.entity for event in events] == [EntityRef("device", LUN)] * 2
        assert sorted((event.log, event.log_host) for event in events) == [
            ("esx01: vmkernel.log", "esx01"),
            ("esx02: vmkernel.log", "esx02"),
        ]

    def test_stopped_while_something_large_is_passed_over(self, tmp_path: Path) -> None:
        packed = archive(
            tmp_path / "a.tgz", {"core.zdump": os.urandom(1 << 22), "vmkernel.log": vmkernel(0, SENSE)}
        )
        looks = 0

        class Cancel:
            def is_set(self) -> bool:
                nonlocal looks
                looks += 1
                return looks > 5

        with pytest.raises(CancelledError):
            import_logs([packed], tmp_path / "s.hscope", cancel=Cancel())

    def test_long_names_and_links(self, tmp_path: Path) -> None:
        packed = archive(tmp_path / "a.tgz", {"x" * 300 + "/vmkernel.log": vmkernel(0, SENSE)})
        with tarfile.open(tmp_path / "b.tar", "w") as made:
            link = tarfile.TarInfo("vmkernel.log")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            made.addfile(link)
        import_logs([packed], tmp_path / "a.hscope", LogOptions(host="esx01"))
        assert len(events_of(tmp_path / "a.hscope")) == 1
        refused([tmp_path / "b.tar"], "holds none of the logs")


def refused(files: Sequence[Path], match: str) -> None:
    """One clear sentence, and nothing written."""
    out = files[0].parent / "refused.hscope"
    with pytest.raises(HyperscopeError, match=match) as raised:
        import_logs(files, out, LogOptions(host="esx01"))
    assert "\n" not in str(raised.value)
    assert not list(out.parent.glob("refused*"))


class TestHostileFiles:
    def test_cut_off(self, tmp_path: Path) -> None:
        whole = gzip.compress("".join(vmkernel(number, SENSE) for number in range(5000)).encode())
        (tmp_path / "vmkernel.0.gz").write_bytes(whole[: len(whole) // 2])
        refused([tmp_path / "vmkernel.0.gz"], "can't be unpacked to its end")

    def test_an_archive_that_is_cut_off(self, tmp_path: Path) -> None:
        packed = archive(tmp_path / "a.tgz", {"vmkernel.log": vmkernel(0, SENSE) * 5000})
        with gzip.open(packed) as file:
            data = file.read()
        (tmp_path / "b.tar").write_bytes(data[:70_000])
        refused([tmp_path / "b.tar"], "ends in the middle of a file")
        packed.write_bytes(packed.read_bytes()[:-40])
        refused([packed], "can't be unpacked to its end")

    def test_a_damaged_header(self, tmp_path: Path) -> None:
        packed = archive(tmp_path / "a.tgz", {"x": "x", "vmkernel.log": vmkernel(0, SENSE)})
        with gzip.open(packed) as file:
            data = bytearray(file.read())
        data[1024:1030] = b"\xff" * 6
        (tmp_path / "b.tar").write_bytes(data)
        refused([tmp_path / "b.tar"], "no valid header")

    def test_a_bomb(self, tmp_path: Path) -> None:
        with gzip.open(tmp_path / "vmkernel.0.gz", "wb") as file:
            file.write(vmkernel(0, SENSE).encode())
            for _ in range(80):
                file.write(b"\0" * (1 << 20))
        refused([tmp_path / "vmkernel.0.gz"], "more than 250 times its size")

    def test_a_bomb_in_an_archive(self, tmp_path: Path) -> None:
        """What is passed over may be empty space, as dumps are; a log may not."""
        packed = archive(
            tmp_path / "a.tgz", {"disk.dump": b"\0" * (80 << 20), "vmkernel.log": vmkernel(0, SENSE)}
        )
        import_logs([packed], tmp_path / "s.hscope", LogOptions(host="esx01"))
        refused([archive(tmp_path / "b.tgz", {"vmkernel.log": b"\0" * (80 << 20)})], "more than 250 times")

    def test_an_archive_that_is_mostly_empty_space_is_not_read_for_hours(self, tmp_path: Path) -> None:
        """zstd packs a TB of zeros into 30 MB."""
        packed = archive(
            tmp_path / "a.tgz", {"disk.dump": b"\0" * (20 << 20), "vmkernel.log": vmkernel(0, SENSE)}
        )
        known = load_log_lines()
        limits = msgspec.structs.replace(known.limits, archive_mb=8)
        with (
            opened_logs(packed, replace(known, limits=limits), lambda _at: None) as logs,
            pytest.raises(BadInputError, match=r"a\.tgz unpacks to more than 250 times its size: 8"),
        ):
            list(logs)

    @given(
        st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), min_size=1, max_size=4),
        st.integers(0, 4096),
    )
    @settings(max_examples=60)
    def test_a_changed_archive_is_imported_or_refused(self, changes: list[tuple[int, int]], cut: int) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            whole = archive(
                folder / "a.tgz", {"x/vmkernel.log": vmkernel(0, SENSE), "vobd.log": vmkernel(9, LINK_UP)}
            )
            data = bytearray(gzip.decompress(whole.read_bytes()))
            for at, byte in changes:
                data[at % len(data)] = byte
            (folder / "b.tar").write_bytes(data[: len(data) - cut])
            out = folder / "s.hscope"
            why = ""
            try:
                import_logs([folder / "b.tar"], out, LogOptions(host="esx01"))
            except HyperscopeError as error:
                why = str(error)
            assert "\n" not in why
            assert out.exists() == (not why)
            assert why or events_of(out)

    def test_a_name_as_long_as_a_bomb(self, tmp_path: Path) -> None:
        header = tarfile.TarInfo("././@LongLink")
        header.type, header.size = tarfile.GNUTYPE_LONGNAME, 8 << 30
        (tmp_path / "a.tar").write_bytes(header.tobuf(tarfile.GNU_FORMAT) + b"x" * 100_000)
        refused([tmp_path / "a.tar"], "ends in the middle of a file")

    @pytest.mark.parametrize(
        "content", [b"\x7fELF" + bytes(range(256)) * 400, b"", b"hello\n" * 10, b"x" * 3_000_000]
    )
    def test_garbage(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "vmkernel.log").write_bytes(content)
        refused([tmp_path / "vmkernel.log"], "has no line that begins with a time")

    def test_huge_lines_are_left_out_and_counted(self, tmp_path: Path) -> None:
        log = vmkernel(0, SENSE) + "x" * 5_000_000 + "\n" + vmkernel(300, SENSE)
        (tmp_path / "vmkernel.log").write_text(log, encoding="utf-8")
        report = import_logs([tmp_path / "vmkernel.log"], tmp_path / "s.hscope", LogOptions(host="esx01"))
        assert report.events == 2
        assert report.notes == ("vmkernel.log: 1 line was left out: too long to be a log's.",)

    def test_a_known_line_in_a_block_that_is_longer_than_any_is_counted(self, tmp_path: Path) -> None:
        log = vmkernel(0, SENSE) + vmkernel(60, SENSE + "x" * 40_000) + vmkernel(300, SENSE)
        (tmp_path / "vmkernel.log").write_text(log, encoding="utf-8")
        report = import_logs([tmp_path / "vmkernel.log"], tmp_path / "s.hscope", LogOptions(host="esx01"))
        assert (report.events, report.lines, report.known) == (2, 3, 2)
        assert report.notes == ("vmkernel.log: 1 line was left out: too long to be a log's.",)

    def test_lines_that_are_not_known(self, tmp_path: Path) -> None:
        (tmp_path / "vmkernel.log").write_text(vmkernel(0, "all is well\n"), encoding="utf-8")
        refused([tmp_path / "vmkernel.log"], "None of the .* lines .* no sign that all was well")

    def test_names_that_would_move_a_cursor(self, tmp_path: Path) -> None:
        [event] = imported(tmp_path, vmkernel(0, SENSE.replace(LUN, "naa.\x1b[2J\u202e6")))
        assert event.text.isprintable()

    def test_cancelled(self, tmp_path: Path) -> None:
        (tmp_path / "vmkernel.log").write_text(vmkernel(0, SENSE), encoding="utf-8")
        cancel = threading.Event()
        cancel.set()
        with pytest.raises(CancelledError):
            import_logs([tmp_path / "vmkernel.log"], tmp_path / "s.hscope", cancel=cancel)
        assert not (tmp_path / "s.hscope").exists()


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    (tmp_path / "vmkernel.log").write_text(vmkernel(0, SENSE), encoding="utf-8")
    told: list[tuple[int, int]] = []
    size = (tmp_path / "vmkernel.log").stat().st_size
    import_logs(
        [tmp_path / "vmkernel.log"],
        tmp_path / "s.hscope",
        progress=lambda done, total: told.append((done, total)),
    )
    assert told[-1] == (size, size)
