"""Abbreviations and operands."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.address import parse_chpid
from isfc.link.name import NodeName, matches
from isfc.system.cp.messages import (
    DUPLICATE,
    EXTRA_OPTION,
    INVALID_OPERAND,
    OPERAND_MISSING,
    CommandRefused,
)
from isfc.system.cp.words import CommandWords, Selection, split

keywords = st.builds(
    lambda must, may: must + may,
    st.text(string.ascii_uppercase, min_size=1, max_size=6),
    st.text(string.ascii_lowercase, max_size=6),
)


def read(text: str) -> CommandWords:
    return CommandWords(split(text))


@given(keywords, st.data())
def test_exactly_the_beginnings_with_all_capitals_match(keyword: str, data: st.DataObject) -> None:
    least = sum(letter.isupper() for letter in keyword)
    length = data.draw(st.integers(0, len(keyword)))
    assert matches(keyword, keyword[:length].upper()) is (length >= least)


@given(keywords, st.text(string.ascii_uppercase, min_size=1, max_size=12))
def test_no_other_word_matches(keyword: str, word: str) -> None:
    assert matches(keyword, word) <= keyword.upper().startswith(word)


@pytest.mark.parametrize(
    ("keyword", "word", "expected"),
    [
        ("Query", "Q", True),
        ("Query", "QUERIES", False),
        ("ACTivate", "ACT", True),
        ("ACTivate", "AC", False),
        ("DEActive", "DEACTIVATE", False),
        ("DEActive", "DEA", True),
        ("DEActive", "DE", False),
        ("ISLink", "ISL", True),
        ("ISLink", "IS", False),
        ("DEACTIVATe", "DEACTIVATE", True),
        ("ISLINK", "ISLIN", False),
        ("NODe", "NO", False),
        ("BUffers", "", False),
    ],
)
def test_abbreviations(keyword: str, word: str, expected: bool) -> None:
    assert matches(keyword, word) is expected


def test_words_are_in_capitals_and_safe_to_show() -> None:
    assert split("  q   islink\t cc30 ") == ["Q", "ISLINK", "CC30"]
    assert split("q \x1b[2J\N{LATIN SMALL LETTER SHARP S}") == ["Q", "?[2J?"]


@given(st.text())
def test_any_text_splits_into_printable_ascii(text: str) -> None:
    assert all(word.isascii() and word.isprintable() for word in split(text))


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        ("", Selection()),
        ("all", Selection()),
        ("node boston", Selection(node=NodeName("BOSTON"))),
        ("nod 2ndi", Selection(node=NodeName("2NDI"))),
        ("6000 f", Selection(rdevs=read("6000 F").take_rdevs())),
    ],
)
def test_selections(text: str, selection: Selection) -> None:
    assert read(text).take_selection(required=False) == selection


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", OPERAND_MISSING()),
        ("node", OPERAND_MISSING()),
        ("node toolongname", INVALID_OPERAND("TOOLONGNAME")),
        ("node boston now", EXTRA_OPTION("NOW")),
        ("all 6000", EXTRA_OPTION("6000")),
        ("6000 60001", INVALID_OPERAND("60001")),
        ("6000 all", INVALID_OPERAND("ALL")),
        ("6000 06000", INVALID_OPERAND("06000")),
        ("cc30 CC30", DUPLICATE("CC30")),
        (" ".join(f"{n:x}" for n in range(17)), EXTRA_OPTION("10")),
    ],
)
def test_what_is_wrong_with_a_selection_is_said(text: str, message: str) -> None:
    with pytest.raises(CommandRefused) as refused:
        read(text).take_selection(required=True)
    assert str(refused.value) == message


def test_sixteen_devices_may_be_named() -> None:
    assert len(read(" ".join(f"{n:x}" for n in range(16))).take_rdevs()) == 16


def test_devices_end_where_a_keyword_stands() -> None:
    operands = read("6000 6001 node boston")
    assert operands.take_rdevs("NODe") == (0x6000, 0x6001)
    assert operands.take_keyword("NODe")
    assert operands.take_as(NodeName) == "BOSTON"
    assert not operands


@pytest.mark.parametrize("text", ["100", "4G", ""])
def test_what_is_no_chpid_is_refused(text: str) -> None:
    with pytest.raises(CommandRefused, match=r"HCP0(02|26)E"):
        read(text).take_as(parse_chpid)
