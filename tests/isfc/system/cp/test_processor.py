"""CP's commands as a whole: which there are, and what becomes of what is none."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.system.cp.messages import EXTRA_OPTION, INVALID_OPERAND, OPERAND_MISSING, UNKNOWN_COMMAND
from isfc.system.cp.processor import CP_COMMANDS, CommandProcessor, completions
from isfc.system.system import System
from isfc.testing.pair import MS, Pair, Setup
from tests.isfc.system.cp.desk import Desk


@pytest.fixture(name="desk", scope="module")
def make_desk() -> Desk:
    return Desk(Pair(Setup(ctc_count=2)))


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("q islink", "query islink all"),
        ("Q CHP 40", "QUERY CHPID 40"),
        ("q count 6000", "query counters 6000"),
        ("act islink 6000", "activate islink 6000"),
        ("q isl", "query islink"),
        ("ind isl", "indicate islink"),
        ("Q ISFC", "QUERY ISFC"),
        ("q col", "query collect"),
        ("q islink nod boston", "query islink node boston"),
    ],
)
def test_abbreviation_means_the_same(short: str, long: str, desk: Desk) -> None:
    first, second = desk.give(short), desk.give(long)
    assert first.lines == second.lines
    assert first.return_code == second.return_code


@pytest.mark.parametrize("spelling", "dea deact deactiv deactive deactivat deactivate".split())
def test_deactivation_may_be_spelled_as_people_do(spelling: str) -> None:
    desk = Desk(Pair(Setup(ctc_count=2)))
    assert desk.lines(f"{spelling} islink 6001") == ["Link 6001 deactivated."]


@pytest.mark.parametrize(
    ("command", "return_code", "line"),
    [
        ("format a", 1, UNKNOWN_COMMAND("FORMAT")),
        ("qu\x00", 1, UNKNOWN_COMMAND("QU?")),
        ("var off 6000", 1, UNKNOWN_COMMAND("VAR")),
        ("query", 26, OPERAND_MISSING()),
        ("vary", 26, OPERAND_MISSING()),
        ("query dasd", 2, INVALID_OPERAND("DASD")),
        ("query is", 2, INVALID_OPERAND("IS")),
        ("vary o 6000", 2, INVALID_OPERAND("O")),
        ("help me", 3, EXTRA_OPTION("ME")),
    ],
)
def test_what_is_no_command_is_refused(
    command: str, return_code: int, line: str, desk: Desk
) -> None:
    assert desk.refusal(command) == (return_code, line)


@pytest.mark.parametrize("command", ["", "   ", "\t"])
def test_nothing_is_answered_with_nothing(command: str, desk: Desk) -> None:
    response = desk.give(command)
    assert (response.return_code, response.lines, response.command) == (0, [], "")


def test_help_lists_every_command_and_its_abbreviation(desk: Desk) -> None:
    lines = desk.lines("help")
    assert lines == [command.syntax for command in CP_COMMANDS]
    assert "ACTivate ISLink rdev ... [NODe name] [BUffers n]" in lines


words = st.one_of(
    st.text(max_size=10),
    st.sampled_from("q act deact vary ind islink chpid count on off all node".split()),
    st.sampled_from("6000 6001 6009 40 41 boston atlanta".split()),
)


@given(st.lists(words, max_size=6))
def test_any_command_is_answered(command: list[str]) -> None:
    pair = Pair(Setup(ctc_count=2))
    response = Desk(pair).give(" ".join(command))
    assert (response.return_code == 0) or response.lines
    assert all(line.isprintable() and len(line) <= 130 for line in response.lines)
    pair.run(MS)


def test_processor_follows_the_node_that_takes_anothers_place() -> None:
    processor = CommandProcessor()
    old, new = System([Setup().definition(0)]), System([Setup().definition(0)])
    assert processor.execute("indicate islink", old, 2_000_000_000).lines[0].endswith("2.000 s")
    assert processor.execute("indicate islink", old, 5_000_000_000).lines[0].endswith("3.000 s")
    assert processor.execute("indicate islink", new, 9_000_000_000).lines[0].endswith("9.000 s")


def test_page_of_commands_has_a_row_for_each() -> None:
    page = (Path(__file__).parents[4] / "docs" / "cp.md").read_text("utf-8")
    first, _, _ = page.partition("\n## ")
    rows = [row.replace("\\|", "|") for row in re.findall(r"^\| `([^`]+)` \|", first, re.MULTILINE)]
    apart = {"HELP", "DEACTIVATe"}  # told in the page's words
    assert sorted(rows) == sorted(each.syntax for each in CP_COMMANDS if each.verb not in apart)


RDEVS = ["6000", "6001", "600A"]


def offered(text: str) -> list[str]:
    return completions(text, RDEVS, ["BOSTON"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", list(dict.fromkeys(command.verb.upper() for command in CP_COMMANDS))),
        ("de", ["DEACTIVE", "DEACTIVATE"]),
        ("Q", ["QUERY"]),
        ("q ", [command.noun.upper() for command in CP_COMMANDS if command.verb == "Query"]),
        ("query c", ["COUNTERS", "CHPID", "COLLECT"]),
        ("act i", ["ISLINK"]),
        ("vary o", ["ONLINE", "OFFLINE"]),
        ("vary off ", ["CHPID", *RDEVS]),
        ("vary off 600", RDEVS),
        ("vary off 6000 ", ["CHPID", "6001", "600A"]),
        ("q islink ", ["NODE", "ALL", *RDEVS]),
        ("q islink node ", ["BOSTON"]),
        ("q islink nod b", ["BOSTON"]),
        ("act islink 6001 n", ["NODE"]),
        ("act islink b", ["BUFFERS"]),
        ("q chpid ", []),
        ("ind islink ", []),
        ("help ", []),
        ("foo ", []),
        ("q foo ", []),
    ],
)
def test_words_that_can_follow(text: str, words: list[str]) -> None:
    assert offered(text) == words


@given(st.text(max_size=20))
def test_whatever_is_offered_continues_what_is_typed(text: str) -> None:
    begun = text.split()[-1] if text and not text[-1].isspace() else ""
    for word in offered(text):
        assert len(word) >= len(begun)
        assert word == word.upper()
