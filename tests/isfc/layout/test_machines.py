"""What systems run on: the table, how it goes into the constants, and files that say it."""

from dataclasses import asdict, replace
from itertools import pairwise

import pytest

from ctc.features import CATALOGUE
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.definition import define_link_end
from isfc.layout.file import parse_collection
from isfc.layout.layout import Layout, with_site
from isfc.layout.machines import (
    NATURES,
    PATH_SHARE,
    Estimate,
    at_pace,
    find_machine,
    machines,
    on_machine,
    pace_of,
    read_processors,
    speed_of,
)
from isfc.layout.parts import Cec
from isfc.layout.processors import Processors
from isfc.layout.site import SiteProfile
from isfc.layout.write import format_collection, format_layout
from isfc.link.parameters import LinkParameters
from scenarios.runs.guests import GuestCosts, guests_on

PLAIN = load_layout("atlanta-boston")
TEXT = format_layout(PLAIN)
Z16 = Processors("z16 A01")
T02 = Processors("z15 T02", "CP 601", 3, smt=True)
SAID = 'machine = { ATLANTA = "z16", BOSTON = { is = "z15 T02", engine = "CP 601", %s } }\n'


def of(text: str) -> Layout:
    return parse_collection(text).links[0]


def test_a_system_s_own_machine_counts_more_than_that_of_its_cec() -> None:
    both = '[cec.A]\nsystems = ["ATLANTA", "BOSTON"]\nmachine = "3931"\n'
    assert of(TEXT + both).machines == (Z16, Z16)
    own = SAID % "processors = 3, smt = true"
    assert of(own + TEXT + both).machines == (Z16, T02)
    assert of(TEXT).machines == (None, None)


