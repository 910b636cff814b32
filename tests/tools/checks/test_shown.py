"""What people see is made in one place."""

from pathlib import Path

import pytest

from tools import PROJECT
from tools.checks import shown

RECORD = "class One:\n    a: int\n    b: int\n    c: str\n    d: float = 1.0\n    e: int\n"


def test_what_is_let_off_is_there() -> None:
    assert all((PROJECT / name).exists() for name in (*shown.NO_FIGURES, *shown.COLUMNS))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('f"{rate:.1f} MB/s"', ["number format: isfc.reports.units writes a figure"]),
        ('f"{rate:>6,.0f}"', ["number format: isfc.reports.units writes a figure"]),
        ('f"{count:,}"', ["number format: isfc.reports.units writes a figure"]),
        ('"{:.3g} s".format', ["number format: isfc.reports.units writes a figure"]),
        ('f"{km:g} {rdev:04X} {name:<{width}} {name:.8} {a}, {b}"', []),
        ("table.add_row(1)", ["add_row: a Table of a Report has rows"]),
        ("'<td>1</td>'", ["HTML: a template has it"]),
        ("'a < b, <chpid> or <name>'", []),
        ("class PlanJson: pass", ["PlanJson: an answer is its own record"]),
        (RECORD + RECORD.replace("One", "Two"), ["One has 5 fields of Two: one record"]),
        (f"{RECORD}class Two(One):\n    f: int\n    g: int\n    h: int\n", []),
    ],
)
def test_what_is_found(tmp_path: Path, text: str, said: list[str]) -> None:
    for folder in ("isfc/answers", "isfc/reports"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "isfc/answers/a.py").write_text(text)
    assert [each.partition(": ")[2] for each in shown.found(tmp_path)] == said
