"""The live view of several links: a line for each, within 80 columns."""

import pytest

from isfc.cli.live.rates import rates
from isfc.cli.live.watch_page import Ends, Surroundings, links_headings, links_line, links_page
from isfc.cli.output.streams import show
from tests.isfc.live.snapshots import sight

LINKS = [("ATLANTA", "BOSTON"), ("ATLANTA1", "CHICAGO2")]
ENDS: list[Ends] = [(rates(None, sight("ATLANTA")), rates(None, sight("BOSTON"))), (None, None)]


def test_page_has_a_line_for_each_link(capsys: pytest.CaptureFixture[str]) -> None:
    show(links_page(LINKS, ENDS, Surroundings()))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 logical links of ATLANTA, BOSTON, ATLANTA1, CHICAGO2"
    (line,) = [each for each in lines if each.startswith("ATLANTA-BOSTON")]
    assert line.split()[1:5] == ["Up", "2/2", "3.0", "3.0"]
    (line,) = [each for each in lines if each.startswith("ATLANTA1-CHICAGO2")]
    assert line.split()[1:] == ["no", "answer"]
    assert all(len(each) <= 80 for each in lines)


def test_plain_lines_say_when_one_end_does_not_answer() -> None:
    seen = (ENDS[0], (ENDS[0][0], None), (None, None))
    lines = [links_headings(), *(links_line("12:00:00", LINKS[0], ends) for ends in seen)]
    assert [line.split()[2] for line in lines[1:]] == ["Up", "Up", "no"]
    assert "Up ?" in lines[2]
    assert all(len(line) <= 80 for line in lines)
