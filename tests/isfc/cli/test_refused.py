"""What a command line must not say: it is refused in one line that names what, before any work.

`TABLE` has the rows of each command: what is given behind it, and how the message begins, or what
stands in it behind ``...``.
"""

import io
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from isfc.layout.catalogue import read_content
from tests.decks import DECKS
from tests.isfc.cli.conftest import Refusal
from tests.layouts import mesh
from tools import PROJECT

TRAFFIC: Final = '[[traffic]]\nfrom = "S2"\nto = "S1"\nworkload = "{}"\npairs = 2\n'
LINK: Final = read_content("atlanta-boston")[0].decode()
CECS: Final = '[cec.EAST]\nsystems = ["S1", "S2"]\n[cec.WEST]\nsystems = ["S3", "S1"]\n'
DISKS: Final = (PROJECT / "docs" / "io" / "shared.toml").read_text("utf-8")
FAULT: Final = '[[fault]]\nat = "30ms"\nkind = "crash"\nnode = "S4"\nfor = "10ms"'
REPORT: Final = (
    "1 19.29  24.042  IOCP VERSION 06  CHPID SUMMARY REPORT   PAGE 2\n 50 0140 FC   01\n"
)
FILES: Final = {
    "mesh.toml": mesh(3, shared=True) + TRAFFIC.format("HL"),
    "unknown.toml": mesh(3, shared=True) + TRAFFIC.format("HX"),
    "cecs.toml": mesh(3, shared=True) + CECS,
    "disks.toml": DISKS.replace("rate = 10000", "rate = -1"),
    "HX.toml": LINK + TRAFFIC.format("HX").replace("S2", "ATLANTA").replace("S1", "BOSTON"),
    "now.toml": FAULT.replace("30ms", "now").replace("S4", "SERVER"),
    "S4.toml": FAULT,
    "S9.cp": "at 10ms S9: QUERY ISLINK\n",
    "islink.txt": "ACT ISLINK 6000 NODE BOSTON\nACT ISLINK 7000 NODE ATLANTA\n",
    "config.txt": "ACTIVATE ISLINK 6000 NODE B\n",
    "report.txt": REPORT,
    "part.iocp": " CHPID PATH=(CSS(0),50),SHARED,TYPE=FC\n",
    "hex.iocp": " CHPID PATH=5G\n",
}
"""What rows name; ``decks`` and ``docs`` are the project's."""

