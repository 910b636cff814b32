"""``isfc io size``: from a report or a configuration to channels, as a page and as JSON."""

from collections.abc import Callable
from pathlib import Path

import pytest

import isfc
from isfc.errors.in_words import listed
from isfc.io.sizing import ASSUMED, FEATURES
from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded, is_narrow, on_one_line

REPORTS = "tests/data/rmf"
RMF = f"{REPORTS}/three-intervals-pasted.txt"
FAR = 'path = "far"\n[path.far]\nkm = 30\nisl = { count = 1, gbps = 8, credits = 60 }\n'
LINUX = '[[io]]\nname = "linux"\nchannels = ["42"]\nrate = 9000\nprotocol = "fcp"\n'

Write = Callable[..., Path]


@pytest.fixture
def mix(tmp_path: Path) -> Write:
    """Write a configuration of a channel and a load of so many I/Os a second."""

    def written(rate: int, feature: str = "FICON Express8S", of: str = "", more: str = "") -> Path:
        file = tmp_path / "mix.toml"
        file.write_text(
            f'[channel.42]\nfeature = "{feature}"\n{of}[[io]]\nname = "oltp"\n'
            f'channels = ["42"]\nrate = {rate}\n{more}'
        )
        return file

    return written


def test_json_is_the_answer(recorded: Recorded) -> None:
    record = recorded("io", "size", "--rmf", RMF, "--growth", "50")
    (mix,) = record["mixes"]
    assert mix["name"] == "PROD 03/02/2021 09.00.00"
    assert mix["best"] in mix["choices"]
    known = {feature.feature for feature in (*FEATURES, *ASSUMED)}
    assert {choice["feature"] for choice in mix["choices"]} == known
    assert [distance["km"] for distance in mix["distances"]] == [0, 100]
    assert mix["proposal"].startswith("# The best for PROD 03/02/2021 09.00.00")
    assert [each["kind"] for each in record["notes"]] == ["no-range"]


def test_a_configuration_is_written_whose_warnings_are_on_the_page(
    mix: Write, tmp_path: Path, printed: Printed
) -> None:
    # so slow that more exchanges are open than a channel has
    file = mix(90_000, "FICON Express16SA", more="cache_hit_percent = 0\n")
    best = tmp_path / "best.toml"
    page = on_one_line(printed("io", "size", file, "-o", best, "--km", "900"))
    found = isfc.io_size(file, km=900.0)
    assert best.read_text() == found.proposal
    (needs,) = found.mixes
    assert needs.warnings
    assert on_one_line(needs.warnings[0]) in page


