"""``isfc studio`` with what is no layout. What it serves is tested in `tests.isfc.cli.studio`."""

from pathlib import Path

import pytest

from isfc.cli.main import run


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"x [", "is not TOML"),
        (b"x\xff", "is not text in UTF-8"),
        (b" CHPID PATH=(50),TYPE=FC \xff\n", ":1:26: is not text in UTF-8"),
        (b"[fibre.1]\nfeature = 'FICON'\n", "[fibre.1]"),
    ],
)
def test_file_that_is_no_layout_is_refused_before_a_page_is_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, complaint: str
) -> None:
    file = tmp_path / "site.toml"
    file.write_bytes(content)
    assert run(["studio", str(file), "--no-browser"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"isfc: {file}")
    assert complaint in said.err
