"""Node names: which texts are names, and their order in EBCDIC."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.errors import ConfigurationError
from isfc.link.name import NodeName

node_names = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@_", min_size=1, max_size=8).map(
    NodeName
)


def test_name_is_its_text() -> None:
    assert NodeName("BOSTON") == "BOSTON"
    assert str(NodeName("2NDI")) == "2NDI"


@pytest.mark.parametrize("text", ["", "NINECHARS", "boston", "NEW YORK", "A-B", "\u00c4TNA", "A\n"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"is not a node name: expected 1 to 8 of A-Z"):
        NodeName(text)


# the order of code page 037: $ 5B, _ 6D, # 7B, @ 7C, A-Z C1-E9, 0-9 F0-F9
@pytest.mark.parametrize(
    ("lesser", "greater"),
    [
        ("ATLANTA", "BOSTON"),
        ("BOSTON", "2NDI"),
        ("Z", "0"),
        ("$", "_"),
        ("_", "#"),
        ("#", "@"),
        ("@", "A"),
        ("VM", "VM1"),
        ("I", "J"),
        ("R", "S"),
    ],
)
def test_names_are_ordered_as_in_ebcdic(lesser: str, greater: str) -> None:
    assert NodeName(lesser).precedes(NodeName(greater))
    assert not NodeName(greater).precedes(NodeName(lesser))


@given(node_names, node_names)
def test_of_two_names_exactly_one_precedes(one: NodeName, other: NodeName) -> None:
    assert one.precedes(other) + other.precedes(one) == (one != other)
