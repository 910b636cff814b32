"""What links share, in a layout file: channels, machines, directors, far paths and traffic."""

import pytest

from ctc.address import parse_chpid
from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.io.configuration_file import io_configuration_of
from isfc.layout.collection import Collection
from isfc.layout.definition import define_system
from isfc.layout.document import parse_document
from isfc.layout.file import parse_collection, parse_layout
from isfc.layout.layout import FarPath, Isl
from isfc.layout.parts import SYSTEMS_MAX, Cec, ChannelEnd, LinkTraffic
from isfc.layout.write import format_collection
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.link.state import LinkState
from isfc.system.system import System
from tests.isfc.engine.test_three_systems import Stream
from tests.layouts import mesh
from tests.refusals import refused

ALPHA, BETA, GAMMA = map(NodeName, ("ALPHA", "BETA", "GAMMA"))
C40, C41, C50 = map(parse_chpid, ("40", "41", "50"))
CLUSTER = """\
[[link]]
nodes = ["ALPHA", "BETA"]

[[link]]
nodes = ["ALPHA", "GAMMA"]

[[link]]
nodes = ["BETA", "GAMMA"]

[cec.A]
systems = ["ALPHA", "BETA"]

[cec.B]
systems = ["GAMMA"]

[[shared_channel]]
chpid = { ALPHA = "40", BETA = "41" }

[path.far]
km = 10
isl = { gbps = 8, credits = 90 }

[fibre.ab]
feature = "FICON Express8S"
chpid = { ALPHA = "40", BETA = "41" }
director = "1"
port = { ALPHA = "A", BETA = "0a" }

[fibre.ag]
feature = "FICON Express8S"
chpid = { ALPHA = "40", GAMMA = "50" }
path = "far"
director = { ALPHA = "1", GAMMA = "2" }

[fibre.ag2]
feature = "FICON Express8S"
chpid = { ALPHA = "40", GAMMA = "51" }
director = "1"
port = { ALPHA = "0A", GAMMA = "1A" }

[fibre.bg]
feature = "FICON Express8S"
chpid = { BETA = "41", GAMMA = "50" }
path = "far"

[[ctc]]
fibre = "ab"
rdevs = { ALPHA = "6000-6003", BETA = "6000-6003" }

[[ctc]]
fibre = "ag"
rdevs = { ALPHA = "6100-6103", GAMMA = "6100-6103" }

[[ctc]]
fibre = "ag2"
rdevs = { ALPHA = "6110", GAMMA = "6110" }

[[ctc]]
fibre = "bg"
rdevs = { BETA = "6200-620F", GAMMA = "6200-620F" }

[[traffic]]
from = "GAMMA"
to = "ALPHA"
workload = "HL"
pairs = 50
"""


def test_chpids_of_two_systems_may_be_one_channel() -> None:
    cluster = parse_collection(CLUSTER)
    channel = (ChannelEnd(ALPHA, C40), ChannelEnd(BETA, C41))
    assert cluster.shared_channels == (channel,)
    assert cluster.channel(BETA, C41) == channel
    assert cluster.channel(GAMMA, C50) == (ChannelEnd(GAMMA, C50),)
    straight, *_ = cluster.links[0].fibres
    assert cluster.channels_of(straight, cluster.links[0].nodes) == (channel, channel)


def test_a_chpid_may_lead_to_several_chpids_of_one_partner() -> None:
    link = parse_collection(CLUSTER).link("ALPHA-GAMMA")
    assert [fibre.chpids for fibre in link.fibres] == [(0x40, 0x50), (0x40, 0x51)]


def test_machines_directors_paths_and_traffic_are_read() -> None:
    cluster = parse_collection(CLUSTER)
    assert cluster.cecs == (Cec("A", (ALPHA, BETA)), Cec("B", (GAMMA,)))
    assert cluster.traffic == (LinkTraffic(GAMMA, ALPHA, "HL", 50),)
    straight = cluster.links[0].fibres[0]
    assert (straight.directors, straight.ports) == (("1", "1"), ("0A", "0A"))
    far = cluster.link("ALPHA-GAMMA").fibres[0]
    assert (far.path, far.km) == (FarPath("far", 10, Isl(1, 8, 90)), 10)
    assert far.directors == ("1", "2")


def test_what_is_written_reads_as_the_same_collection() -> None:
    cluster = parse_collection(CLUSTER)
    assert parse_collection(format_collection(cluster)) == cluster


