"""``isfc compare``: what two commands printed, side by side."""

import json
from pathlib import Path

import pytest

from isfc.cli.main import run
from tests.isfc.cli.conftest import Refusal

RUN = "run published-4 --workload HL --pairs 5 --seconds 0.05 --warmup 0.01 --json".split()


@pytest.fixture
def files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """The same run with two seeds."""
    paths = tmp_path / "a.json", tmp_path / "b.json"
    for path, seed in zip(paths, "12", strict=True):
        assert run([*RUN, "--seed", seed]) == 0
        path.write_text(capsys.readouterr().out)
    return str(paths[0]), str(paths[1])


def test_page(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", *files]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert lines[0].startswith("A: ")
    assert "seed    1  2" in lines
    assert any(line.startswith("MB/s together ") for line in lines)
    assert [line.split()[0] for line in lines[-4:]] == ["6000", "6001", "6002", "6003"]


def test_record(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", *files, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert list(record) == ["kind", "a", "b", "settings", "layout_changes", "figures"]
    assert (record["kind"], record["a"], record["b"]) == ("run", *files)
    assert record["settings"] == [{"name": "seed", "a": 1, "b": 2}]
    (figure,) = (f for f in record["figures"] if (f["key"], f["measure"]) == ("link", "mb_per_s"))
    before, after = (json.loads(Path(file).read_text())["mb_per_s"] for file in files)
    assert (figure["a"], figure["b"], figure["difference"]) == (before, after, after - before)
    assert figure["percent"] == pytest.approx((after / before - 1) * 100)


def test_equal_results_end_with_0_too(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", files[0], files[0], "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["settings"] == []
    assert {figure["difference"] for figure in record["figures"]} == {0}


@pytest.mark.at_length
@pytest.mark.slow
def test_replays_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("replay --suite HL --rdevs 4 --pairs 5 --seconds 0.02 --json".split())
    path = tmp_path / "r.json"
    path.write_text(capsys.readouterr().out)
    assert run(["compare", str(path), str(path)]) == 0
    assert "4 figures are in both, 4 of them the same; 0 are in A only" in capsys.readouterr().out


def test_bad_file_is_refused(files: tuple[str, str], refusal: Refusal) -> None:
    assert refusal("compare", files[0], "none.json").startswith("none.json: cannot be read ")
