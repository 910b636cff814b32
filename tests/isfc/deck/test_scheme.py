"""Schemes of device numbers: recognised, what breaks them, and numbers for a cluster."""

import json
from pathlib import Path
from random import Random
from typing import Literal, get_args

import pytest

import isfc
from isfc.cli.main import run
from isfc.deck.scheme import NUMBER_RULES
from isfc.layout.catalogue import AnyLayout
from tests.decks import DECKS
from tests.drawn_clusters import draw_cluster
from tests.refusals import refused

Name = Literal["alike", "traded", "cuadd", "target"]


def layout(*links: str) -> isfc.Collection:
    """Links as ``A-B D000-D003=D010-D013``: two systems, then the numbers of each fibre at both."""
    text, chpid = "", 0x40
    for nodes, *fibres in map(str.split, links):
        one, other = nodes.split("-")
        text += f'[[link]]\nnodes = ["{one}", "{other}"]\n'
        for here, there in (fibre.split("=") for fibre in fibres):
            text += (
                f'[fibre.f{chpid}]\nfeature = "FICON Express8S"\n'
                f'chpid = {{ {one} = "{chpid:X}", {other} = "{chpid:X}" }}\n'
                f'[[ctc]]\nfibre = "f{chpid}"\n'
                f'rdevs = {{ {one} = "{here}", {other} = "{there}" }}\n'
            )
            chpid += 1
    return isfc.parse_links(text)


IBM = layout(
    # two images of A and one of B; 40i0 and 42i0 are sent on, 50i0 and 52i0 received on
    "A1-B1 4210-4217=5010-5017 5210-5217=4010-4017",
    "A2-B1 4210-4217=5020-5027 5210-5217=4020-4027",
)
ALIKE = layout("A-B D010-D01F=D010-D01F")
TWO = "A1-B1 4210-4213=5010-5013 5210-5213=4010-4013"


def said_of(layout: AnyLayout) -> list[str]:
    """The rules that its numbers break, and which number of which system."""
    every = (each for link in isfc.check(layout) for each in link.findings)
    found = (each for each in every if each.id in NUMBER_RULES)
    return [f"{each.id} {' '.join(each.text.split()[:2])}" for each in found]


def numbering(layout: AnyLayout) -> isfc.Numbering:
    """By which scheme all its links together are numbered."""
    found = isfc.check(layout)[0].numbers
    assert found is not None
    return found


def exported(layout: AnyLayout, scheme: Name) -> isfc.Collection:
    """With numbers of a scheme."""
    (text,) = isfc.export(layout, "toml", scheme=scheme).texts.values()
    return isfc.parse_links(text)


def test_ibms_own_example_is_known_and_orders_no_finding() -> None:
    assert numbering(IBM).scheme == "traded"
    assert said_of(IBM) == []
    for link in IBM.links:
        assert "rdevs-out-of-order" not in {finding.id for finding in isfc.judge(link).advice}


def test_sixteen_for_each_pair_of_chpids_are_known_and_said_to_be_used_up() -> None:
    assert numbering(ALIKE).scheme == "alike"
    assert said_of(ALIKE) == ["rdev-range-full A D010", "rdev-range-full B D010"]
    (found,) = isfc.check(ALIKE)
    texts = [each.text for each in found.findings if each.id == "rdev-range-full"]
    assert texts[0] == "A D010 to D01F are used up: no number is left there."


@pytest.mark.parametrize(
    ("links", "said"),
    [
        (["A-B D000-D003=D000-D003 D010,D004=D010,D004"],
         ["rdev-outside-range A D004", "rdev-outside-range B D004"]),
        (["A-B D000-D003=D000-D003 D010=D011"],
         ["rdev-ends-differ A D010", "rdev-ends-differ B D011"]),
        ([TWO, "A2-B1 4310-4311=5020-5021 5210,6000=4020,5024"],
         ["rdev-two-numbers A2 4310", "rdev-two-numbers A2 4311", "rdev-outside-range A2 6000"]),
        ([TWO, "A2-B1 4210-4213=5014-5017 5210-5213=4014-4017"], ["rdev-two-targets B1 5014"]),
        (["A-B 4210-4213=5110-5113 5210-5212,4214=4110-4113"],
         ["rdev-ends-differ A 4214", "rdev-ends-differ B 4113"]),
    ],
)  # fmt: skip
def test_what_breaks_a_scheme_is_named(links: list[str], said: list[str]) -> None:
    assert said_of(layout(*links)) == said


