"""Files of clusters that cannot be: every command names the file, the table and the key, exit 2."""

from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.testing.cluster import mesh

TRAFFIC = '[[traffic]]\nfrom = "S1"\nto = "S2"\nworkload = "HL"\npairs = 2\n'
CECS = '[cec.EAST]\nsystems = ["S1", "S2"]\n[cec.WEST]\nsystems = ["S3"]\n'
WHOLE = mesh(3, shared=True) + CECS + TRAFFIC


def without(text: str, *parts: str) -> str:
    """The file without some of its lines, all of which it has."""
    for part in parts:
        assert part in text
        text = text.replace(part, "")
    return text


def with_other(old: str, new: str) -> str:
    assert old in WHOLE
    return WHOLE.replace(old, new, 1)


LAST_CTCS = '[[ctc]]\nfibre = "2"\nrdevs = { S2 = "6300-6303", S3 = "6200-6203" }\n'
LAST_FIBRE = '[fibre.2]\nfeature = "FICON Express4"\nchpid = { S2 = "40", S3 = "40" }\n'

BAD = {
    "a system without a link": (
        with_other('systems = ["S3"]', 'systems = ["S3", "S4"]'),
        "[cec.WEST] systems: S4 has no link; expected one of S1, S2, S3",
    ),
    "a link without CTCs": (without(WHOLE, LAST_CTCS), "[fibre.2]: carries no CTC"),
    "a link without fibres": (
        with_other("[[ctc]]", '[[link]]\nnodes = ["S1", "S4"]\n[[ctc]]'),
        "[[link]] #2 nodes: no [fibre.NAME] joins S1 and S4; expected one at least",
    ),
    "a chpid with two generations": (
        with_other(
            'feature = "FICON Express4"\nchpid = { S2', 'feature = "FICON Express8"\nchpid = { S2'
        ),
        "[fibre.2] chpid: 40 at S2 is already in [fibre.0]; expected the same feature",
    ),
    "a director port used twice": (
        with_other(
            'chpid = { S1 = "40", S2 = "40" }\n',
            'chpid = { S1 = "40", S2 = "40" }\ndirector = "1"\nport = { S1 = "04", S2 = "04" }\n',
        ),
        "[fibre.0] port",
    ),
    "one channel named in two CECs": (
        WHOLE + '[[shared_channel]]\nchpid = { S1 = "40", S3 = "40" }\n',
        "[[shared_channel]] #1 chpid: S1 is in [cec.EAST], S3 is in [cec.WEST]",
    ),
    "a system in two CECs": (
        with_other('systems = ["S3"]', 'systems = ["S3", "S1"]'),
        "[cec.WEST] systems: S1 is already in [cec.EAST]",
    ),
    "CECs that differ in case alone": (
        with_other("[cec.WEST]", "[cec.east]"),
        "[cec.east]: differs from [cec.EAST] in case alone",
    ),
    "systems that differ in case alone": (
        with_other('nodes = ["S2", "S3"]', 'nodes = ["s1", "S1"]'),
        "[[link]] #3 nodes",
    ),
    "traffic of a workload that there is none of": (
        with_other('workload = "HL"', 'workload = "HX"'),
        "[[traffic]] #1 workload: workload 'HX' is unknown: expected HS, HM, HL, HY or CDU:",
    ),
    "nine systems": (mesh(9, shared=True), "[[link]] nodes: 9 systems; expected at most 8"),
    "traffic between systems without a link": (
        without(WHOLE, '[[link]]\nnodes = ["S2", "S3"]\n', LAST_FIBRE, LAST_CTCS).replace(
            'from = "S1"\nto = "S2"', 'from = "S3"\nto = "S2"'
        ),
        "[[traffic]] #1 to: no link joins S3 and S2, and isfc forwards nothing",
    ),
}


@pytest.mark.parametrize("command", ["check", "run", "show"])
@pytest.mark.parametrize("case", BAD)
def test_file_table_and_key_are_named(
    case: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, message = BAD[case]
    path = tmp_path / "bad.toml"
    path.write_text(text)
    assert run([command, str(path)]) == 2
    captured = capsys.readouterr()
    said = " ".join((captured.out + captured.err).split())
    assert str(path) in said
    assert message in said
