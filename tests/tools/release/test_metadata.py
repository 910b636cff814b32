"""What a package says of itself agrees: versions, Pythons, addresses, what an sdist holds."""

import runpy
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

import isfc
from tests.installed import need
from tests.waiting import ran
from tools.release.pythons import supported

ROOT = Path(__file__).parents[3]


def metadata() -> ConfigParser:
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg", "utf-8")
    return setup


def test_version_is_the_same_wherever_it_stands() -> None:
    assert metadata()["metadata"]["version"] == isfc.__version__
    assert f"\nversion: {isfc.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\n## {isfc.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_oldest_supported_python_is_the_one_that_is_required() -> None:
    assert metadata()["options"]["python_requires"] == f">={supported()[0]}"


@pytest.mark.parametrize(
    ("home", "issues"),
    [("", None), ("https://host.example/isfc/", "https://host.example/isfc/issues")],
)
def test_addresses_are_below_the_one_place_that_is_set(
    monkeypatch: pytest.MonkeyPatch, home: str, issues: str | None
) -> None:
    asked: dict[str, dict[str, str]] = {}
    monkeypatch.setenv("ISFC_HOME", home)
    monkeypatch.setattr("setuptools.setup", asked.update)
    monkeypatch.setattr(sys, "argv", ["setup.py", "egg_info"])
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")
    assert asked["project_urls"].get("Issues") == issues


def test_sdist_is_told_of_every_file_that_is_no_package() -> None:
    """What git tracks is in ``MANIFEST.in``, or setuptools adds it without being told."""
    listed = ran(
        [need("git", "git"), "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT
    )
    if listed.returncode:
        pytest.skip("no git checkout")
    told = (ROOT / "MANIFEST.in").read_text("utf-8").split()
    known = {*told, "MANIFEST.in", "setup.cfg", "setup.py", "pyproject.toml", "ctc", "isfc"}
    assert {line.split("/")[0] for line in listed.stdout.splitlines()} <= known


def test_image_is_made_without_what_git_ignores() -> None:
    """Else a ``.venv`` of this machine would pass for one that is made in the image."""
    ignored = {
        line.strip("/") if line.startswith("/") else f"**/{line.strip('/')}"
        for line in (ROOT / ".gitignore").read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    }
    first, *left_out = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert first.startswith("#")
    assert set(left_out) == ignored
