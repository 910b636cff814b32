"""Schemes of device numbers: recognised, what breaks them, and numbers for a cluster."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

import isfc
from isfc.cli.main import run
from tests.decks import DECKS

Ends = tuple[str, str]


def layout(*links: tuple[Ends, Sequence[Ends]], cecs: str = "") -> isfc.Collection:
    """Links of two systems, each with fibres of (its numbers, the other's)."""
    text, chpid = [cecs], 0x40
    for (one, other), fibres in links:
        text.append(f'[[link]]\nnodes = ["{one}", "{other}"]\n')
        for here, there in fibres:
            text.append(
                f'[fibre.f{chpid}]\nfeature = "FICON Express8S"\n'
                f'chpid = {{ {one} = "{chpid:X}", {other} = "{chpid:X}" }}\n'
                f'[[ctc]]\nfibre = "f{chpid}"\n'
                f'rdevs = {{ {one} = "{here}", {other} = "{there}" }}\n'
            )
            chpid += 1
    return isfc.parse_links("".join(text))


IBM = layout(
    # two images of A and one of B; 40i0 and 42i0 are sent on, 50i0 and 52i0 received on
    (("A1", "B1"), [("4210-4217", "5010-5017"), ("5210-5217", "4010-4017")]),
    (("A2", "B1"), [("4210-4217", "5020-5027"), ("5210-5217", "4020-4027")]),
)
ALIKE = layout((("A", "B"), [("D010-D01F", "D010-D01F")]))


def kinds(found: isfc.Numbering) -> list[str]:
    return [f"{each.kind.value} {each.node} {each.rdev:04X}" for each in found.problems]


def test_ibms_own_example_is_known_and_orders_no_finding() -> None:
    found = isfc.number(IBM)
    assert (found.scheme, found.problems) == ("traded", ())
    for link in IBM.links:
        assert "rdevs-out-of-order" not in {finding.id for finding in isfc.plan(link).advice}


def test_sixteen_for_each_pair_of_chpids_are_known_and_said_to_be_used_up() -> None:
    found = isfc.number(ALIKE)
    assert found.scheme == "alike"
    assert kinds(found) == ["range-full A D010", "range-full B D010"]


@pytest.mark.parametrize(
    ("collection", "said"),
    [
        (
            layout((("A", "B"), [("D000-D003", "D000-D003"), ("D010,D004", "D010,D004")])),
            ["outside-range A D004", "outside-range B D004"],
        ),
        (
            layout((("A", "B"), [("D000-D003", "D000-D003"), ("D010", "D011")])),
            ["ends-differ A D010", "ends-differ B D011"],
        ),
        (
            layout(
                (("A1", "B1"), [("4210-4213", "5010-5013"), ("5210-5213", "4010-4013")]),
                (("A2", "B1"), [("4310-4311", "5020-5021"), ("5210,6000", "4020,5024")]),
            ),
            ["two-numbers A2 4310", "two-numbers A2 4311", "outside-range A2 6000"],
        ),
        (
            layout(
                (("A1", "B1"), [("4210-4213", "5010-5013"), ("5210-5213", "4010-4013")]),
                (("A2", "B1"), [("4210-4213", "5014-5017"), ("5210-5213", "4014-4017")]),
            ),
            ["two-targets B1 5014"],
        ),
        (
            layout((("A", "B"), [("4210-4213", "5110-5113"), ("5210-5212,4214", "4110-4113")])),
            ["ends-differ A 4214", "ends-differ B 4113"],
        ),
    ],
)
def test_what_breaks_a_scheme_is_named(collection: isfc.Collection, said: list[str]) -> None:
    assert kinds(isfc.number(collection)) == said


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Three systems of one deck, whose third digit is the image that CUADD names."""
    path = tmp_path / "three.toml"
    words = ["import", "iocp", str(DECKS / "three-systems.iocp"), "--partitions", "VMA,VMB,VMC"]
    assert run([*words, "--ports", "VMA:50=01", "-o", str(path)]) == 0
    return path


def test_the_third_digit_is_held_against_cuadd(three: Path) -> None:
    assert kinds(isfc.number(three)) == []
    three.write_text(three.read_text().replace("5020-5023", "5040-5043"))
    assert kinds(isfc.number(three))[:2] == ["image-differs VMA 5040", "image-differs VMA 5041"]


def test_css_and_image_are_held_against_cuadd_and_other_devices_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Disks within a range of CTCs are said; those another subsystem has do not matter."""
    disks = (
        " CNTLUNIT CUNUMBR=E000,PATH=((CSS(0),53)),UNIT=2107\n"
        " CNTLUNIT CUNUMBR=E100,PATH=((CSS(1),53)),UNIT=2107\n"
        " IODEVICE ADDRESS=(412A,3),CUNUMBR=E000,UNIT=3390\n"
        " IODEVICE ADDRESS=(401A,3),CUNUMBR=E000,UNIT=3390\n"
        " IODEVICE ADDRESS=(412D,3),CUNUMBR=E100,UNIT=3390\n"
    )
    deck, file = tmp_path / "cross.iocp", tmp_path / "cross.toml"
    deck.write_text((DECKS / "cross-css.iocp").read_text() + disks)
    words = ["import", "iocp", str(deck), "--partitions", "ALPHA,BETA", "-o", str(file)]
    assert run(words) == 0
    found = isfc.number(file, scheme="cuadd").proposed
    assert found is not None
    after = isfc.number(found)
    assert (after.scheme, after.unknown) == ("cuadd", ())
    assert kinds(after) == ["other-device ALPHA 412A"]
    assert after.problems[0].text == "to 412C are UNIT=3390, within 4120 to 412F, where CTCs are"
    other = isfc.format_collection(found).replace("4120-4127", "4120-4126,4027")
    assert kinds(isfc.number(isfc.parse_links(other)))[0] == "image-differs ALPHA 4027"
    assert run(["number", str(file), "--scheme", "alike", "--first", "4120"]) == 0
    assert "4130" in capsys.readouterr().out, "sixteen numbers with disks among them are not free"
    deck.write_text(deck.read_text().replace("412A,3", "4120,3"))
    assert run([*words, "--force"]) == 0
    capsys.readouterr()
    assert run(["number", str(file), "--scheme", "cuadd"]) == 2
    assert "ALPHA: 4120 would be a CTC, and its deck has UNIT=3390" in capsys.readouterr().err


def test_images_that_are_alike_in_two_css_share_sixteen_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A is image 1 of CSS 0, B image 1 of CSS 1: in one range of G nothing parts them."""
    images = {"A": 0x01, "B": 0x11, "G": 0x02}
    monkeypatch.setattr("isfc.deck.scheme.images_of", lambda _: images)
    found = isfc.number(
        layout(
            (("A", "G"), [("7020-7023", "6010-6013")]), (("B", "G"), [("8020-8023", "6014-6017")])
        )
    )
    assert (found.scheme, kinds(found)) == ("target", ["two-targets G 6014"])


@pytest.mark.parametrize(
    ("scheme", "name"),
    [
        *(("alike", name) for name in ("two-cecs", "published-12", "three")),
        *(("traded", name) for name in ("two-cecs", "published-12", "three")),
        ("target", "three"),  # whether these are kept only decks can tell
        ("cuadd", "three"),
    ],
)
def test_proposed_numbers_keep_their_scheme(scheme: str, name: str, three: Path) -> None:
    before = isfc.number(three if name == "three" else name, scheme="alike").proposed
    assert before is not None
    after = isfc.number(before, scheme=scheme).proposed
    assert after is not None
    again = isfc.number(after)
    fitting = {each.value: count for each, count in again.fitting.items()}
    assert [each for each in kinds(again) if "full" not in each] == []
    assert fitting[scheme] == again.count
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
        ("-o new.toml", "--output: expected --scheme with it"),
        (
            "--scheme alike --first FFF0",
            "no sixteen numbers are left for fibre 2; expected a lower",
        ),
        ("--scheme traded --first F000", "--first: the range to receive would be beyond F"),
        ("--scheme target --first D000", "--first: numbers of target begin with the chpid"),
        ("--scheme alike --first XYZ", "--first 'XYZ': "),
    ],
)
def test_what_cannot_be_numbered_is_refused(
    options: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["number", "published-12", *options.split()]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_fault_ends_the_command_with_1_and_json_has_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, output = tmp_path / "ab.toml", tmp_path / "new.toml"
    broken = layout((("A", "B"), [("D000-D003", "D000-D003"), ("D010", "D011")]))
    file.write_text(isfc.format_collection(broken))
    words = ["number", str(file), "--scheme", "traded", "-o", str(output), "--json"]
    assert run(words) == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["scheme"], record["fitting"]["alike"], record["ends"]) == ("alike", 8, 10)
    assert record["proposed"][0] == {
        "nodes": ["A", "B"],
        "fibre": "f64",
        "before": ["D000", "D000"],
        "after": ["4110", "5010"],
    }
    assert run(["number", str(output)]) == 0
