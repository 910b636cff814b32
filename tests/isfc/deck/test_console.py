"""AT member CMD: the commands of several systems on one console, each with its answers."""

import pytest

from ctc.address import Rdev
from isfc.deck.activation import parse_activations
from isfc.deck.active import choose, mates_of
from isfc.deck.console import by_system, parse_log
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName

ONE, TWO = NodeName("SSIMBR1"), NodeName("SSIMBR2")
CONSOLE = """\
q chpid 40
Path 40 online to devices 5A40 5A41
 5A42
AT ssimbr2 cmd query chpid 50
Path 50 online to devices 5A40 5A41
 5A42
{end}
Path 41 online to devices 5B40
"""


def chpids(text: str) -> dict[str, str]:
    log = parse_log(text, "log", needs_devices=False)
    return {f"{rdev:04X}": f"{chpid:02X}" for rdev, (chpid,) in log.chpids.items()}


@pytest.mark.parametrize(
    "end", ["q chpid 41", "10:22:01 OPERATOR * QUERY CHPID 41", "Ready; T=0.01/0.01 10:22:01"]
)
def test_an_answer_is_of_the_system_that_its_command_ran_on(end: str) -> None:
    parts = by_system(CONSOLE.format(end=end), "log")
    assert [*parts] == [None, TWO]
    assert chpids(parts[None]) == {"5A40": "40", "5A41": "40", "5A42": "40", "5B40": "41"}
    assert chpids(parts[TWO]) == {"5A40": "50", "5A41": "50", "5A42": "50"}


def test_an_answer_that_may_be_of_either_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="log:8:1: this may answer AT SSIMBR2 in line 4"):
        by_system(CONSOLE.format(end="vary online chpid 41"), "log")


@pytest.mark.parametrize(
    "text",
    [
        "at ssimbr1 cmd act isl 5a40 5a41\nat ssimbr2 cmd act isl 5a41 5b40\n",
        "ACTIVATE ISLINK 5A40 5A41\n10:22:01 OPERATOR * AT SSIMBR2 COMMAND ACT ISLINK 5A41 5B40\n",
    ],
)
def test_a_command_is_of_the_system_that_at_names(text: str) -> None:
    mates = mates_of(
        (ONE, TWO), [((ONE, TWO), (Rdev(n), Rdev(n))) for n in (0x5A40, 0x5A41, 0x5B40)]
    )
    chosen = choose([(ONE, each) for each in parse_activations(text, "log")], mates)
    assert chosen.active == {ONE: {0x5A40, 0x5A41}, TWO: {0x5A41, 0x5B40}}


def test_a_command_of_a_system_that_is_not_here_is_told() -> None:
    mates = mates_of((ONE, TWO), [])
    chosen = choose(
        [(ONE, each) for each in parse_activations("at third cmd act isl 5a40", "log")], mates
    )
    assert "is run on THIRD, which is no system here" in chosen.remarks[0]
