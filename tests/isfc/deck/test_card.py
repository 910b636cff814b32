"""Card images: continuation, comments and quotes, tidy and as they come out of the mail."""

import pytest

from isfc.deck.card import Remark, Statement, read_cards
from isfc.errors import ConfigurationError


def statements(*cards: str) -> list[Statement]:
    found = read_cards("\n".join(cards), "a.iocp")
    return [card for card in found if isinstance(card, Statement)]


def complaint(*cards: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        statements(*cards)
    return str(caught.value)


def continued(text: str, mark: str = "*") -> str:
    return text.ljust(71) + mark


def test_name_operation_operands_and_remarks() -> None:
    (card,) = statements("PATH50   CHPID PATH=50,TYPE=FC   the first of four")
    assert (card.operation, card.operands) == ("CHPID", "PATH=50,TYPE=FC")
    assert str(card.place) == "a.iocp:1:10"


def test_continued_operands_are_joined_and_keep_their_places() -> None:
    (card,) = statements(continued(" CHPID PATH=50,", "+"), " " * 15 + "TYPE=FC")
    assert card.operands == "PATH=50,TYPE=FC"
    assert str(card.at(0)) == "a.iocp:1:8"
    assert str(card.at(card.operands.index("TYPE"))) == "a.iocp:2:16"


def test_operands_may_be_cut_anywhere_at_column_71() -> None:
    first = (" CHPID PATH=50,TYPE=FC,DESC='" + "x" * 80)[:71] + "*"
    (card,) = statements(first, " " * 15 + "y'")
    assert card.operands.endswith("xy'")


def test_sequence_numbers_are_no_operands() -> None:
    (card,) = statements(continued(" CHPID PATH=50,", " ") + "00000010", " " * 15 + "TYPE=FC")
    assert card.operands == "PATH=50,TYPE=FC"


def test_remarks_may_be_continued_too() -> None:
    first, second = statements(
        continued(" CHPID PATH=50  a remark"), " " * 15 + "that goes on", " CHPID PATH=51"
    )
    assert (first.operands, second.operands) == ("PATH=50", "PATH=51")


@pytest.mark.parametrize("mark", ["*", "+", "X", ""])
def test_a_mark_that_has_slipped_is_taken(mark: str) -> None:
    (card,) = statements(f" CHPID PATH=50,   {mark}", "  TYPE=FC")
    assert card.operands == "PATH=50,TYPE=FC"


def test_an_id_statement_may_slip_too_and_end_with_a_comma() -> None:
    (card,) = statements("ID MSG1='A', *", " TOK=('B','C'),", " CHPID PATH=50")
    assert card.operation == "CHPID"


def test_comments_and_job_control_are_passed_over() -> None:
    cards = list(
        read_cards("//SYSIN DD *\n* a comment\n.* another\n\n CHPID PATH=50\n/*\n", "a.iocp")
    )
    assert [card.text for card in cards if isinstance(card, Remark)] == [" a comment", " another"]
    assert len(cards) == 3


def test_a_comment_between_continued_cards_is_passed_over() -> None:
    (card,) = statements(continued(" CHPID PATH=50,"), "* a comment", " " * 15 + "TYPE=FC")
    assert card.operands == "PATH=50,TYPE=FC"


def test_windows_lines_and_tabs_are_taken() -> None:
    (card,) = statements("\tCHPID\tPATH=50\r")
    assert card.operands == "PATH=50"


def test_a_statement_in_column_1_is_taken() -> None:
    (card,) = statements("CHPID PATH=50")
    assert card.operation == "CHPID"


@pytest.mark.parametrize(
    ("cards", "place", "what"),
    [
        ([" CHIPD PATH=50"], "1:2", "'CHIPD' is no IOCP statement; expected RESOURCE, CHPID,"),
        ([" CHPID PATH=(50, 51)"], "1:17", "CHPID has a blank behind a comma"),
        ([" CHPID DESC='abc"], "1:8", "CHPID has a quote without its mate"),
        ([continued(" CHPID PATH=50,")], "1:72", "CHPID is continued, and the deck ends"),
        ([" CHPID PATH=50,", " CHPID PATH=51"], "2:2", "CHPID stands where CHPID in line 1 goes"),
        (
            [continued(" CHPID PATH=50"), " " * 15 + "TYPE=FC"],
            "2:16",
            "CHPID goes on behind operands that do not end with a comma; expected a comma behind",
        ),
        (["NAME"], "1:5", "there is no statement"),
    ],
)
def test_a_bad_card_is_named_with_line_and_column(cards: list[str], place: str, what: str) -> None:
    assert complaint(*cards).startswith(f"a.iocp:{place}: {what}")
