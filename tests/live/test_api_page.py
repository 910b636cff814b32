"""The example of docs/api.md runs, in a process of its own, and prints what it should."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def test_example_runs(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(code.splitlines()) <= 35
    file = tmp_path / "example.py"
    file.write_text(code, "utf-8")
    run = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.stdout, run.stderr) == (
        "BYTES, BOTH WAYS AT ANY TIME\nONE REQUEST, THEN ITS REPLY\n",
        "",
    )
