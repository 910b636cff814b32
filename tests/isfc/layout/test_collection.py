"""Layout files of several links."""

import pytest

from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.definition import define_system
from isfc.layout.file import parse_collection, parse_layout
from isfc.link.parameters import LinkParameters
from isfc.link.state import LinkState
from isfc.system.system import System
from tests.isfc.engine.test_three_systems import Stream

THREE = """\
[[link]]
nodes = ["BOSTON", "ATLANTA"]

[[link]]
nodes = ["BOSTON", "CHICAGO"]

[fibre.1]
feature = "FICON Express4"
chpid = { ATLANTA = "40", BOSTON = "50" }

[fibre.2]
feature = "FICON Express4"
chpid = { BOSTON = "50", CHICAGO = "60" }

[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6000-6001", BOSTON = "7000-7001" }

[[ctc]]
fibre = "2"
rdevs = { CHICAGO = "8000-8003", BOSTON = "7100-7103" }
"""

STRAY = """\
[fibre.3]
feature = "FICON Express4"
chpid = { ATLANTA = "41", CHICAGO = "61" }

[[ctc]]
fibre = "2"
"""


def test_links_have_their_own_fibres_and_ctcs_and_may_share_a_chpid() -> None:
    collection = parse_collection(THREE)
    assert collection.systems == ("ATLANTA", "BOSTON", "CHICAGO")
    first, second = collection.links
    assert (first.nodes, second.nodes) == (("ATLANTA", "BOSTON"), ("BOSTON", "CHICAGO"))
    assert [[f"{rdev:04X}" for rdev in ctc.rdevs] for ctc in first.ctcs] == [
        ["6000", "7000"], ["6001", "7001"]
    ]  # fmt: skip
    assert second.fibres[0].chpids == (0x50, 0x60)
    assert len(second.ctcs) == 4


def test_systems_of_a_file_run() -> None:
    collection = parse_collection(THREE)
    systems = [
        System(define_system(collection, name, LinkParameters())) for name in collection.systems
    ]
    assert [[end.partner for end in system.ends] for system in systems] == [
        ["BOSTON"], ["ATLANTA", "CHICAGO"], ["BOSTON"]
    ]  # fmt: skip
    streams = [Stream(), Stream(5), Stream(5), Stream()]
    VirtualEngine(systems, streams).run(5_000_000)
    states = {end.link.state for system in systems for end in system.ends}
    assert states == {LinkState.UP}
    assert min(stream.arrived for stream in streams) > 3


def test_file_of_one_link_is_a_collection_of_one() -> None:
    one = THREE.split("[fibre.2]", maxsplit=1)[0] + THREE[THREE.index("[[ctc]]") :]
    one = one[one.index("[fibre.1]") : one.rindex("[[ctc]]")]
    assert parse_collection(one) == Collection((parse_layout(one),))
    assert parse_layout('[[link]]\nnodes = ["ATLANTA", "BOSTON"]\n' + one) == parse_layout(one)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("", "", r"three.toml: \[\[link\]\]: 2 links; expected link with one of ATLANTA-B"),
        ('["BOSTON", "ATLANTA"]', "5", r"\[\[link\]\] #1 nodes: got a number; expected the two"),
        ('["BOSTON", "ATLANTA"]', '["BOSTON"]', r"\[\[link\]\] #1 nodes: names BOSTON; expected"),
        ('["BOSTON", "CHICAGO"]', '["BOSTON", "boston"]', r"#2 nodes: 'boston' is not a node name"),
        (
            '["BOSTON", "CHICAGO"]',
            '["ATLANTA", "BOSTON"]',
            r"\[\[link\]\] #2 nodes: ATLANTA and BOSTON are joined already",
        ),
        (
            '["BOSTON", "CHICAGO"]',
            '["ATLANTA", "CHICAGO"]',
            r"\[\[link\]\] #2 nodes: no \[fibre.NAME\] joins ATLANTA and CHICAGO",
        ),
        (
            'chpid = { ATLANTA = "40", BOSTON = "50" }',
            'chpid = { ATLANTA = "40", CHICAGO = "50" }',
            r"\[\[link\]\] #1 nodes: no \[fibre.NAME\] joins ATLANTA and BOSTON",
        ),
        (
            "[[ctc]]\nfibre = \"2\"",
            STRAY,
            r"\[fibre.3\] chpid: names ATLANTA, CHICAGO; expected the two nodes of one link: ",
        ),
        (
            'rdevs = { CHICAGO = "8000-8003", BOSTON = "7100-7103" }',
            'rdevs = { CHICAGO = "8000-8003", ATLANTA = "7100-7103" }',
            r"\[\[ctc\]\] #2 rdevs: names CHICAGO, ATLANTA; expected BOSTON and CHICAGO, the two",
        ),
        ("7100-7103", "7001-7004", r"\[\[ctc\]\] #2 rdevs: 7001 at BOSTON is already in"),
        (
            '[fibre.2]\nfeature = "FICON Express4"',
            '[fibre.2]\nfeature = "FICON Express2"',
            r"\[fibre.2\] chpid: 50 at BOSTON is already in \[fibre.1\]; expected the same feature",
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(old: str, new: str, error: str) -> None:
    with pytest.raises(ConfigurationError, match=error):
        parse_layout(THREE.replace(old, new), "three.toml")
