"""Runs of links whose channels are one piece of hardware, or lead to several.

Of two links that are equal, on one channel, what tells them apart is which end of each shares it.
After a collision the greater end leaves a CTC alone longer than the lesser one
(`LinkParameters.greater_recovery`). So of two links through a middle system, which is the lesser of
one and the greater of the other, that one keeps more in which it is the lesser.
"""

from dataclasses import replace
from typing import Final

import pytest
from msgspec import structs

from isfc.layout.file import parse_collection, parse_layout
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import Result
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES, LinkLoad, find_workload

pytestmark = pytest.mark.at_length

TWO: Final = """\
[fibre.1]
feature = "FICON Express4"
chpid = { LPAR1 = "3C", LPAR2 = "3E" }

[[ctc]]
fibre = "1"
rdevs = { LPAR1 = "D000-D003", LPAR2 = "D000-D003" }
"""
ONE: Final = TWO + '[[shared_channel]]\nchpid = { LPAR1 = "3C", LPAR2 = "3E" }\n'
FAR: Final = TWO.replace("[[ctc]]", 'path = "far"\n[[ctc]]')


def result(text: str, seconds: float = 0.5) -> Result:
    return run(
        Experiment.of(
            parse_layout(text), find_workload("HL"), pairs=50, seconds=seconds, warmup=0.2
        )
    ).result


def test_one_channel_that_is_both_ends_carries_each_byte_twice() -> None:
    one, two = result(ONE), result(TWO)
    # its data processor, 2.25 ns a byte, handles each byte as sender and as receiver
    assert 0 < one.mb_per_s * 2**20 * 2 * 2.25e-9 <= 1.0
    assert one.mb_per_s < 0.7 * two.mb_per_s


def test_inter_switch_links_bound_what_crosses_them() -> None:
    wide = FAR + "[path.far]\nkm = 0\nisl = { gbps = 16, credits = 90 }\n"
    narrow = wide.replace("16", "1")
    few = wide.replace("km = 0", "km = 20").replace("90", "2")
    near = wide.replace("km = 0", "km = 20").replace("90", "900")
    assert result(wide).mb_per_s == pytest.approx(result(TWO).mb_per_s, rel=0.1)
    # packages are counted when they are over: one on each CTC may have begun before
    begun = 4 * 860e3 / 2**20 / 0.5
    assert 80 < result(narrow).mb_per_s_out < 103.3 * 1e6 / 2**20 + begun
    # two frames of 2048 bytes a round trip of 200 us are 20 MB/s
    assert 10 < result(few).mb_per_s_out < 20.5 * 1e6 / 2**20 + begun
    assert result(near).mb_per_s_out > 100


def test_a_chpid_that_leads_to_two_chpids_is_one_line() -> None:
    text = TWO.replace("D000-D003", "D000-D001")
    text += (
        text.replace("fibre.1", "fibre.2")
        .replace("3E", "3F")
        .replace('"1"', '"2"')
        .replace("D000-D001", "D002-D003")
    )
    apart = text.replace('LPAR1 = "3C", LPAR2 = "3F"', 'LPAR1 = "3D", LPAR2 = "3F"')
    both, one = result(text), result(TWO)
    assert both.mb_per_s_out == pytest.approx(one.mb_per_s_out, rel=0.15)
    assert result(apart).mb_per_s_out > 1.2 * both.mb_per_s_out


def test_the_same_run_is_the_same_again() -> None:
    assert result(ONE, 0.1) == result(ONE, 0.1)


def test_what_is_shared_is_no_matter_of_the_fibres_name() -> None:
    layout = parse_layout(ONE)
    renamed = replace(layout, fibres=tuple(structs.replace(f, name="x") for f in layout.fibres))
    assert [f.kind for f in renamed.fibres] == [f.kind for f in layout.fibres]


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