def test_a_document_is_decoded_once_for_links_and_disks() -> None:
    disks = '[[io]]\nname = "oltp"\nchannels = ["50"]\nrate = 5\n'
    document = parse_document(CLUSTER + disks, "cluster.toml")
    assert io_configuration_of(document).channels["50"].system == "GAMMA"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('systems = ["GAMMA"]', 'systems = ["DELTA"]', "[cec.B] systems: DELTA has no link; exp"),
        ("[cec.B]", "[cec.a]", "[cec.a]: differs from [cec.A] in case alone; expected another"),
        ('["ALPHA", "BETA"]\n\n[cec.B]\nsystems = ["GAMMA"]',
         '["ALPHA"]\n\n[cec.B]\nsystems = ["BETA"]',
         "[[shared_channel]] #1 chpid: ALPHA is in [cec.A], BETA is in [cec.B]; expected syst"),
        ('chpid = { ALPHA = "40", BETA = "41" }\n\n[path',
         'chpid = { ALPHA = "42", BETA = "41" }\n\n[path',
         "[[shared_channel]] #1 chpid: 42 at ALPHA is on no [fibre.NAME]; expected a chpid"),
        ('chpid = { ALPHA = "40", BETA = "41" }\n\n[path', 'chpid = { ALPHA = "40" }\n\n[path',
         "[[shared_channel]] #1 chpid: names one system or none; expected two or more"),
        ("[path.far]", '[[shared_channel]]\nchpid = { BETA = "41", GAMMA = "50" }\n[path.far]',
         "[[shared_channel]] #2 chpid: 41 at BETA is already in [[shared_channel]] #1; exp"),
        ('path = "far"\ndir', 'path = "fur"\ndir', "[fibre.ag] path: there is no [path.fur]; exp"),
        ('path = "far"\ndir', 'path = "far"\nkm = 1\ndir', "[fibre.ag] km: its path has one; exp"),
        ('director = { ALPHA = "1", GAMMA = "2" }', 'director = "1"',
         "[fibre.ag] director: one, and a path with inter-switch links; expected the director"),
        ('port = { ALPHA = "0A"', 'port = { ALPHA = "0G"',
         "[fibre.ag2] port: '0G' is not a port: "),
        ('port = { ALPHA = "0A"', 'port = { ALPHA = "0B"',
         "[fibre.ag2] port: ALPHA 40 is at port 0A of director 1; expected one port for a chan"),
        ('GAMMA = "1A"', 'GAMMA = "0A"',
         "[fibre.ag2] port: 0A of director 1 is that of ALPHA 40; "),
        ('BETA = "41" }\ndirector = "1"\n', 'BETA = "41" }\n',
         "[fibre.ab] port: of no director; expected director, which says whose"),
        ('to = "ALPHA"', 'to = "DELTA"', "[[traffic]] #1 to: DELTA has no link; expected one of"),
        ('to = "ALPHA"', 'to = "GAMMA"', "[[traffic]] #1 to: no link joins GAMMA and GAMMA, and"),
        ("pairs = 50", "pairs = 0", "[[traffic]] #1 pairs: out of range; expected pairs of guests"),
        ("credits = 90", "credits = 0", "[path.far] isl credits: out of range; expected buffer"),
        ('GAMMA = "51" }\ndirector = "1"\nport = { ALPHA = "0A", GAMMA = "1A" }', 'GAMMA = "50" }',
         "[fibre.ag2] chpid: joins the chpids of [fibre.ag]; expected the CTCs of both on one"),
    ],
)  # fmt: skip
def test_error_names_file_table_and_key(old: str, new: str, message: str) -> None:
    assert old in CLUSTER
    text = CLUSTER.replace(old, new)
    refused(lambda: parse_collection(text, "cluster.toml"), f"cluster.toml: {message}")


def test_a_mesh_of_many_systems_is_a_collection() -> None:
    assert len(parse_collection(mesh(SYSTEMS_MAX, shared=False)).systems) == SYSTEMS_MAX
    with pytest.raises(ConfigurationError, match=r"\[\[link\]\] nodes: 33 systems; expected at m"):
        parse_collection(mesh(SYSTEMS_MAX + 1, shared=False))


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
        ('["BOSTON", "CHICAGO"]', '["ATLANTA", "BOSTON"]',
         r"\[\[link\]\] #2 nodes: ATLANTA and BOSTON are joined already"),
        ('["BOSTON", "CHICAGO"]', '["ATLANTA", "CHICAGO"]',
         r"\[\[link\]\] #2 nodes: no \[fibre.NAME\] joins ATLANTA and CHICAGO"),
        ('chpid = { ATLANTA = "40", BOSTON = "50" }', 'chpid = { ATLANTA = "40", CHICAGO = "50" }',
         r"\[\[link\]\] #1 nodes: no \[fibre.NAME\] joins ATLANTA and BOSTON"),
        ("[[ctc]]\nfibre = \"2\"", STRAY,
         r"\[fibre.3\] chpid: names ATLANTA, CHICAGO; expected the two nodes of one link: "),
        ('rdevs = { CHICAGO = "8000-8003", BOSTON = "7100-7103" }',
         'rdevs = { CHICAGO = "8000-8003", ATLANTA = "7100-7103" }',
         r"\[\[ctc\]\] #2 rdevs: names CHICAGO, ATLANTA; expected BOSTON and CHICAGO, the two"),
        ("7100-7103", "7001-7004", r"\[\[ctc\]\] #2 rdevs: 7001 at BOSTON is already in"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(old: str, new: str, error: str) -> None:
    with pytest.raises(ConfigurationError, match=error):
        parse_layout(THREE.replace(old, new), "three.toml")
