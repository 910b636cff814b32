"""``isfc io size``: from a report or a configuration to channels, as a page and as JSON."""

import json
from pathlib import Path

import pytest

import isfc
from isfc.cli.main import run
from isfc.errors.in_words import listed
from isfc.io.sizing import ASSUMED, FEATURES
from tests.isfc.cli.conftest import Refusal

RMF = "tests/data/rmf/three-intervals-pasted.txt"


def test_json_is_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["io", "size", "--rmf", RMF, "--growth", "50", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    (mix,) = record["mixes"]
    assert mix["name"] == "PROD 03/02/2021 09.00.00"
    assert mix["best"] in mix["choices"]
    known = {feature.feature for feature in (*FEATURES, *ASSUMED)}
    assert {choice["feature"] for choice in mix["choices"]} == known
    assert [distance["km"] for distance in mix["distances"]] == [0, 100]
    assert mix["proposal"].startswith("# The best for PROD 03/02/2021 09.00.00")
    assert [each["kind"] for each in record["notes"]] == ["no-range"]


def test_a_configuration_is_written_whose_warnings_are_on_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mix, best = tmp_path / "mix.toml", tmp_path / "best.toml"
    # so slow that more exchanges are open than a channel has
    mix.write_text(
        '[channel.42]\nfeature = "FICON Express16SA"\n[[io]]\nname = "x"\n'
        'channels = ["42"]\nrate = 90000\ncache_hit_percent = 0\n'
    )
    assert run(["io", "size", str(mix), "-o", str(best), "--km", "900"]) == 0
    page = " ".join(capsys.readouterr().out.split())
    assert best.read_text() == isfc.io_size(mix, km=900.0).proposal
    (needs,) = isfc.io_size(mix, km=900.0).mixes
    assert needs.warnings
    assert " ".join(needs.warnings[0].split()) in page


def test_all_intervals_are_sized_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["io", "size", "--rmf", RMF, "--interval", "all"]) == 0
    page = capsys.readouterr().out
    table = page.partition("The best for each interval\n")[2].partition("\n\n")[0].splitlines()
    assert [line.split()[2] for line in table[1:]] == ["08.45.00", "09.00.00", "09.15.00"]
    assert page.count("Order ") == 1
    with pytest.raises(isfc.ConfigurationError, match=r"^interval all: expected one interval"):
        _ = isfc.io_size(rmf=RMF, interval="all").proposal


def test_idle_intervals_are_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # an idle interval among others ended --interval all
    title = "CHANNEL PATH ACTIVITY\nTIME 09.{:02}.00\n42 FC_S 27 16G Y "
    idle = title.format(0) + " ".join(["0.0"] * 13)
    busy = title.format(15) + "2.6 2.6 26.8 429 429 429 429 0.0 0.0 0.0 6558.1 3.9 0.0"
    file = tmp_path / "rmf.txt"
    file.write_text(f"{idle}\n{busy}\n")
    assert run(["io", "size", "--rmf", str(file), "--interval", "all"]) == 0
    page = capsys.readouterr().out
    assert page.count("Order ") == 1
    assert "1 interval without I/O left out." in page
    file.write_text(idle)
    assert run(["io", "size", "--rmf", str(file), "--interval", "all"]) == 2
    assert "has no I/O of FICON channels" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["channel-path-activity", "device-activity"])
def test_the_page_fits_eighty_columns(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["io", "size", "--rmf", f"tests/data/rmf/{name}.txt"]) == 0
    page, errors = capsys.readouterr()
    assert errors == ""
    assert max(map(len, page.splitlines())) <= 80