def imported(deck: Path | str, partitions: str, *ports: str) -> str:
    """The file of a deck's layout."""
    found = isfc.import_iocp([deck], partitions=partitions, ports=ports)
    return isfc.format_collection(found.collection)


@pytest.fixture(scope="module")
def three() -> str:
    """Three systems of one deck, whose third digit is the image that CUADD names."""
    return imported(DECKS / "three-systems.iocp", "VMA,VMB,VMC", "VMA:50=01")


def test_the_third_digit_is_held_against_cuadd(three: str) -> None:
    assert said_of(three) == []
    said = said_of(three.replace("5020-5023", "5040-5043"))
    assert said[:2] == ["rdev-image-differs VMA 5040", "rdev-image-differs VMA 5041"]


def test_css_and_image_are_held_against_cuadd_and_other_devices_are_named() -> None:
    """Disks within a range of CTCs are said; those another subsystem has do not matter."""
    disks = (
        " CNTLUNIT CUNUMBR=E000,PATH=((CSS(0),53)),UNIT=2107\n"
        " CNTLUNIT CUNUMBR=E100,PATH=((CSS(1),53)),UNIT=2107\n"
        " IODEVICE ADDRESS=(412A,3),CUNUMBR=E000,UNIT=3390\n"
        " IODEVICE ADDRESS=(401A,3),CUNUMBR=E000,UNIT=3390\n"
        " IODEVICE ADDRESS=(412D,3),CUNUMBR=E100,UNIT=3390\n"
    )
    deck = (DECKS / "cross-css.iocp").read_text() + disks
    file = imported(deck, "ALPHA,BETA")
    assert isfc.export(file, "toml", scheme="cuadd").remarks == (), "the whole deck is kept"
    found = exported(file, "cuadd")
    assert numbering(found).scheme == "cuadd"
    assert said_of(found) == ["rdev-range-taken ALPHA 412A"]
    text = "ALPHA 412A to 412C are UNIT=3390, within 4120 to 412F, where CTCs are."
    assert text in {each["text"] for link in isfc.check(found) for each in link.rows()}
    other = isfc.format_collection(found).replace("4120-4127", "4120-4126,4027")
    assert said_of(isfc.parse_links(other))[0] == "rdev-image-differs ALPHA 4027"
    (text,) = isfc.export(file, "toml", scheme="alike", first="4120").texts.values()
    assert "4130" in text, "sixteen numbers with disks among them are not free"
    taken = imported(deck.replace("412A,3", "4120,3"), "ALPHA,BETA")
    said = "ALPHA: 4120 would be a CTC, and its deck has UNIT=3390"
    refused(lambda: exported(taken, "cuadd"), said)