@pytest.mark.parametrize("cec", ["", "z16 A01", "z15 T02", "z196"])
def test_a_file_that_is_written_says_the_same_machines(cec: str) -> None:
    cecs = (Cec("A", PLAIN.nodes, Processors(cec)),) if cec else ()
    made = Collection((replace(PLAIN, machines=(Z16, T02)),), cecs=cecs)
    assert parse_collection(format_collection(made)) == made
    assert of(format_layout(made.links[0])).machines == (Z16, T02)
    assert format_layout(PLAIN).count("machine") == 0


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ('machine = { ATLANTA = "z18" }', "machine ATLANTA: 'z18' is no machine; expected"),
        ('machine = { ATLANTA = { smt = true } }', "[machine.ATLANTA] is: missing; expected a"),
        ('machine = { ATLANTA = { is = "z16", engine = "CP 301" } }', "engine 'CP 301': expected"),
        ('machine = { CHICAGO = "z16" }', "machine CHICAGO: CHICAGO has no link"),
        ('cec = { A = { systems = ["ATLANTA"], machine = "z9" } }', "[cec.A] machine: 'z9' is no"),
    ],
)  # fmt: skip
def test_what_is_no_machine_is_refused(said: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        parse_collection(f"{said}\n{TEXT}")
    assert message in str(error.value)


def test_an_unknown_machine_is_refused_with_all_that_are_known() -> None:
    with pytest.raises(ConfigurationError) as error:
        find_machine("z3")
    assert all(name in str(error.value) for name in machines())


def test_two_links_cannot_say_two_machines_of_one_system() -> None:
    mesh = parse_collection(TEXT.replace("BOSTON", "CHICAGO").replace("60", "80")).links[0]
    links = replace(PLAIN, machines=(Z16, None)), replace(mesh, machines=(T02, None))
    with pytest.raises(ConfigurationError, match="machine: ATLANTA has two in its links"):
        Collection(links)


def test_the_table_is_ordered_and_names_features_that_there_are() -> None:
    names = {feature.name for feature in CATALOGUE}
    had: set[str] = set()
    for each in machines().values():
        assert each.low <= each.mid <= each.high
        mine, gone = ({f"FICON {n}" for n in text.split()} for text in (each.features, each.gone))
        assert mine | gone <= names
        assert not mine & gone
        assert each.status in ("chosen", "derived", "assumed")
        assert each.source
        had |= mine
    assert had == names


def test_a_machine_is_found_by_its_name_its_family_and_its_type() -> None:
    for text in ("z16 A01", "Z16", "3931"):
        assert find_machine(text).name == "z16 A01"
    assert find_machine("z14").type == "3906"


def test_every_time_of_cp_and_guests_has_a_nature_or_is_cp_s_policy() -> None:
    named = {name for names in NATURES.values() for name in names.split()}
    times = {
        name for one in (LinkParameters(), GuestCosts()) for name in asdict(one) if "_ns" in name
    }
    assert times - named == {"mih_ns"}
    assert named <= times
    assert LinkParameters().recent_share == PATH_SHARE


@pytest.mark.parametrize("constants", [LinkParameters(), GuestCosts()])
def test_on_a_z10_ec_every_constant_is_what_it_is_without_a_machine(constants: object) -> None:
    assert on_machine(constants, None) is constants
    for case in Estimate:
        assert at_pace(constants, pace_of(Processors("z10 EC"), case)) == constants


def test_a_faster_engine_makes_nothing_slower() -> None:
    order = sorted(machines(), key=lambda name: speed_of(Processors(name), Estimate.MID))
    for family in (order, [name for name in order if not name.startswith("z10")]):
        alike = [n for n in family if n.startswith("z10")] if family is order else family
        for slower, faster in pairwise(alike):
            before, after = pace_of(Processors(slower)), pace_of(Processors(faster))
            assert before.path >= after.path
            assert before.by_byte >= after.by_byte
            assert before.waited >= after.waited


def test_what_is_in_the_cache_is_path_length_alone() -> None:
    link = on_machine(LinkParameters(), Processors("z16 A01", case=Estimate.HIGH))
    assert link.recent_share == 1.0  # nothing misses
    assert link.receive_ns_per_byte == pytest.approx(0.85 * 0.5 / 2.75)
    mid = on_machine(LinkParameters(), Z16)
    assert mid.receive_ns_per_byte * mid.recent_share == pytest.approx(0.425 / 2.53)


def test_levels_and_threads_slow_an_engine() -> None:
    assert speed_of(Z16, Estimate.MID) == 2.53
    assert speed_of(Processors("z16 A01", "CP 501"), Estimate.MID) == pytest.approx(0.41 * 2.53)
    assert speed_of(T02, Estimate.LOW) == pytest.approx(1.6 * 0.66 * 0.5)


def test_each_end_has_its_own_machine() -> None:
    link = replace(PLAIN, machines=(Z16, None))
    here, there = (define_link_end(link, node, LinkParameters()).parameters for node in link.nodes)
    assert here == on_machine(LinkParameters(), Z16)
    assert there == LinkParameters()
    costs = guests_on(GuestCosts(), T02, Z16)
    assert costs.client_processors == 6
    assert costs.client_ns > GuestCosts().client_ns > costs.server_ns


def test_a_profile_that_was_fitted_without_machines_is_refused_on_them() -> None:
    fitted = SiteProfile("PROD", {"receive": 0.5}, ("FICON Express2",), 9, "", layout="8 on it")
    assert with_site(PLAIN, fitted).site == fitted
    with pytest.raises(ConfigurationError, match="expected machines in both or in neither"):
        with_site(replace(PLAIN, machines=(Z16, Z16)), fitted)


def test_a_machine_of_an_option_is_read_in_any_case_and_nothing_is_passed_over() -> None:
    for text in ("z16/CP 601/SMT", "z16/cp 601/smt", "z16/smt/cp 601"):
        assert read_processors(text) == Processors("z16 A01", "CP 601", None, smt=True)
    for text in ("z16/", "z16/SMT/SMT", "z16/CP 601/"):
        with pytest.raises(ConfigurationError, match="engine"):
            read_processors(text)