def test_a_configuration_is_sized(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mix.toml"
    file.write_text(
        '[channel.42]\nfeature = "FICON Express8S"\n[system.A]\nsaps = 4\n'
        '[[io]]\nname = "oltp"\nchannels = ["42"]\nrate = 100000\n'
    )
    assert run(["io", "size", str(file), "--growth", "0", "--km", "0"]) == 0
    page = capsys.readouterr().out
    assert "Order       1 FICON Express16SA channel, zHPF on, for 0 % more\n" in page
    assert "zHyperLink  1 link for 100000 reads a second" in page
    assert "SAPs        4 of a z15 would be " in page
    assert "its cable reaches" not in page
    assert run(["io", "size", str(file), "--growth", "0", "--km", "20"]) == 0
    page = " ".join(capsys.readouterr().out.split())
    assert "its cable reaches 150 m, so it is of no use to storage at 20 km" in page


def test_distance_is_that_of_the_file_unless_it_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # storage at 30 km was sized for 100 km, and its inter-switch links were passed over in silence
    file = tmp_path / "mix.toml"
    file.write_text(
        '[channel.42]\nfeature = "FICON Express16SA"\npath = "far"\n[path.far]\nkm = 30\n'
        "isl = { count = 1, gbps = 8, credits = 60 }\n"
        '[[io]]\nname = "oltp"\nchannels = ["42"]\nrate = 9000\n'
        '[[io]]\nname = "linux"\nchannels = ["42"]\nrate = 9000\nprotocol = "fcp"\n'
    )
    for options, km in ([], 30), (["--km", "5"], 5):
        assert run(["io", "size", str(file), "--json", *options]) == 0
        (mix,) = json.loads(capsys.readouterr().out)["mixes"]
        assert [distance["km"] for distance in mix["distances"]] == [0, km]
        assert mix["assumed"] == [
            "Sized as zHPF, not as fcp: linux.",
            "The inter-switch links of path far are not taken: they are sized as well.",
        ]


def test_no_saps_are_enough_for_too_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mix.toml"
    file.write_text(
        '[channel.42]\nfeature = "FICON Express8S"\n'
        '[[io]]\nname = "oltp"\nchannels = ["42"]\nrate = 90000000\n'
    )
    assert run(["io", "size", str(file), "--json"]) == 0
    (mix,) = json.loads(capsys.readouterr().out)["mixes"]
    assert mix["proposal"] is None
    assert mix["warnings"][0].startswith("No configuration can be so large: ")
    assert mix["saps"] == {"saps": None, "busy_percent": None, "given": False}
    assert run(["io", "size", str(file)]) == 0
    assert "SAPs        no z15 has enough to stay below 70 %" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "MIX and --rmf: expected one of them"),
        (["mix.toml", "--rmf", RMF], "MIX and --rmf: expected one of them"),
        (["--rmf", RMF, "--bus-percent", "0.5"], "--bus-percent 0.5: expected 1 to 100"),
        (["--rmf", RMF, "--block", "512"], "--block: expected a report on devices; "),
        (["docs/io/two-channels.toml", "--block", "512"], "--block: expected --rmf; docs/io/two-"),
        (["docs/io/two-channels.toml", "--read-percent", "0"], "--read-percent: expected --rmf; "),
        (["docs/io/two-channels.toml", "--interval", "all"], "--interval: expected --rmf, a rep"),
        (["--rmf", "no-such-file"], "no-such-file: cannot be read"),
        (["--rmf", "CHANGELOG.md"], "CHANGELOG.md: holds no line of an RMF report"),
        (["--rmf", "tests"], "tests: is a directory; expected the text of an RMF report"),
    ],
)
def test_bad_input_is_named(arguments: list[str], message: str, refusal: Refusal) -> None:
    assert message in refusal("io", "size", *arguments)


@pytest.mark.parametrize("feature", [profile.feature for profile in ASSUMED])
def test_what_is_not_known_of_a_later_feature_is_said(
    feature: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # its bus was 0.0 % used in a plan, and a size left it out without a word
    file = tmp_path / "mix.toml"
    file.write_text(
        f'[channel.42]\nfeature = "{feature}"\n[[io]]\nname = "x"\nchannels = ["42"]\nrate = 9000\n'
    )
    assert run(["io", "plan", str(file)]) == 0
    page = capsys.readouterr().out
    assert f"{feature}: not known, and assumed or left out: bus" in page
    (planned,) = isfc.io_plan(file).channels
    assert planned.bus_percent is None
    assert run(["io", "size", str(file), "--notes"]) == 0
    page = capsys.readouterr().out
    (mix,) = isfc.io_size(file).mixes
    of = [each for each in mix.choices if each.feature == feature]
    assert [each.bus_percent for each in of] == [None, None]
    names = listed(profile.feature.removeprefix("FICON Express") for profile in ASSUMED)
    assert f"{names}: processor assumed, bus not known; so " in page
    assert "Order       1 FICON Express16SA channel" in page


def test_a_name_that_no_file_can_have_is_refused_before_any_work(
    tmp_path: Path, refusal: Refusal
) -> None:
    nowhere, mix = tmp_path / "best.csv", tmp_path / "nosuch.txt"
    assert "best.csv: " in refusal("io", "size", "--rmf", str(mix), "-o", str(nowhere))
