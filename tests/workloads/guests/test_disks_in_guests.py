"""Disks that must not be written are refused in the guest: by content, use and identity."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from connections.known_hosts import KnownHosts
from resources.failures import UsageError
from resources.guest_scripts import guest_script
from tests.workloads.guests.machines import Machine, image, loop_device, opened
from tests.workloads.guests.running import ending, fios, launch, make_folder, shell, wait_until
from workloads.environment import DiskIdentity, Work
from workloads.guests.disks import sentences
from workloads.job_file import Disk

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the tests' guests are Linux")

SIZE = 16 << 20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """An image and its block device."""
    path = image(tmp_path / "disk.img", SIZE)
    with loop_device(path) as device:
        yield path, device


def objections(
    device: str, uuid: str, size: int = SIZE, shell_name: str = "dash", path: str = ""
) -> list[str]:
    """What disks.sh has against writing to a device."""
    script = guest_script("disks.sh") + guest_script("check.sh")
    command = [*shell(shell_name), "-c", script]
    told = f"disk|{device}|{uuid}|{size}\n"
    environment = {"PATH": path} if path else None
    said = subprocess.run(command, input=told, capture_output=True, text=True, check=True, env=environment)
    assert said.stdout.splitlines()[-1] == "checked", said
    return [line.split(" ", 1)[1] for line in said.stdout.splitlines()[:-1]]


def uuid_of(device: str) -> str:
    script = guest_script("disks.sh") + f"\nuuid_of {device.removeprefix('/dev/')}\n"
    return subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout.strip()


def write_at(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def mbr(path: Path) -> None:
    write_at(path, 446, bytes([0x80, 0, 2, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 16, 0, 0]))
    write_at(path, 510, b"\x55\xaa")


def gpt(path: Path) -> None:
    write_at(path, 512, b"EFI PART")


def big_sector_gpt(path: Path) -> None:
    write_at(path, 4096, b"EFI PART")


def lvm(path: Path) -> None:
    write_at(path, 512, b"LABELONE" + (1).to_bytes(8, "little") + bytes(8) + b"LVM2 001")


def zfs(path: Path) -> None:
    for label in (0, 256 << 10):
        for number in range(128):
            write_at(path, label + (128 << 10) + number * 1024, (0x00BAB10C).to_bytes(8, "little"))


def ntfs(path: Path) -> None:
    write_at(path, 0, b"\xeb\x52\x90NTFS    ")


def refs(path: Path) -> None:
    write_at(path, 0, b"\0\0\0ReFS\0\0\0\0")


def bitlocker(path: Path) -> None:
    write_at(path, 0, b"\xeb\x58\x90-FVE-FS-")


def dynamic_disk(path: Path) -> None:
    write_at(path, 3072, b"PRIVHEAD")


def luks(path: Path) -> None:
    write_at(path, 0, b"LUKS\xba\xbe\x00\x02")


def swap(path: Path) -> None:
    write_at(path, 4086, b"SWAPSPACE2")


def raid(path: Path) -> None:
    write_at(path, 4096, bytes.fromhex("fc4e2ba9"))


def xfs(path: Path) -> None:
    write_at(path, 0, b"XFSB")


def btrfs(path: Path) -> None:
    write_at(path, 65600, b"_BHRfS_M")


def vmfs(path: Path) -> None:
    write_at(path, 1 << 20, bytes.fromhex("0dd001c0"))


def ext4(path: Path) -> None:
    if shutil.which("mkfs.ext4") is None:
        pytest.skip("no mkfs.ext4 here")
    subprocess.run(["mkfs.ext4", "-q", "-F", str(path)], check=True)


CONTENTS = [
    mbr, gpt, big_sector_gpt, lvm, zfs, ntfs, refs, bitlocker, dynamic_disk, luks, swap, raid, xfs,
    btrfs, vmfs, ext4,
]  # fmt: skip


def test_an_empty_disk_and_one_with_random_data_may_be_written(disk: tuple[Path, str]) -> None:
    path, device = disk
    uuid = uuid_of(device)
    assert uuid.startswith("file-")
    assert objections(device, uuid) == []
    write_at(path, 0, bytes(range(1, 256)) * 4000)
    assert objections(device, uuid) == []
    assert objections(device, uuid, shell_name="bash") == []
    assert objections(device, uuid, shell_name="busybox") == []


def bare(folder: Path) -> dict[str, str]:
    """The environment of a guest with neither blkid nor wipefs nor lsblk."""
    (folder / "bin").mkdir()
    for name in ("dd", "od", "tr", "grep", "sort", "readlink", "cut", "cksum", "cat"):
        (folder / "bin" / name).symlink_to(str(shutil.which(name)))
    return {"PATH": str(folder / "bin"), "LC_ALL": "C"}


@pytest.mark.parametrize("put", CONTENTS)
def test_what_is_on_a_disk_protects_it_whatever_programs_the_guest_has(
    put: Callable[[Path], None], disk: tuple[Path, str], tmp_path: Path
) -> None:
    path, device = disk
    uuid = uuid_of(device)
    put(path)
    subprocess.run(["blockdev", "--flushbufs", device], check=False)
    assert [one for one in objections(device, uuid) if one.startswith(("signature", "partition-table"))]
    script = guest_script("disks.sh") + "check_all\necho checked\n"
    said = subprocess.run(
        [str(shutil.which("sh")), "-c", script],
        input=f"disk|{device}|{uuid}|{SIZE}\n",
        capture_output=True,
        text=True,
        check=True,
        env=bare(tmp_path),
    )
    found = said.stdout.splitlines()
    assert found[-1] == "checked"
    assert [one for one in found[:-1] if "signature" in one or "partition-table" in one], said
    assert all(line.endswith(".") for line in sentences(";".join(one.split(" ", 1)[1] for one in found[:-1])))


MARKS = [
    (510, b"\x55\xaa", "partition-table mbr"),
    (512, b"EFI PART", "partition-table gpt"),
    (4096, b"EFI PART", "partition-table gpt"),
    *((offset, b"LABELONE", "signature LVM2_member") for offset in (0, 512, 1024, 1536)),
    (1080, b"\x53\xef", "signature ext"),
    (0, b"XFSB", "signature xfs"),
    (0, b"LUKS\xba\xbe", "signature crypto_LUKS"),
    (3, b"NTFS    ", "signature ntfs"),
    (3, b"-FVE-FS-", "signature BitLocker"),
    (3, b"ReFS\0", "signature ReFS"),
    (3, b"EXFAT ", "signature exfat"),
    (54, b"FAT", "signature vfat"),
    (82, b"FAT", "signature vfat"),
    (65600, b"_BHRfS_M", "signature btrfs"),
    (4086, b"SWAPSPACE2", "signature swap"),
    (0, bytes.fromhex("fc4e2ba9"), "signature linux_raid_member"),
    (4096, bytes.fromhex("fc4e2ba9"), "signature linux_raid_member"),
    (3072, b"PRIVHEAD", "signature ldm"),
    (1 << 20, bytes.fromhex("0dd001c0"), "signature VMFS"),
    (1 << 20, bytes.fromhex("c001d00d"), "signature VMFS"),
    (133 << 10, bytes.fromhex("0cb1ba0000000000"), "signature zfs_member"),
    (255 << 10, bytes.fromhex("0000000000bab10c"), "signature zfs_member"),
]


@pytest.mark.parametrize("shell_name", ["dash", "bash", "busybox"])
def test_each_mark_is_known_at_its_place_and_nowhere_else(tmp_path: Path, shell_name: str) -> None:
    environment = bare(tmp_path)
    script = guest_script("disks.sh") + 'for one; do echo "$one"; signatures "$one"; done\n'
    wanted, paths = [], []
    for number, (offset, mark, word) in enumerate(MARKS):
        for moved in (0, 1, -1):
            if offset + moved >= 0:
                paths.append(image(tmp_path / f"{number}{moved:+}.img", 2 << 20))
                write_at(paths[-1], offset + moved, mark)
                wanted += [str(paths[-1]), *([] if moved else [word])]
    program, *words = shell(shell_name)
    command = [str(shutil.which(program)), *words, "-c", script, "sh", *map(str, paths)]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert said.stdout.splitlines() == wanted


def test_a_mounted_disk_is_refused(disk: tuple[Path, str], tmp_path: Path) -> None:
    path, device = disk
    ext4(path)
    at = tmp_path / "mounted"
    at.mkdir()
    if subprocess.run(["mount", device, str(at)], check=False, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        assert "mounted" in objections(device, uuid_of(device))
    finally:
        subprocess.run(["umount", str(at)], check=True)


def test_another_disk_than_the_planned_one_is_refused(disk: tuple[Path, str]) -> None:
    _, device = disk
    uuid = uuid_of(device)
    assert objections(device, "6000c29") == [f"uuid {uuid}"]
    assert objections(device, "") == ["no-identity"]
    assert objections(device, uuid, SIZE + 512) == [f"size {SIZE}"]
    assert objections("/dev/no-such-disk", uuid) == ["not-there"]
    assert objections("/etc/hostname", uuid) == ["not-a-disk"]


def test_a_disk_that_changed_since_the_plan_is_refused_before_anything_is_made(
    disk: tuple[Path, str], machine: Machine, known: KnownHosts
) -> None:
    path, device = disk
    environment = opened([machine], known)
    worker = environment.workers()[0]
    seen = next(one for one in worker.inspect().disks if one.path == device)
    assert seen.size_bytes == SIZE
    assert seen.in_use == ()
    lvm(path)
    before = path.read_bytes()
    with pytest.raises(UsageError, match="LVM"):
        worker.prepare("run-1", writing(device, seen))
    assert path.read_bytes() == before
    assert not Path(worker.place("run-1").id).exists()
    assert "LVM" in " ".join(next(one for one in worker.inspect().disks if one.path == device).in_use)
    environment.close()


def writing(device: str, identity: DiskIdentity) -> Work:
    told = {"depth": 4, "warm_up": 0, "runtime": 2}
    return Work("random-mixed", told, (Disk("disk", device),), (identity,), 2.0)


@pytest.mark.slow
def test_a_disk_that_changed_after_the_preparation_is_refused_by_the_guest_itself(
    disk: tuple[Path, str], machine: Machine, known: KnownHosts
) -> None:
    path, device = disk
    environment = opened([machine], known)
    worker = environment.workers()[0]
    seen = next(one for one in worker.inspect().disks if one.path == device)
    worker.prepare("run-1", writing(device, seen))
    zfs(path)
    before = path.read_bytes()
    worker.start(environment.now_ms() + 1000)
    wait_until(lambda: worker.poll().state == "failed")
    assert "ZFS" in worker.poll().why
    assert "Nothing was written" in worker.poll().why
    assert path.read_bytes() == before
    worker.clean_up()
    environment.close()


@pytest.mark.slow
def test_a_disk_that_changes_while_fio_already_waits_is_refused_at_the_last_moment(
    disk: tuple[Path, str], tmp_path: Path
) -> None:
    path, device = disk
    folder = make_folder(tmp_path / "run", runtime=30, delay_s=9)
    (folder / "disks").write_text(f"disk|{device}|{uuid_of(device)}|{SIZE}\n")
    job = (folder / "job.fio").read_text().replace(f"filename={folder}/work", f"filename={device}")
    (folder / "job.fio").write_text(job)
    process = launch(shell("dash"), folder)
    wait_until(lambda: (folder / "pid").exists() and fios(folder))
    gpt(path)
    subprocess.run(["blockdev", "--flushbufs", device], check=False)
    before = path.read_bytes()
    assert process.wait(300) == 0
    assert ending(folder).startswith("90 refused 1 partition-table")
    assert path.read_bytes() == before
    assert not fios(folder)


@pytest.mark.slow
def test_a_disk_without_objection_is_written(
    disk: tuple[Path, str], machine: Machine, known: KnownHosts
) -> None:
    path, device = disk
    environment = opened([machine], known)
    worker = environment.workers()[0]
    seen = next(one for one in worker.inspect().disks if one.path == device)
    before = path.read_bytes()
    worker.prepare("run-1", writing(device, seen))
    worker.start(environment.now_ms() + 500)
    wait_until(lambda: worker.poll().state in ("ended", "failed"))
    assert worker.poll().state == "ended", worker.poll().why
    assert path.read_bytes() != before
    worker.clean_up()
    environment.close()