def test_images_that_are_alike_in_two_css_share_sixteen_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A is image 1 of CSS 0, B image 1 of CSS 1: in one range of G nothing parts them."""
    images = {"A": 0x01, "B": 0x11, "G": 0x02}
    monkeypatch.setattr("isfc.deck.scheme.images_of", lambda _: images)
    links = layout("A-G 7020-7023=6010-6013", "B-G 8020-8023=6014-6017")
    assert numbering(links).scheme == "target"
    assert said_of(links) == ["rdev-two-targets G 6014"]


@pytest.mark.parametrize(
    ("scheme", "name"),
    [
        *(("alike", name) for name in ("two-cecs", "published-12", "three")),
        *(("traded", name) for name in ("two-cecs", "published-12", "three")),
        ("target", "three"),  # whether these are kept only decks can tell
        ("cuadd", "three"),
    ],
)
def test_proposed_numbers_keep_their_scheme(scheme: Name, name: str, three: str) -> None:
    before = exported(three if name == "three" else name, "alike")
    after = exported(before, scheme)
    again = numbering(after)
    fitting = {each.value: count for each, count in again.fitting.items()}
    assert [each for each in said_of(after) if "full" not in each] == []
    assert fitting[scheme] == again.ends
    for old, new in zip(before.links, after.links, strict=True):
        assert len(new.ctcs) == len(old.ctcs)
        if scheme == "traded":
            assert [ctc.fibre for ctc in new.device_list()] == [
                ctc.fibre for ctc in old.device_list()
            ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--first D000", "--first: expected --scheme with it"),
        ("--scheme alike --first FFF0",
         "no sixteen numbers are left for fibre 2; expected a lower"),
        ("--scheme traded --first F000", "--first: the range to receive would be beyond F"),
        ("--scheme target --first D000", "--first: numbers of target begin with the chpid"),
        ("--scheme alike --first XYZ", "--first 'XYZ': "),
    ],
)  # fmt: skip
def test_what_cannot_be_numbered_is_refused(
    options: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", "published-12", "--as", "toml", *options.split()]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_scheme_that_there_is_not_is_refused() -> None:
    with pytest.raises(isfc.ConfigurationError, match="expected one of 'alike', 'traded', "):
        isfc.export("published-12", "toml", scheme="alik")  # type: ignore[arg-type]


def test_what_numbers_change_and_which_decks_are_missing_is_told() -> None:
    mixed = layout("A-B D000,D002=D000,D002 D001=D001")
    order, decks = isfc.export(mixed, "toml", scheme="alike").remarks
    assert "A-B: the new numbers change the order in which both ends scan the fibres" in order
    assert "no whole deck of A, B is kept" in decks
    assert isfc.export("atlanta-boston", "toml").remarks == ()


def test_a_fault_ends_check_with_1_until_the_links_have_other_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, output = tmp_path / "ab.toml", tmp_path / "new.toml"
    broken = layout("A-B D000-D003=D000-D003 D010-D012=D010-D011,D013")
    file.write_text(isfc.format_collection(broken))
    assert run(["check", str(file), "--json"]) == 1
    (record,) = json.loads(capsys.readouterr().out)
    numbers = record["numbers"]
    assert (numbers["scheme"], numbers["fitting"]["alike"], numbers["ends"]) == ("alike", 12, 14)
    ends = [each for each in record["findings"] if each["id"] == "rdev-ends-differ"]
    assert [each["fibres"] for each in ends] == [["f65"], ["f65"]]
    assert ends[0]["text"] == "A D012 is D013 at B, and should be alike."
    assert ends[0]["lines"] != [1]
    assert run(["check", str(file)]) == 1
    page = " ".join(capsys.readouterr().out.split())
    assert page.count("rdev-ends-differ") == page.count("numbers all CTCs by a scheme.") == 1
    assert "12 of 14 ends of CTCs keep it." in page
    words = ["export", str(file), "--as", "toml", "--scheme", "traded", "-o", str(output)]
    assert run(words) == 0
    assert run(["check", str(output)]) == 0
    page = " ".join(capsys.readouterr().out.split())
    assert "Numbers by the scheme 'traded': a range to send and one to receive" in page


def test_statements_of_a_system_may_have_other_numbers() -> None:
    (text,) = isfc.export(
        "two-cecs", "activate", system="ALPHA", scheme="alike", first="E000"
    ).texts.values()
    assert "E000" in text


def test_numbers_of_no_scheme_name_that_which_comes_nearest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run(["check", "atlanta-boston", "two-cecs"])
    page = " ".join(capsys.readouterr().out.split())
    nearest = (
        "atlanta-boston: by no known scheme; the nearest is 'traded', which 8 of 16 ends of CTCs"
    )
    assert f"{nearest} keep." in page
    assert "two-cecs: by no known scheme." in page


def ctcs(layout: isfc.Collection) -> list[object]:
    """All CTCs, as their links have them."""
    return [link.ctcs for link in layout.links]


@pytest.mark.parametrize("name", get_args(Name))
@pytest.mark.parametrize("seed", range(12))
def test_a_scheme_is_recognised_in_what_it_wrote(seed: int, name: Name, three: str) -> None:
    """Or another that gives the same numbers; of several the first one."""
    random = Random(seed)
    cluster = draw_cluster(seed).text() if seed else three
    first = None if name == "target" else f"{random.randrange(14):X}000"
    try:
        (text,) = isfc.export(cluster, "toml", scheme=name, first=first).texts.values()
    except isfc.ConfigurationError:
        return
    written = isfc.parse_links(text)
    found = numbering(written).scheme
    assert found is not None
    if found != name:
        least = min(rdev for link in written.links for ctc in link.ctcs for rdev in ctc.rdevs)
        first = None if found == "target" else f"{least:04X}"
        (text,) = isfc.export(written, "toml", scheme=found.value, first=first).texts.values()
        assert ctcs(isfc.parse_links(text)) == ctcs(written)
