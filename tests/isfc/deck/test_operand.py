"""Operands: keywords, lists in lists, CSS forms, and where each of them stands."""

import pytest

from isfc.deck.card import Statement, read_cards
from isfc.deck.operand import (
    OperandWord,
    StatementOperands,
    Value,
    by_css,
    parse_operands,
    words_of,
)
from isfc.errors import ConfigurationError


def operands(text: str) -> StatementOperands:
    (card,) = read_cards(f" CHPID {text}", "a.iocp")
    assert isinstance(card, Statement)
    return parse_operands(card)


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
    with pytest.raises(ConfigurationError) as caught:
        operands(text)
    assert str(caught.value).startswith(f"a.iocp:1:{column}: {what}")


def test_a_word_that_cannot_be_read_says_what_was_expected() -> None:
    value = operands("PATH=5G").get("PATH")
    assert isinstance(value, OperandWord)
    with pytest.raises(ConfigurationError, match=r"a.iocp:1:13: CHPID PATH '5G'; expected a chpid"):
        value.read(lambda text: int(text, 16), "CHPID PATH", "a chpid")
