"""The examples of docs/api.md run, in a process of their own, and print what they should."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text("utf-8")
VIRTUAL, LIVE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def run(code: str, tmp_path: Path) -> tuple[str, str]:
    """What a program prints, on stdout and on stderr."""
    file = tmp_path / "example.py"
    file.write_text(code, "utf-8")
    done = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout, done.stderr


def test_example_in_virtual_time_prints_what_the_page_shows(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert run(VIRTUAL, tmp_path) == (shown, "")


def test_example_of_conversations_runs(tmp_path: Path) -> None:
    assert len(LIVE.splitlines()) <= 35
    printed = "BYTES, BOTH WAYS AT ANY TIME\nONE REQUEST, THEN ITS REPLY\n"
    assert run(LIVE, tmp_path) == (printed, "")
