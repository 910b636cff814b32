"""What a console offers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.cp.completion import completions
from isfc.cp.processor import COMMANDS

RDEVS = ["6000", "6001", "600A"]


def offered(text: str) -> list[str]:
    return completions(text, RDEVS, ["BOSTON"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", list(dict.fromkeys(command.verb.upper() for command in COMMANDS))),
        ("de", ["DEACTIVE", "DEACTIVATE"]),
        ("Q", ["QUERY"]),
        ("q ", [command.noun.upper() for command in COMMANDS if command.verb == "Query"]),
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