def test_all_intervals_are_sized_on_request(printed: Printed) -> None:
    page = printed("io", "size", "--rmf", RMF, "--interval", "all")
    table = page.partition("The best for each interval\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[2] for line in table[1:]] == ["08.45.00", "09.00.00", "09.15.00"]
    assert page.count("Order ") == 1
    with pytest.raises(isfc.ConfigurationError, match=r"^interval all: expected one interval"):
        _ = isfc.io_size(rmf=RMF, interval="all").proposal


def test_idle_intervals_are_left_out_and_counted(
    tmp_path: Path, printed: Printed, refusal: Refusal
) -> None:
    # an idle interval among others ended --interval all
    title = "CHANNEL PATH ACTIVITY\nTIME 09.{:02}.00\n42 FC_S 27 16G Y "
    idle = title.format(0) + " ".join(["0.0"] * 13)
    busy = title.format(15) + "2.6 2.6 26.8 429 429 429 429 0.0 0.0 0.0 6558.1 3.9 0.0"
    file = tmp_path / "rmf.txt"
    words = ("io", "size", "--rmf", str(file), "--interval", "all")
    file.write_text(f"{idle}\n{busy}\n")
    page = printed(*words)
    assert page.count("Order ") == 1
    assert "1 interval without I/O left out." in page
    file.write_text(idle)
    assert "has no I/O of FICON channels" in refusal(*words)


@pytest.mark.parametrize("name", ["channel-path-activity", "device-activity"])
def test_the_page_fits_eighty_columns(name: str, printed: Printed) -> None:
    assert is_narrow(printed("io", "size", "--rmf", f"{REPORTS}/{name}.txt"))


def test_a_configuration_is_sized(mix: Write, printed: Printed) -> None:
    words = ("io", "size", mix(100_000, of="[system.A]\nsaps = 4\n"), "--growth", "0", "--km")
    page = printed(*words, "0")
    assert "Order       1 FICON Express16SA channel, zHPF on, for 0 % more\n" in page
    assert "zHyperLink  1 link for 100000 reads a second" in page
    assert "SAPs        4 of a z15 would be " in page
    assert "its cable reaches" not in page
    too_far = "its cable reaches 150 m, so it is of no use to storage at 20 km"
    assert too_far in on_one_line(printed(*words, "20"))


def test_distance_is_that_of_the_file_unless_it_is_given(mix: Write, recorded: Recorded) -> None:
    # storage at 30 km was sized for 100 km, and its inter-switch links were passed over in silence
    file = mix(9000, "FICON Express16SA", FAR, LINUX)
    for options, km in ([], 30), (["--km", "5"], 5):
        (needs,) = recorded("io", "size", file, *options)["mixes"]
        assert [distance["km"] for distance in needs["distances"]] == [0, km]
        assert needs["assumed"] == [
            "Sized as zHPF, not as fcp: linux.",
            "The inter-switch links of path far are not taken: they are sized as well.",
        ]


def test_no_saps_are_enough_for_too_much(mix: Write, printed: Printed, recorded: Recorded) -> None:
    words = ("io", "size", mix(90_000_000))
    (needs,) = recorded(*words)["mixes"]
    assert needs["proposal"] is None
    assert needs["warnings"][0].startswith("No configuration can be so large: ")
    assert needs["saps"] == {"saps": None, "busy_percent": None, "given": False}
    assert "SAPs        no z15 has enough to stay below 70 %" in printed(*words)


TWO = "docs/io/two-channels.toml"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "MIX and --rmf: expected one of them"),
        (f"mix.toml --rmf {RMF}", "MIX and --rmf: expected one of them"),
        (f"--rmf {RMF} --bus-percent 0.5", "--bus-percent 0.5: expected 1 to 100"),
        (f"--rmf {RMF} --block 512", "--block: expected a report on devices; "),
        (f"{TWO} --block 512", "--block: expected --rmf; docs/io/two-"),
        (f"{TWO} --read-percent 0", "--read-percent: expected --rmf; "),
        (f"{TWO} --interval all", "--interval: expected --rmf, a rep"),
        ("--rmf no-such-file", "no-such-file: cannot be read"),
        ("--rmf CHANGELOG.md", "CHANGELOG.md: holds no line of an RMF report"),
        ("--rmf tests", "tests: is a directory; expected the text of an RMF report"),
        # a name that no file can have, before any work
        ("--rmf nosuch.txt -o best.csv", "best.csv: "),
    ],
)
def test_bad_input_is_named(arguments: str, message: str, refusal: Refusal) -> None:
    assert message in refusal("io", "size", *arguments.split())


@pytest.mark.parametrize("feature", [profile.feature for profile in ASSUMED])
def test_what_is_not_known_of_a_later_feature_is_said(
    feature: str, mix: Write, printed: Printed
) -> None:
    # its bus was 0.0 % used in a plan, and a size left it out without a word
    file = mix(9000, feature)
    unknown = f"{feature}: not known, and assumed or left out: bus"
    assert unknown in printed("io", "plan", file)
    (planned,) = isfc.io_plan(file).channels
    assert planned.bus_percent is None
    page = printed("io", "size", file, "--notes")
    (needs,) = isfc.io_size(file).mixes
    of = [each for each in needs.choices if each.feature == feature]
    assert [each.bus_percent for each in of] == [None, None]
    names = listed(profile.feature.removeprefix("FICON Express") for profile in ASSUMED)
    assert f"{names}: processor assumed, bus not known; so " in page
    assert "Order       1 FICON Express16SA channel" in page
