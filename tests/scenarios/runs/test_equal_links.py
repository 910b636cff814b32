"""Two links that are equal, on one channel: what tells them apart is which end of each shares it.

After a collision the greater end leaves a CTC alone longer than the lesser one
(`LinkParameters.greater_recovery`). So of two links through a middle system, which is the lesser of
one and the greater of the other, that one keeps more in which it is the lesser.
"""

import pytest

from isfc.layout.file import parse_collection
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from scenarios.runs.experiment import Experiment
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES, LinkLoad

pytestmark = pytest.mark.at_length

LINKS = (("A", "B"), ("C", "D"))


def kept(shared: tuple[int, int], greater_recovery: int = 3) -> list[float]:
    """MB/s both ways of both links, together, whose channels at ``shared`` ends are one."""
    ends = [nodes[end] for nodes, end in zip(LINKS, shared, strict=True)]
    text = f'[cec.X]\nsystems = ["{ends[0]}", "{ends[1]}"]\n'
    text += f'[[shared_channel]]\nchpid = {{ {ends[0]} = "40", {ends[1]} = "40" }}\n'
    text += "".join(f'[[link]]\nnodes = ["{one}", "{other}"]\n' for one, other in LINKS)
    for one, other in LINKS:
        chpids = ", ".join(f'{node} = "{"40" if node in ends else "50"}"' for node in (one, other))
        text += f'[fibre.{one}]\nfeature = "FICON Express4"\nkm = 10\nchpid = {{ {chpids} }}\n'
        rdevs = f'{{ {one} = "6000-6007", {other} = "6000-6007" }}'
        text += f'[[ctc]]\nfibre = "{one}"\nrdevs = {rdevs}\n'
    ways = [way for nodes in LINKS for way in (nodes, nodes[::-1])]
    loads = tuple(LinkLoad(NodeName(a), NodeName(b), SUITES["HL"], 50) for a, b in ways)
    link = LinkParameters(greater_recovery=greater_recovery)
    outcome = run(Experiment(parse_collection(text), loads, seconds=1.0, warmup=0.2, link=link))
    return [each.client.whole.result.mb_per_s for each in outcome.links]


def test_who_keeps_more_is_told_by_the_end_that_shares_and_by_nothing_else() -> None:
    """Neither by the order of the links nor by the beginning of the run: to the last bit."""
    lesser, greater = kept((0, 1))
    assert kept((1, 0)) == [greater, lesser]
    assert lesser > 1.1 * greater


def test_it_comes_of_how_long_each_end_waits_after_a_collision() -> None:
    """If both wait alike, it is the other way round."""
    lesser, greater = kept((0, 1), greater_recovery=1)
    assert greater > lesser


@pytest.mark.parametrize("end", [0, 1])
def test_links_that_share_by_the_same_end_keep_as_much(end: int) -> None:
    first, second = kept((end, end))
    assert first == pytest.approx(second, rel=0.02)
