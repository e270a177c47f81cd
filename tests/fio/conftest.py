"""Output of the real fio: two jobs for two seconds, with documents in between and logs."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

JOB = """
[global]
filename={folder}/disk
size=8m
bs=4k
rw=randrw
rwmixread=70
iodepth=4
ioengine=psync
time_based
runtime=2
randrepeat=0
rate_iops=200,80
[db]
write_iops_log=db
write_lat_log=db
log_avg_msec=250
[web]
"""


@pytest.fixture(scope="session")
def fio_output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which fio ran: ``out.json`` and the logs ``db_*.log`` of the first job."""
    if shutil.which("fio") is None:
        pytest.skip("fio is not installed")
    folder = tmp_path_factory.mktemp("fio")
    (folder / "job.fio").write_text(JOB.format(folder=folder), encoding="utf-8")
    command = ["fio", "--output-format=json+", "--status-interval=1", "--output=out.json", "job.fio"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)
    (folder / "disk").unlink()
    return folder


@pytest.fixture(scope="session")
def last_document(fio_output: Path) -> dict[str, object]:
    """The final document of the run, as another JSON reader sees it."""
    text = (fio_output / "out.json").read_text(encoding="utf-8")
    begin = text.rindex('\n{\n  "fio version"') + 1 if '\n{\n  "fio version"' in text else text.index("{")
    found: dict[str, object] = json.loads(text[begin:])
    return found
