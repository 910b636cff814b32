"""Files of clusters that cannot be: every command names the file, the table and the key, exit 2.

What else is refused in a file of several links is in `tests.isfc.layout`.
"""

from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.testing.cluster import mesh

TRAFFIC = '[[traffic]]\nfrom = "S1"\nto = "S2"\nworkload = "HX"\npairs = 2\n'
CECS = '[cec.EAST]\nsystems = ["S1", "S2"]\n[cec.WEST]\nsystems = ["S3", "S1"]\n'
BAD = {
    "a system in two CECs": (CECS, "[cec.WEST] systems: S1 is already in [cec.EAST]"),
    "traffic of no workload": (TRAFFIC, "[[traffic]] #1 workload: workload 'HX' is unknown: "),
}


@pytest.mark.parametrize("command", ["check", "run", "show"])
@pytest.mark.parametrize("case", BAD)
def test_file_table_and_key_are_named(
    case: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, message = BAD[case]
    path = tmp_path / "bad.toml"
    path.write_text(mesh(3, shared=True) + text)
    assert run([command, str(path)]) == 2
    captured = capsys.readouterr()
    said = " ".join((captured.out + captured.err).split())
    assert str(path) in said
    assert message in said
