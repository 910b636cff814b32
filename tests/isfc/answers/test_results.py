"""Two results side by side: which figures meet, how they differ, and which files are refused."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from isfc.answers.results import ResultFigure, Setting, compare_results
from isfc.errors import ConfigurationError
from scenarios.runs.result import MEASURES, DeviceResult, Result

Write = Callable[[str, object], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def put(name: str, document: object) -> Path:
        path = tmp_path / name
        if isinstance(document, list):  # the figures of a replay
            document = {"figures": document}
        path.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
        return path

    return put


def run_document(figure: float, *rdevs: str, **settings: object) -> dict[str, Any]:
    devices = tuple(DeviceResult(rdev, *(figure,) * 6) for rdev in rdevs)
    return {**settings, **asdict(Result("A", **dict.fromkeys(MEASURES, figure), devices=devices))}


def entry(key: str, emulated: float, within: bool | None = None) -> dict[str, Any]:
    return {
        "table": "transport",
        "key": key,
        "measure": "mb_per_s",
        "published": 100.0,
        "emulated": emulated,
        "error": emulated / 100 - 1,
        "role": "acceptance",
        "within": within,
    }


def test_runs_meet_measure_by_measure_and_device_by_device(write: Write) -> None:
    a = write("a", run_document(10.0, "6000", "6001", pairs=5, seed=1, new_key=[]))
    b = write("b", run_document(15.0, "6001", "6002", pairs=50, seed=1, seeds=2))
    pair = compare_results(a, b)
    assert pair.kind == "run"
    assert pair.settings == (Setting("pairs", 5, 50), Setting("seeds", None, 2))
    link = [figure for figure in pair.figures if figure.key == "link"]
    assert [figure.measure for figure in link] == list(MEASURES)
    assert link[0] == ResultFigure("run", "link", "mb_per_s", None, 10.0, 15.0)
    assert (link[0].difference, link[0].percent) == (5.0, 50.0)
    busy = [figure for figure in pair.figures if figure.measure == "busy_percent"]
    assert [(figure.key, figure.a, figure.b, figure.difference) for figure in busy] == [
        ("6000", 10.0, None, None),
        ("6001", 10.0, 15.0, 5.0),
        ("6002", None, 15.0, None),
    ]


def test_replays_say_in_what_they_differ(write: Write) -> None:
    whole = {"figures": [entry("HL/4/1", 90.0)], "version": "1", "seconds": 3.0}
    a = write("a", whole | {"constants": "ab", "seeds": 1})
    b = write("b", whole | {"constants": "cd", "seeds": 5})
    assert compare_results(a, b).settings == (
        Setting("seeds", 1, 5),
        Setting("constants", "ab", "cd"),
    )


def test_replays_meet_run_by_run(write: Write) -> None:
    a = write("a", [entry("HL/4/1", 90.0, within=False), entry("HL/4/5", 80.0)])
    b = write("b", [entry("HL/4/10", 7.0), entry("HL/4/1", 99.0, within=True)])
    pair = compare_results(a, b)
    assert (pair.kind, pair.settings) == ("replay", ())
    assert pair.figures == (
        ResultFigure("transport", "HL/4/1", "mb_per_s", 100.0, 90.0, 99.0, False, True),
        ResultFigure("transport", "HL/4/5", "mb_per_s", 100.0, 80.0, None),
        ResultFigure("transport", "HL/4/10", "mb_per_s", 100.0, None, 7.0),
    )


@pytest.mark.parametrize(
    ("a", "b", "difference", "percent"),
    [
        (4.0, 3.0, -1.0, -25.0),
        (4.0, 4.0, 0.0, 0.0),
        (0.0, 3.0, 3.0, None),
        (None, 3.0, None, None),
        (3.0, None, None, None),
        (-1e308, 1e308, None, None),
        (1e-300, 1e300, 1e300, None),
    ],
)
def test_difference(
    a: float | None, b: float | None, difference: float | None, percent: float | None
) -> None:
    figure = ResultFigure("run", "link", "mb_per_s", None, a, b)
    assert (figure.difference, figure.percent) == (difference, percent)


GOOD = run_document(1.0, "6000")


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("[", r"is not JSON \(.+\)"),
        ("", r"is not JSON \(.+\)"),
        ("[" * 100_000, r"is not JSON \(.+\)"),
        ("[NaN]", r"is not JSON \(.+\)"),
        ('{"mb_per_s": 1e999}', r"is not JSON \(.+\)"),
        ("7", "holds no result"),
        ("[]", "holds no result"),
        ({"node": "A"}, "mb_per_s: is missing"),
        ({**GOOD, "mb_per_s": "x"}, "mb_per_s: is text instead of a number"),
        ({**GOOD, "devices": [{"rdev": 1}]}, r"devices\[0\].rdev: is a number instead of text"),
        ({**GOOD, "devices": [{"rdev": "1"}]}, r"devices\[0\].io_per_s: is missing"),
        ({**GOOD, "devices": GOOD["devices"] * 2}, "run 6000 io_per_s: comes twice"),
        ([{"key": "HL/4/1"}], r"\[0\].table: is missing"),
        ([7], r"\[0\]: is a number instead of an object"),
        ([entry("k", 1.0), {**entry("l", 1.0), "emulated": None}], r"\[1\].emulated: is null ins"),
        ([{**entry("k", 1.0), "within": 3}], r"within: is a number instead of true or false or nu"),
        ([entry("k", 1.0), entry("k", 2.0)], "transport k mb_per_s: comes twice"),
    ],
)
def test_bad_file_is_refused_naming_file_and_key(
    document: object, problem: str, write: Write
) -> None:
    bad = write("bad.json", document)
    good = write("good.json", GOOD if not isinstance(document, list) else [entry("k", 1.0)])
    for files in ((bad, good), (good, bad)):
        with pytest.raises(ConfigurationError, match=rf"/bad\.json: .*{problem}.*; expected what"):
            compare_results(*files)


def test_what_cannot_be_read_is_refused(tmp_path: Path, write: Write) -> None:
    good = write("good.json", GOOD)
    problem = r"(cannot be read \(.+\)|is a directory); expected what 'isfc run'"
    for path in (tmp_path, tmp_path / "none", Path("a\0b")):
        with pytest.raises(ConfigurationError, match=problem):
            compare_results(good, path)


def test_too_long_a_file_is_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isfc.answers.results.RESULT_LENGTH_MAX", 100)
    long = write("long.json", GOOD)
    with pytest.raises(ConfigurationError, match=r"long\.json: is too long; .* 100 bytes"):
        compare_results(long, long)


def test_two_kinds_are_refused(write: Write) -> None:
    files = write("a.json", GOOD), write("b.json", [entry("k", 1.0)])
    with pytest.raises(ConfigurationError, match=r"a\.json and .*b\.json: one holds a run, the o"):
        compare_results(*files)


def test_what_is_no_more_than_the_spread_of_the_seeds_is_noise(write: Write) -> None:
    spread = {"mb_per_s": 6.0, "collisions_per_s": None}
    a = write("a", run_document(100.0, spread_percent=spread))
    b = write("b", run_document(106.0, spread_percent={"mb_per_s": 1.0}))
    noise = {figure.measure: figure.noise for figure in compare_results(a, b).figures}
    assert noise["mb_per_s"] is True
    assert noise["collisions_per_s"] is None  # nothing says how far it differs
    far = write("far", run_document(107.0, spread_percent={"mb_per_s": 1.0}))
    noise = {figure.measure: figure.noise for figure in compare_results(a, far).figures}
    assert noise["mb_per_s"] is False


def test_seeds_that_agree_do_not_make_a_small_difference_one(write: Write) -> None:
    a = write("a", run_document(100.0, spread_percent={"mb_per_s": 0.0}))
    for name, mb_per_s, is_noise in (("near", 100.7, True), ("far", 101.2, False)):
        b = write(name, run_document(mb_per_s, spread_percent={"mb_per_s": 0.0}))
        noise = {figure.measure: figure.noise for figure in compare_results(a, b).figures}
        assert noise["mb_per_s"] is is_noise


def test_provenance_says_what_was_different(write: Write) -> None:
    origin = {"version": "1", "layout_digest": "aa", "layout_toml": "same\nold\n", "command": "x"}
    a = write("a", run_document(1.0, provenance=origin))
    other = {**origin, "layout_digest": "bb", "layout_toml": "same\nnew\n"}
    pair = compare_results(a, write("b", run_document(1.0, provenance=other)))
    assert pair.settings == (Setting("layout_digest", "aa", "bb"),)
    assert pair.layout_changes == ("- old", "+ new")
    assert compare_results(a, write("c", run_document(1.0))).layout_changes == ()


def test_layout_in_place_of_a_result_is_named(tmp_path: Path) -> None:
    layout = tmp_path / "link.toml"
    layout.write_text("[[ctc]]", "utf-8")
    with pytest.raises(ConfigurationError, match=r"is a TOML file; 'isfc run .*link.toml --json'"):
        compare_results(layout, layout)
