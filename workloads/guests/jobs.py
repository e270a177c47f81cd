"""The job file of a launched job: the template's, with the start at an instant in front of it."""

from __future__ import annotations

from resources.failures import UsageError
from resources.fio_jobs import FioJobs
from resources.foreign_text import shown
from workloads.environment import Work
from workloads.job_file import Guest, job_file

_GLOBAL = "[global]\n"


def launched_job(jobs: FioJobs, work: Work, folder: str, guest: Guest, *, raw_logs: bool = False) -> str:
    """Return the job file of ``work``, whose jobs begin when barrier.sh lets them (Linux).

    fio runs barrier.sh when it has read the job and made threads and files, so that nothing but that wait
    lies between the instant and the first I/O. With ``raw_logs`` fio logs each I/O. Raises UsageError.
    """
    if work.job not in jobs.jobs:
        raise UsageError(f"There is no job {shown(work.job)}.", advice=f"There are: {', '.join(jobs.jobs)}.")
    text = job_file(jobs, jobs.jobs[work.job], work.inputs, work.disks, guest)
    lines = []
    if guest == "linux":
        lines.append(f"exec_prerun=sh {folder}/barrier.sh")
    if raw_logs:
        prefix = f"{folder}/raw" if guest == "linux" else "raw"  # a drive's colon would end the name
        lines += [f"write_lat_log={prefix}", "log_unix_epoch=1"]
    return text.replace(_GLOBAL, _GLOBAL + "".join(line + "\n" for line in lines), 1)
