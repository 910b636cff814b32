"""Which partitions are meant: by name, by deck, or by image where the deck is a part."""

import pytest

from isfc.deck.deck import choose_systems
from isfc.deck.iocp import parse_deck
from isfc.errors import ConfigurationError
from tests.decks import deck, mates, paired, unit

PART = parse_deck(
    " CHPID PATH=50,TYPE=FC,SHARED\n CHPID PATH=60,TYPE=FC,SHARED\n"
    + unit("4010", "50", None, 2, more=",NOTPART=EAST")
    + unit("6010", "60", None, 1),
    "part",
)
WHOLE = deck("whole", "LP1,LP2", ["50"])


def test_a_part_of_a_deck_needs_images() -> None:
    with pytest.raises(ConfigurationError) as caught:
        choose_systems("WEST,EAST", [PART])
    assert str(caught.value) == (
        "--partitions 'WEST': there is no RESOURCE statement; expected its CSS and MIF image id, "
        "as in BOSTON=0.1"
    )
    pairing = paired("WEST=0.1,EAST=0.2", PART)
    assert mates(pairing) == [(f"601{n}", f"401{n}") for n in range(4)]
    assert next(each.text for each in pairing.unpaired if each.node == "EAST") == (
        "NOTPART or PARTITION (line 6) shuts EAST out, as it should: CUADD names it"
    )


def test_an_image_that_has_a_name_is_that_partition() -> None:
    first, second = choose_systems("NORTH=0.2,SOUTH=0.1", [WHOLE])
    assert [(system.node, system.partition.name) for system in (first, second)] == [
        ("NORTH", "LP2"),
        ("SOUTH", "LP1"),
    ]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "LP3,LP1",
            "--partitions 'LP3': no RESOURCE statement names it; expected one of LP1, LP2,",
        ),
        ("0.1,LP1", "--partitions '0.1': expected a name, as in BOSTON=0.1"),
        ("A=0.1,LP1", "--partitions 'A=0.1': there are 2 decks; expected the number of its deck,"),
        ("A=3:0.1,LP1", "--partitions 'A=3:0.1': there is no such deck; expected 1 to 2 before"),
        ("A=1:6.1,LP1", "--partitions 'A=1:6.1': no RESOURCE statement names it; expected one of"),
    ],
)
def test_what_names_no_partition_is_refused(text: str, what: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        choose_systems(text, [WHOLE, PART])
    assert str(caught.value).startswith(what)
