"""Card images: continuation, comments and quotes, tidy and as they come out of the mail."""

from typing import Final

import pytest

from isfc.deck.card import CardNote, CommentCard, Statement, read_cards
from isfc.deck.operand import OperandWord, StatementOperands, Value, by_css, words_of
from isfc.errors import ConfigurationError
from tests.refusals import refused


def continued(text: str, mark: str = "*") -> str:
    return text.ljust(71) + mark


def read(*cards: str) -> tuple[list[str], list[str]]:
    """The statements, each with its operands, and the notices, each with its line."""
    found = [*read_cards("\n".join(cards), "a.iocp")]
    statements = [
        f"{card.operation} {card.operands}" for card in found if isinstance(card, Statement)
    ]
    return statements, [f"{c.place.line} {c.text}" for c in found if isinstance(c, CardNote)]


TAIL: Final = " " * 15
COMMA: Final = continued(" CHPID PATH=50,")
NEXT: Final = " CHPID PATH=50"
LONG: Final = "* the chpids of the first director, of which each has a spare one that is off"
WHOLE: Final = "CHPID PATH=50,TYPE=FC"
BEHIND_16: Final = (
    "2 operands that continue a statement begin behind column 16: IOCP takes the card for a "
    "comment (ICP116I), here they count"
)
UNBLANK: Final = (
    "2 CHPID does not count: it is part of the comment in line 1, whose column 72 is not blank "
    "(HLASM, ICP107I)"
)
RUNS_ON: Final = "2 CHPID counts here; to IOCP it is part of the comment"

