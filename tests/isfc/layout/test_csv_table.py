"""A table says the same by whatever its cells are parted, and what is no table is refused."""

from pathlib import Path

import pytest

from isfc.answers.guest import read_guests
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.csv_table import CsvTable, names_in
from isfc.site.figures import Reading
from isfc.site.intervals import carried_intervals, is_interval_table
from scenarios.moves.guest import Limits
from scenarios.runs.own_workload import read_trace

GUESTS = "Name , memory,change_rate\nLINUX1,1.5 GB,20M\nLINUX2,64 GiB,400MB\n"
SEMICOLONS, TABS = GUESTS.replace(",", ";"), GUESTS.replace(",", "\t")


@pytest.mark.parametrize(
    ("text", "code"),
    [(GUESTS, "utf-8"), (SEMICOLONS, "utf-8-sig"), (TABS, "utf-8"), (TABS, "utf-16")],
)
def test_guests_are_read_as_programs_write_tables(tmp_path: Path, text: str, code: str) -> None:
    path = tmp_path / "guests.csv"
    path.write_text(text, code)
    guests = [each.plan for each in read_guests(path, Limits())]
    assert [(each.name, each.memory.size, each.memory.change_rate) for each in guests] == [
        ("LINUX1", 3 * 2**29, 20 * 2**20),
        ("LINUX2", 64 * 2**30, 400 * 2**20),
    ]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_loads_and_traces_are_read_with_each_of_them(tmp_path: Path, mark: str) -> None:
    layout = load_layout("atlanta-boston")
    assert is_interval_table(f"Begin{mark}ATLANTA{mark}boston\n".encode(), layout)
    assert not is_interval_table(f"Begin{mark}ATLANTA\n".encode(), layout)
    path = tmp_path / "trace.csv"
    path.write_text(f"seconds{mark}bytes\n0.25{mark}8192\n\n0.5{mark}1\n")
    assert read_trace(path) == [(0.25, 8192), (0.5, 1)]
    path.write_text(f"seconds{mark}bytes\n0.25\n")
    with pytest.raises(ConfigurationError, match="line 2: expected seconds and bytes"):
        read_trace(path)


def test_a_table_that_is_no_text_is_refused_by_its_name(tmp_path: Path) -> None:
    # of a table of loads it was a traceback
    layout, path = load_layout("atlanta-boston"), tmp_path / "day.csv"
    content = b"begin,ATLANTA,BOSTON\n09:00,1,\xb5\n"
    assert is_interval_table(content, layout)
    with pytest.raises(ConfigurationError, match=r"day.csv: is not UTF-8 text \(at byte 29\)"):
        carried_intervals(layout, {path: content}, [], Reading())


def test_too_many_cells_and_too_few_are_told_by_their_line() -> None:
    rows = [*CsvTable('a;b\n1;"2;3"\n1\n1;2;3\n')]
    assert rows[0] == (2, {"a": "1", "b": "2;3"}, "")
    assert [(number, problem.partition(";")[0]) for number, _, problem in rows[1:]] == [
        (3, "1 cells"), (4, "3 cells"),
    ]  # fmt: skip


def test_a_cell_below_no_name_is_told_and_an_empty_one_is_none() -> None:
    problems = [problem for _, _, problem in CsvTable("a,,b\n1,,2\n1,7,2\n")]
    assert problems == ["", "'7' in a column without a name; expected one"]


def test_columns_are_named_alike_where_a_table_is_known_and_where_it_is_read() -> None:
    for line in ('begin;A;B"', 'begin";A;B', '"begin"; a ;B'):
        assert names_in(line) == CsvTable(f"{line}\n").names


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b, A\n", "line 1: column a twice"),
        ('a,b\n1,"2\n3,4\n', "line 3: unexpected end of data; expected CSV"),
    ],
)
def test_what_is_no_table_is_refused_by_its_line(text: str, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        [*CsvTable(text)]
