"""The coverage floors look at branches only, ring by ring."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools.checks import branches


def report(**files: tuple[int, int]) -> dict[str, Any]:
    """A coverage report: for each file (``isfc__system`` is isfc/system.py), (taken, all)."""
    return {
        "files": {
            f"{name.replace('__', '/')}.py": {
                "summary": {"covered_branches": taken, "num_branches": total, "covered_lines": 999}
            }
            for name, (taken, total) in files.items()
        }
    }


GOOD = {"ctc__chpid": (95, 100), "isfc__link": (20, 20), "scenarios__run": (9, 10)}


def test_files_add_up_by_ring() -> None:
    files = report(isfc__link=(5, 6), isfc__engine__pump=(1, 2), isfc__cli__main=(3, 7))
    assert branches.branches(files) == {
        "ctc": (0, 0),
        "isfc": (6, 8),
        "isfc/cli": (3, 7),
        "scenarios": (0, 0),
    }


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, 0),
        ({"ctc__chpid": (949, 1000)}, 1),
        ({"isfc__link": (18, 20)}, 1),
        ({"isfc__cli__main": (79, 100)}, 1),
        ({"ctc__chpid": (0, 0)}, 1),  # nothing measured is nothing covered
    ],
)
def test_status(tmp_path: Path, changed: dict[str, tuple[int, int]], status: int) -> None:
    path = tmp_path / "coverage.json"
    path.write_text(json.dumps(report(**({"isfc__cli__main": (80, 100)} | GOOD | changed))))
    assert branches.main(path) == status
