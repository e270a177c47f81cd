"""Pages that are drawn from the resources are as fresh as these."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_generated_pages_are_fresh() -> None:
    check = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert check.stderr == ""
    assert check.returncode == 0


def test_a_stale_page_is_named(tmp_path: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, 'docs'); import generate, pathlib; "
        "print(generate.stale_pages(pathlib.Path(sys.argv[1])))"
    )
    (tmp_path / "counters.md").write_text("old\n", encoding="utf-8")
    out = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "counters.md" in out.stdout
