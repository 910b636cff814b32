"""The pages' links lead somewhere."""

from pathlib import Path

import pytest

from tools import PROJECT
from tools.checks import links


def test_links_of_this_project() -> None:
    assert "\n".join(links.broken(PROJECT)) == ""


def test_every_page_of_this_project_is_reached_in_two_clicks() -> None:
    assert "\n".join(links.far(PROJECT)) == ""


def test_page_that_takes_more_clicks_is_named(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text("```{toctree}\n:glob:\n\na*\n```\n")
    (docs / "a1.md").write_text("[b](b.md)")
    (docs / "b.md").write_text("[c](c.md)")
    (docs / "c.md").touch()
    assert list(links.far(tmp_path)) == ["docs/c.md:1: not within 2 clicks of docs/index.md"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a](b.md)", ""),
        ("[a](docs/c.md#rings-and-rules)", ""),
        ("[a](https://example.org/none)", ""),
        ("```\n[a](none.md)\n```", ""),
        ("\n[a](none.md)", "a.md:4: no file none.md"),
        ("[a](docs/c.md#ring)", "a.md:3: no heading ring in c.md"),
        ("[a](docs/commands/plan.md)", "a.md:3: no file docs/commands/plan.md"),
        ("[a](docs/c.md#comment)", "a.md:3: no heading comment in c.md"),
    ],
)
def test_links(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "docs" / "commands").mkdir(parents=True)
    (tmp_path / "docs" / "commands" / "plan.md").write_text("[of the site](../none.md)")
    (tmp_path / "docs" / "c.md").write_text("# Rings, and rules\n```\n# comment\n```\n")
    (tmp_path / "b.md").touch()
    (tmp_path / "a.md").write_text(f"# Top\n\n{text}\n")
    assert "\n".join(links.broken(tmp_path)) == message