TABLE: Final = """
plan
    published-12 --without 99 | --without '99': there is no such piece; expected 40, 41
    published-12 --without 40 --lose | --lose and --without: expected one of them
    published-1 --simulate | --simulate: expected --lose or --without
    published-4 --csv --json | --json and --csv: expected one of them
    two-cecs --link A-X | two-cecs: --link 'A-X': no such link; expected ALPHA-BETA or ALPHA-DELTA
new
    | --systems is missing; expected --systems ATLANTA,BOSTON
    --systems A | --systems 'A': expected two systems, such as ATLANTA,BOSTON
    --systems A,B | --chpids is missing; expected --chpids 40:50,41:51
    --systems A,B --chpids 4G:50 | --chpids '4G:50': '4G' is not a chpid
    --systems A,B --chpids 40:50,40:50 | --chpids '40:50,40:50': expected each pair of chpids once
new --systems ATLANTA,BOSTON --chpids 40:50,41
    --ctcs 9 | 18 CTCs join ATLANTA and BOSTON; expected at most 16 in a logical link: --ctcs 8
    --feature ESCON | --feature 'ESCON':
    --rdevs FFFE | --rdevs: device numbers go beyond FFFF; expected lower
    --schema | --schema and --systems: expected one of them
    --feature Express4,Express8,Express8S | ...3 features for 2 pairs of chpids
    --feature Express4@8 | ...speed '8': expected more than 0 Gb/s, and 4 at most
    --feature Express4@fast | ...speed 'fast': expected more than 0 Gb/s
    --feature Express4@nan | ...speed 'nan': expected more than 0 Gb/s
import iocp decks/cec-a.iocp decks/cec-b.iocp
    | --partitions: missing; expected two or more, separated by commas, of ATLANTA,
    --partitions ATLANTA | --partitions 'ATLANTA': expected two or more
    --partitions ATLANTA,DENVER | --partitions 'DENVER': no RESOURCE statement names it; expected
    --partitions ATLANTA,3:BOSTON | --partitions '3:BOSTON': there is no such deck; expected 1 to 2
    --partitions ATLANTA,A=ATLANTA,A=AUSTIN | ...two or more systems, each with its own name
import iocp
    decks/cec-a.iocp decks/cec-a.iocp | ... of 1:ATLANTA,
    part.iocp | ...no RESOURCE statement; expected CSS and MIF image ids
    hex.iocp --partitions A,B | ...hex.iocp:1:13: CHPID PATH '5G'; expected
    ebcdic.iocp --partitions A,B | ...ebcdic.iocp:2:2: is not text in UTF-8; expected
    none.iocp --partitions A,B | ...none.iocp: cannot be read
import
    islink VMA=report.txt | ...a report that IOCP printed (CHPID SUMMARY)
    config report.txt --layout atlanta-boston | ...a report that IOCP printed (CHPID SUMMARY)
    config islink.txt --layout HX.toml | ...[[traffic]] #1 workload:
export published-1
    --as iocp --system DENVER | --system DENVER:
    --as iocp --ports CLIENT:41=C1 | --ports 'CLIENT:41=C1': expected a node
    --as iocp --ports CLIENT:40=C1 | chpid SERVER:50 leads to CLIENT:40, which
    --as iocp --ports CLIENT:40 | --ports 'CLIENT:40': expected a node and
    --as iocp -o a.iocp | a.iocp: there are 2 decks, and a file holds one;
    --as iocp -o hex.iocp/new | hex.iocp/new: there are 2 decks, and a file holds one;
show
    decks/crowded.iocp,published-1 | ...published-1 is taken for a layout: expected one layout
    published-1 --partitions A,B | --partitions: of IOCP decks; published-1 is none
    decks/cec-a.iocp,decks/cec-b.iocp | ...--partitions: missing; expected two or more
    disks.toml | disks.toml: [[io]] #1 rate
    cecs.toml | cecs.toml: [cec.WEST] systems: S1 is already in [cec.EAST]
    unknown.toml | unknown.toml: [[traffic]] #1 workload: workload 'HX' is unknown:
check
    published-1 --ports A:50=C1 | --ports: of IOCP decks; published-1 is none
    cecs.toml | cecs.toml: [cec.WEST] systems: S1 is already in [cec.EAST]
    unknown.toml | unknown.toml: [[traffic]] #1 workload: workload 'HX' is unknown:
export
    decks/cec-a.iocp,decks/cec-b.iocp --as toml | ...--partitions: missing; expected two or more
    HX.toml --as activate | ...[[traffic]] #1 workload:
change --no-rates
    published-1 published-1 --ports A:50=C1 | ...--ports: of IOCP decks
    decks/crowded.iocp,published-1 published-1 | ...expected one layout, or IOCP decks, or console
    decks/one-cec.iocp decks/one-cec.iocp | ...partitions
    decks/crowded.iocp published-1 | ...CLIENT
    config.txt published-1 | ...config.txt: is not TOML but SYSTEM CONFIG
    query-islink query-islink --reset 1STI-3RD | --reset '1STI-3RD': no such link
report published-4
    -o x.pdf | ...ends with .html
    -o nowhere/x.html | ...there is no folder
    -o x.html --workload XX | ...is unknown
run published-4
    | no workload: expected --workload, or --message and --reply
    --workload HL | --pairs is missing: expected how many, such as --pairs 50
    --workload HL --pairs 0 | --pairs 0: expected 1 to
    --pairs 1000 --message 1:1:0 --reply 1 --window 1000 | --pairs 1000: with a window of 1000 that
    --workload HL --pairs many | Invalid value for '--pairs'
    --workload HL --pairs 1 --seconds 0 | --seconds 0: expected
    --workload HL --pairs 1 --warmup -1 | --warmup -1: expected
    --workload HL --pairs 1 --seed -1 | --seed -1: expected
    --workload HL --pairs 1 --from BOSTON | --from BOSTON:
    --workload HL --pairs 1 --side clients | --side clients:
    --workload HX --pairs 1 | workload 'HX' is unknown: expected
    --pairs 1 --message 1:2:3 | no workload:
    --pairs 1 --reply 4 | no workload:
    --pairs 1 --message 1:2:3 --reply 0 | --reply 0: expected
    --pairs 1 --message 1:2:3 --reply 4 --window 0 | --window 0: expected
    --pairs 1 --message 1:2:nan --reply 4 | --message, --reply: '1:2:nan': expected MIN
    --pairs 1 --message 2:1:3 --reply 4 | --message, --reply: workload 2:1:3/4:
    --workload HL --pairs 1 --reply 4 | --workload HL and --reply: expected a published
    --workload HL --pairs 1 --window 4 | --workload HL and --window:
    --workload HL --pairs 1 --message 1:2:3 | --workload HL and --message:
run
    published-5 --workload HL --pairs 1 | published-5:
    disks.toml --workload HL --pairs 1 | disks.toml: [[io]] #1 rate
    cecs.toml --workload HL --pairs 1 | cecs.toml: [cec.WEST] systems: S1 is already in [cec.EAST]
    unknown.toml | unknown.toml: [[traffic]] #1 workload: workload 'HX' is unknown:
run published-4 --workload HL --pairs 1
    --interval 1 | --interval: expected --report link as well
    --report suite --interval 1 | --interval: expected --report link as well
    --report link --interval 0 | --interval 0: expected
    --report link --seeds 2 | --seeds and --report link: samples have no mean
    --report appc | --report appc: HL is ISFC Transport; expected a workload CDU:
    --seeds 1001 | --seeds 1001: expected 1 to 1000
    --trace x.json --seeds 2 | --trace: expected without --report
    --trace x.txt | ...ends with .json
    --trace nowhere/x.json | ...there is no folder
    --trace x.json --seconds 100 | ...--seconds 60 or less
    --cp S9.cp --seeds 2 | --cp: expected without --seeds
    --faults now.toml | --faults now.toml: [[fault]] 1: at 'now': expected
    --fault-seed 1 --faults now.toml | ...--seeds, --cp, --trace and --faults
    --fault-seed 1 --report link | --fault-seed: expected without --report
    --faults now.toml --report link | --faults: expected without --report
run mesh.toml
    --traffic S1-S2:HL | --traffic S1-S2:HL: expected FROM-TO:WORKLOAD:PAIRS, such as
    --traffic S1-S4:HL:5 | --traffic S1-S4:HL:5: no link joins S1 and S4, and isfc
    --traffic S1-S2:HX:5 | --traffic S1-S2:HX:5: workload 'HX'
    --traffic S1-S2:HL:0 | --traffic S1-S2:HL:0: 0 pairs; expected 1 to 10000
    --traffic S1-S2:HL:5 --pairs 5 | --traffic and --pairs: expected one of
    --link S1-S3 | --link S1-S3: no traffic; expected --traffic of it
    --faults x | --faults x: cannot be read
    --faults S4.toml | --faults S4.toml: [[fault]] 1: node S4:
    --fault-seed 1 --seeds 2 | --fault-seed: expected without --report, --seeds
    --trace x.json --seeds 2 | --trace: expected without --report and --seeds
    --trace x.txt | --trace x.txt:
    --side S1 | --side: of one link; expected it without --traffic
    --seeds 2 --report device | --seeds and --report: expected one of them
    --report appc | --report appc:
    --cp S9.cp | --cp S9.cp:1: node S9: not a node
replay --suite HL --rdevs 4 --pairs 5 --seconds 0.02
    --interval 1 | --interval: expected --report link as well
    --report suite --interval 1 | --interval: expected --report link as well
    --report link --interval 0 | --interval 0: expected
    --report link --seeds 2 | --seeds and --report link: samples have no mean
    --report appc | --report appc: HL is ISFC Transport; expected a workload CDU:
    --seeds 1001 | --seeds 1001: expected 1 to 1000
    --report suite --plot x.svg | --plot: there is nothing to draw here
replay appc_scaling
    --report suite | ...--report suite: CDU:1 is APPC/VM; expected the table of APPC/VM runs
sweep
    - | SPECIFICATION -: expected --store
measured compare published-12 docs/measured/H001709C-fcx108.txt
    | ...expected --system CLIENT or --system SERVER
    --ran HL | --ran HL: expected NAME:PAIRS
    --ran HL:1 --ran HM:2 | --ran HM:2: HL:1 ran already in all files
    --ran x.txt=HL:1 | --ran x.txt=HL:1: expected one of the files, each once:
    --zone CET | --zone CET: expected one such as +02:00, UTC, or ATLANTA=+02:00
    --zone +25:00 | --zone +25:00: expected one such as +02:00, UTC, or ATLANTA=+02
    --zone A#1=+01:00 | --zone A#1: no file says that it is of A#1; expected
    --plot x.pdf | --plot x.pdf:
node
    BOSTON published-4 --listen unix:/a | ...expected CLIENT or SERVER
    1STI query-islink --reconnect 0 | --reconnect 0: expected 0.1 to 86400 s
node CLIENT published-4
    | expected either --listen ADDR or --connect ADDR
    --listen unix:/a --connect unix:/a | expected either --listen
    --listen nowhere | ...'nowhere' is no address
    --listen 0.0.0.0:7000 | ...0.0.0.0:7000 can be reached from other machines
    --listen unix:/a --dilation 5 | ...expected --pace modelled
    --listen unix:/a --strict | ...expected --pace modelled
    --listen unix:/a --workload HS | ...--workload and --pairs together
    --listen unix:/a --seconds 5 | ...expected a --workload
    --listen unix:/a --cert c.pem | ...--key and --ca missing
    --listen unix:/a --from SERVER | --from: expected a --workload
    --listen unix:/a --json | --json: expected --seconds
    --connect unix:/a --workload XX --pairs 1 | ...'XX' is unknown
    --listen unix:/a --forward CLIENT:1=SERVER:1 | ...expected NODE:PORT=NODE:HOST:PORT
    --listen unix:/a --forward CLIENT:1=SERVER:h:1 --workload HS --pairs 1 | ...no --workload
    --listen unix:/a --metrics unix:/tmp/metrics | --metrics unix:/tmp/metrics: expected HOST:PORT
    --listen unix:/a --metrics 9464 | --metrics '9464' is no address: expected
    --listen unix:/a --metrics '' | --metrics '' is no address: expected
    --listen unix:/a --metrics localhost:99999 | --metrics 'localhost:99999'
up
    nosuch | nosuch:
    - | LAYOUT -: expected a file
    - --detach | LAYOUT -: expected a file
    query-islink --reconnect 0 | --reconnect 0: expected 0.1 to 86400 s
up published-4
    --json | --json: expected --seconds
    --metrics 127.0.0.1:65535 | ...127.0.0.1:65535: each further node answers at
    --metrics 0.0.0.0:9 | ...0.0.0.0:9: everybody could read there; expected a loop
    --metrics x | --metrics 'x' is no address
    --forward x | --forward 'x': expected NODE:PORT
    --workload HM --pairs 5 --from BOSTON | --from BOSTON:
    --detach --workload HS --pairs 5 --seconds 1 | --detach and --seconds: nobody would
up two-cecs
    --only BETA | ...none of them runs
    --only ZETA | ...not a node of this layout
    --only BETA --plain | --only: takes the options of what runs
    --lose BETA --plain | --lose: takes the options of what runs
    --restore BETA --plain | --restore: takes the options of what runs
    --lose BETA:40 | --lose: expected one 'isfc up'
    --only BETA --lose BETA:40 | --only: expected neither --lose nor --restore
    --end --lose BETA:40 | --end: expected none of --only, --lose
    --end | --end: expected one 'isfc up' of this layout; none of
cp
    AKRON help | AKRON: no such node runs
    ATLANTA --json | --json: expected a command to answer
    | Missing argument 'NODE'. Try 'isfc cp --help'.
ctce
    published-12 | --at: expected CLIENT=HOST:PORT too
    a b a | a, b and a: expected a name for each, as they name systems
    published-1 --at CLIENT=h:31000 --at SERVER=h:31100 --watch | --watch: expected a terminal
"""


def rows() -> Iterator[tuple[str, str]]:
    """Every command line of the table, and what is said of it."""
    command = ""
    for line in filter(None, TABLE.splitlines()):
        if not line.startswith(" "):
            command = line
        else:
            more, _, message = line.partition("|")
            yield " ".join(f"{command} {more}".split()), message.strip()


@pytest.mark.parametrize(("line", "message"), [*rows()])
def test_a_command_line_that_must_not_be_is_refused(
    line: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Refusal
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO())
    monkeypatch.setattr("isfc.cli.live.cp.STARTING_S", 0)
    Path("decks").symlink_to(DECKS)
    Path("docs").symlink_to(PROJECT / "docs")
    Path("ebcdic.iocp").write_bytes(b"\n \xc9\xd6\xc3\xd7\x40")
    for name, text in FILES.items():
        Path(name).write_text(text)
    said = refusal(*shlex.split(line))
    assert message.removeprefix("...") in said
    assert message.startswith("...") or said.startswith(message)
    assert "isfc: " not in said, "it is said once"
    assert line.startswith("node ") or "--insecure" not in said