CASES: Final[dict[str, tuple[list[str], str, list[str]]]] = {
    # cards, the statement in them (first of two), and what is said
    "name, operation, operands and remark": (
        ["PATH50   CHPID PATH=50,TYPE=FC   the first of four"], WHOLE, [],
    ),
    "sequence numbers": ([f"{COMMA[:-1]} 00000010", f"{TAIL}TYPE=FC"], WHOLE, []),
    "a remark that goes on": (
        [continued(" CHPID PATH=50  a remark"), f"{TAIL}that goes on"], "CHPID PATH=50", [],
    ),
    "its second card behind column 16": (
        [continued(" CHPID PATH=50  a remark"), " " * 30 + "that goes on"], "CHPID PATH=50", [],
    ),
    "cut at column 71": (
        [(" CHPID PATH=50,TYPE=FC,DESC='" + "x" * 80)[:71] + "*", f"{TAIL}y'"],
        f"CHPID PATH=50,TYPE=FC,DESC='{'x' * 42}y'", [],
    ),
    **{f"a mark that slipped: {mark}": ([f" CHPID PATH=50,   {mark}", "  TYPE=FC"], WHOLE, [])
       for mark in ("*", "+", "X", "")},
    **{f"a mark that abuts: {first}": ([f" CHPID {first}", rest], f"CHPID {operands}", [])
       for first, rest, operands in (
        ("PATH=50,*", "TYPE=FC", "PATH=50,TYPE=FC"),
        ("PATH=50,+", "  TYPE=FC", "PATH=50,TYPE=FC"),
        ("PATH=50,X", "  TYPE=FC", "PATH=50,TYPE=FC"),
        ("PATH=50,TY*", "PE=FC", "PATH=50,TYPE=FC"),
        ("PATH=(50,51)+", ",TYPE=FC", "PATH=(50,51),TYPE=FC"),
        ("PATH=50,DESC='a b'*", ",TYPE=FC", "PATH=50,DESC='a b',TYPE=FC"),
        ("PATH=50X", " CHPID PATH=51", "PATH=50X"),
    )},
    "asterisks for a link": ([" CNTLUNIT LINK=**", NEXT], "CNTLUNIT LINK=**", []),
    "asterisks in a list": ([" CNTLUNIT LINK=(****,**)"], "CNTLUNIT LINK=(****,**)", []),
    "ID": (["ID MSG1='A', *", " TOK=('B','C'),", NEXT], "CHPID PATH=50", []),
    "ID whose mark abuts": (["ID MSG1='A',*", "TOK=('B','C')", NEXT], "CHPID PATH=50", []),
    "ID without a mark": (["ID MSG1='A',", "TOK=('B','C')", NEXT], "CHPID PATH=50", []),
    "a comment between": ([COMMA, "* a comment", f"{TAIL}TYPE=FC"], WHOLE, []),
    # 'FOR' is no IOCP statement, it said of the comment's second card
    "a comment of two cards": ([continued("* Chpids"), "   for CTCs", NEXT], "CHPID PATH=50", []),
    "of three": (
        [continued("* Chpids"), continued("               for the CTCs"), "   for CTCs", NEXT],
        "CHPID PATH=50", [],
    ),
    "a statement behind a comment with a mark": (
        ["*" * 72, NEXT, " CHPID PATH=51"], "CHPID PATH=51", [UNBLANK],
    ),
    "a statement behind a comment that runs on": ([LONG, NEXT], "CHPID PATH=50", [RUNS_ON]),
    "a comment behind one": ([LONG, "* another", NEXT], "CHPID PATH=50", []),
    **{f"operands in column {n}": (
        [COMMA, " " * (n - 1) + "TYPE=FC"], WHOLE, [BEHIND_16] * (n > 16),
    ) for n in (1, 2, 15, 16, 17, 20, 40)},
    "UUID": ([" UUID PARTITION=((CSS(0),LP1))", NEXT], "CHPID PATH=50", []),
    "UUID of two cards": (
        [" UUID PARTITION=((CSS(0),LP1),", f"{TAIL}(CSS(1),LP2))", NEXT], "CHPID PATH=50", [],
    ),
    "UUID in column 1": (["UUID PART=LP1", NEXT], "CHPID PATH=50", []),
    **{f"{name}, of a later IOCP": (
        [*cards, NEXT], "CHPID PATH=50", [f"1 {name} is not known and is passed over"],
    ) for name, cards in {
        "CRYPTO": [" CRYPTO PARTITION=(LP1,LP2),KEY=4"],
        "NETID": ["CEC1 NETID DOMAIN=(1,", "     2)"],
        "EDGE": [" EDGE MODE=A,*", " B=C"],
    }.items()},
    "lines of Windows, and tabs": (["\tCHPID\tPATH=50\r"], "CHPID PATH=50", []),
    "column 1": (["CHPID PATH=50"], "CHPID PATH=50", []),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_cards_are_the_statements_that_iocp_takes(case: str) -> None:
    cards, statement, said = CASES[case]
    statements, notices = read(*cards)
    assert statements[0] == statement
    assert len(statements) == 1 or cards[-1].split()[0] == "CHPID"
    assert [text[: len(said[n])] for n, text in enumerate(notices)] == said


def test_operands_keep_their_places() -> None:
    first, second = read_cards(
        f"{continued(' CHPID PATH=50,', '+')}\n{TAIL}TYPE=FC\nNAME CHPID A=B", "a.iocp"
    )
    assert isinstance(first, Statement)
    assert isinstance(second, Statement)
    assert [str(first.at(0)), str(first.at(first.operands.index("TYPE")))] == [
        "a.iocp:1:8",
        "a.iocp:2:16",
    ]
    assert str(second.place) == "a.iocp:3:6"


def test_comments_and_job_control_are_passed_over() -> None:
    text = "//SYSIN DD *\n* a comment\n.* another\n\n CHPID PATH=50\n/*\n"
    cards = [*read_cards(text, "a.iocp")]
    assert [c.text for c in cards if isinstance(c, CommentCard)] == [" a comment", " another"]
    assert len(cards) == 3


REFUSED: Final = [
    ([" CHIPD PATH=50"], "1:2: 'CHIPD' is no IOCP statement; expected RESOURCE, CHPID,"),
    ([" CHPID PATH=(50, 51)"], "1:17: CHPID has a blank behind a comma"),
    ([" CHPID DESC='abc"], "1:8: CHPID has a quote without its mate"),
    ([COMMA], "1:72: CHPID is continued, and the deck ends"),
    ([" CHPID PATH=50,", " CHPID PATH=51"], "2:2: CHPID stands where CHPID in line 1 goes"),
    ([continued(NEXT), f"{TAIL}TYPE=FC"],
     "2:16: CHPID goes on behind operands that do not end with a comma; expected a comma behind"),
    (["NAME"], "1:5: there is no statement"),
    (
        [continued("* a"), *[continued(f"{TAIL}text")] * 2, "   more"],  # two cards at most
        "4:4: 'MORE' is no IOCP statement; expected RESOURCE, CHPID, CNTLUNIT or IODEVICE, and",
    ),
    # what may concern CTCs, whatever it is called
    *(
        ([f" CNTLUNT {operands}"], "1:2: 'CNTLUNT' is no IOCP stat")
        for operands in ("PATH=50", "CUNUMBR=4010", "A=1,UNIT=FCTC", "X=1,CUADD=2")
    ),
]  # fmt: skip


@pytest.mark.parametrize(("cards", "message"), REFUSED)
def test_a_bad_card_is_named_with_line_and_column(cards: list[str], message: str) -> None:
    refused(lambda: read(*cards), f"a.iocp:{message}")


def operands(text: str) -> StatementOperands:
    (card,) = read_cards(f" CHPID {text}", "a.iocp")
    assert isinstance(card, Statement)
    return StatementOperands.of(card)


def texts(value: Value | None) -> list[str]:
    assert value is not None
    return [word.text for word in words_of(value)]


def test_keywords_flags_words_and_lists() -> None:
    read = operands("PATH=(CSS(0,1),53),SHARED,TYPE=FC,DESC='it''s ours'")
    assert list(read.values) == ["PATH", "SHARED", "TYPE", "DESC"]
    assert texts(read.get("PATH")) == ["0", "1", "53"]
    assert texts(read.get("DESC")) == ["it's ours"]
    word = read.word("TYPE", "one")
    assert word is not None
    assert (word.text, str(word.place)) == ("FC", "a.iocp:1:39")


def test_a_list_may_leave_items_out_and_name_the_same_again() -> None:
    assert texts(operands("PARTITION=((LP1),,REC)").get("PARTITION")) == ["LP1", "", "REC"]
    assert texts(operands("PARTITION=((LP1),(=))").get("PART", "PARTITION")) == ["LP1", "="]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("PATH=50", [([], ["50"])]),
        ("PATH=(50,51)", [([], ["50", "51"])]),
        ("PATH=(CSS(0,1),50)", [(["0", "1"], ["50"])]),
        ("PATH=((CSS(0),50),(CSS(1),51,52))", [(["0"], ["50"]), (["1"], ["51", "52"])]),
        ("PATH=((CSS(0),(50,51)))", [(["0"], ["50", "51"])]),
    ],
)
def test_values_by_channel_subsystem(text: str, parts: list[tuple[list[str], list[str]]]) -> None:
    value = operands(text).get("PATH")
    assert value is not None
    read = [
        ([css.text for css in csss], [word.text for item in items for word in words_of(item)])
        for csss, items in by_css(value)
    ]
    assert read == parts


