"""Card images: continuation, comments and quotes, tidy and as they come out of the mail."""

import pytest

from isfc.deck.card import CardNote, CommentCard, Statement, read_cards
from isfc.errors import ConfigurationError


def statements(*cards: str) -> list[Statement]:
    found = read_cards("\n".join(cards), "a.iocp")
    return [card for card in found if isinstance(card, Statement)]


def notices(*cards: str) -> list[str]:
    found = read_cards("\n".join(cards), "a.iocp")
    return [f"{card.place.line} {card.text}" for card in found if isinstance(card, CardNote)]


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
    # the mark directly behind the comma, and none at all, in a statement that is passed over
    (card,) = statements("ID MSG1='A',*", "TOK=('B','C')", " CHPID PATH=50")
    (card,) = statements("ID MSG1='A',", "TOK=('B','C')", " CHPID PATH=50")
    assert card.operation == "CHPID"


def test_comments_and_job_control_are_passed_over() -> None:
    cards = list(
        read_cards("//SYSIN DD *\n* a comment\n.* another\n\n CHPID PATH=50\n/*\n", "a.iocp")
    )
    assert [card.text for card in cards if isinstance(card, CommentCard)] == [
        " a comment",
        " another",
    ]
    assert len(cards) == 3


def test_a_comment_between_continued_cards_is_passed_over() -> None:
    (card,) = statements(continued(" CHPID PATH=50,"), "* a comment", " " * 15 + "TYPE=FC")
    assert card.operands == "PATH=50,TYPE=FC"


@pytest.mark.parametrize("count", [1, 2])
def test_a_comment_with_a_mark_goes_on_for_two_cards_at_most(count: int) -> None:
    # 'FOR' is no IOCP statement, it said of the comment's second card
    more = [continued("               for the CTCs") for _ in range(count)]
    (card,) = statements(continued("* Chpids"), *more[:-1], "   for CTCs", " CHPID PATH=50")
    assert card.operands == "PATH=50"
    assert notices(continued("* Chpids"), *more[:-1], "   for CTCs", " CHPID PATH=50") == []


def test_a_third_card_behind_a_comment_is_none_of_it() -> None:
    more = [continued("               text")] * 2
    assert complaint(continued("* a"), *more, "   more") == (
        "a.iocp:4:4: 'MORE' is no IOCP statement; expected RESOURCE, CHPID, CNTLUNIT or IODEVICE, "
        "and an asterisk in column 1 of a comment"
    )


def test_a_statement_behind_a_comment_with_a_mark_is_a_comment_which_is_said() -> None:
    cards = ["*" * 72, " CHPID PATH=50", " CHPID PATH=51"]
    assert [card.operands for card in statements(*cards)] == ["PATH=51"]
    (said,) = notices(*cards)
    assert said == (
        "2 CHPID does not count: it is part of the comment in line 1, whose column 72 is not "
        "blank (HLASM, ICP107I)"
    )


def test_a_statement_behind_a_comment_that_runs_on_counts_which_is_said() -> None:
    comment = "* the chpids of the first director, of which each has a spare one that is off"
    cards = [comment, " CHPID PATH=50"]
    assert [card.operands for card in statements(*cards)] == ["PATH=50"]
    assert notices(*cards)[0].startswith("2 CHPID counts here; to IOCP it is part of the comment")
    assert notices(comment, "* another", " CHPID PATH=50") == []


@pytest.mark.parametrize(
    ("cards", "operands"),
    [
        ([" CHPID PATH=50,*", "TYPE=FC"], "PATH=50,TYPE=FC"),
        ([" CHPID PATH=50,+", "  TYPE=FC"], "PATH=50,TYPE=FC"),
        ([" CHPID PATH=50,X", "  TYPE=FC"], "PATH=50,TYPE=FC"),
        ([" CHPID PATH=50,TY*", "PE=FC"], "PATH=50,TYPE=FC"),
        ([" CHPID PATH=(50,51)+", ",TYPE=FC"], "PATH=(50,51),TYPE=FC"),
        ([" CHPID PATH=50,DESC='a b'*", ",TYPE=FC"], "PATH=50,DESC='a b',TYPE=FC"),
        ([" CNTLUNIT LINK=**", " CHPID PATH=50"], "LINK=**"),
        ([" CNTLUNIT LINK=(****,**)"], "LINK=(****,**)"),
        ([" CHPID PATH=50X", " CHPID PATH=51"], "PATH=50X"),
    ],
)
def test_a_mark_may_abut_the_operands(cards: list[str], operands: str) -> None:
    assert statements(*cards)[0].operands == operands


@pytest.mark.parametrize("column", [17, 20, 40])
def test_operands_behind_column_16_count_which_is_said(column: int) -> None:
    cards = [continued(" CHPID PATH=50,"), " " * (column - 1) + "TYPE=FC"]
    assert [card.operands for card in statements(*cards)] == ["PATH=50,TYPE=FC"]
    (said,) = notices(*cards)
    assert said == (
        "2 operands that continue a statement begin behind column 16: IOCP takes the card for a "
        "comment (ICP116I), here they count"
    )


@pytest.mark.parametrize("column", [1, 2, 15, 16])
def test_operands_up_to_column_16_and_remarks_behind_it_need_no_word(column: int) -> None:
    cards = [continued(" CHPID PATH=50,"), " " * (column - 1) + "TYPE=FC"]
    assert notices(*cards) == []
    assert notices(continued(" CHPID PATH=50  a remark"), " " * 30 + "that goes on") == []


@pytest.mark.parametrize(
    "statement",
    [
        " UUID PARTITION=((CSS(0),LP1))",
        " UUID PARTITION=((CSS(0),LP1),\n               (CSS(1),LP2))",
        "UUID PART=LP1",
    ],
)
def test_uuid_says_nothing_of_ctcs(statement: str) -> None:
    (card,) = statements(statement, " CHPID PATH=50")
    assert card.operation == "CHPID"
    assert notices(statement) == []


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        (" CRYPTO PARTITION=(LP1,LP2),KEY=4", "CRYPTO"),
        ("CEC1 NETID DOMAIN=(1,\n     2)", "NETID"),
        (" EDGE MODE=A,*\n B=C", "EDGE"),
    ],
)
def test_a_statement_of_a_later_iocp_is_passed_over_which_is_said(
    statement: str, name: str
) -> None:
    assert [card.operands for card in statements(statement, " CHPID PATH=50")] == ["PATH=50"]
    assert notices(statement) == [f"1 {name} is not known and is passed over"]


@pytest.mark.parametrize("operands", ["PATH=50", "CUNUMBR=4010", "A=1,UNIT=FCTC", "X=1,CUADD=2"])
def test_a_statement_that_may_concern_ctcs_is_refused_whatever_it_is_called(operands: str) -> None:
    assert complaint(f" CNTLUNT {operands}").startswith("a.iocp:1:2: 'CNTLUNT' is no IOCP stat")


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