@pytest.mark.parametrize(
    ("text", "column", "what"),
    [
        ("PATH=50,PATH=51", 16, "CHPID: PATH is there twice; expected each keyword once"),
        ("PATH=(50", 16, "CHPID: the end of the operands in the list that begins in column 13"),
        ("PATH=(50))", 17, "CHPID: ')' behind PATH; expected a comma"),
        ("PA\bTH=50", 8, "CHPID: 'PA\\x08TH'; expected KEYWORD=value"),
        ("=50", 8, "CHPID: '='; expected KEYWORD=value"),
        ("PATH=" + "(" * 9, 21, "CHPID: parentheses are nested too deeply"),
        ("PATH=50,'x'", 16, 'CHPID: "\'"; expected KEYWORD=value'),
    ],
)
def test_a_bad_operand_is_named_with_its_column(text: str, column: int, what: str) -> None:
    refused(lambda: operands(text), f"a.iocp:1:{column}: {what}")


def test_a_word_that_cannot_be_read_says_what_was_expected() -> None:
    value = operands("PATH=5G").get("PATH")
    assert isinstance(value, OperandWord)
    with pytest.raises(ConfigurationError, match=r"a.iocp:1:13: CHPID PATH '5G'; expected a chpid"):
        value.read(lambda text: int(text, 16), "CHPID PATH", "a chpid")
