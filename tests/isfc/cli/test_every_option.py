"""No option is ignored: each changes what a command does, or is refused, in every kind of file.

`TABLE` has a row for every option of every command that takes a layout: how it is tried, with
others behind ``|`` that it needs, and what it then does in a file of one link, of one with
``[[traffic]]``, of several, and of several with ``[[traffic]]``: ``+`` changes what comes out,
``-`` is refused with its reason, ``=`` changes nothing and is not meant to: a seed where nothing is
drawn, the number of processes.
"""

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from isfc.cli.main import run
from isfc.cli.options.formats import AnswerPrinted
from isfc.cli.options.layout import DecksOptions
from isfc.cli.options.option import parameters_of
from isfc.cli.output.streams import ExitCode
from isfc.link.parameters import LinkParameters
from scenarios.figures import glance
from scenarios.figures.collide import CollisionTrial
from scenarios.moves import evacuation
from scenarios.runs.experiment import WARMUP
from scenarios.runs.guests import GuestCosts
from scenarios.runs.result import constants_digest
from scenarios.search.scoring import Scoring
from tests.isfc.cli.conftest import every_command, options_of

LINK: Final = """
[fibre.1]
feature = "FICON Express4"
chpid = { A = "40", B = "50" }
director = "1"
[fibre.2]
feature = "FICON Express2"
chpid = { A = "41", B = "51" }
director = "2"
[[ctc]]
fibre = "1"
rdevs = { A = "6000-6001", B = "7000-7001" }
[[ctc]]
fibre = "2"
rdevs = { A = "6010", B = "7010" }
"""
LINKS: Final = f"""
[[link]]
nodes = ["A", "B"]
[[link]]
nodes = ["A", "C"]
{LINK}
[fibre.3]
feature = "FICON Express4"
chpid = {{ A = "40", C = "60" }}
director = "1"
[fibre.4]
feature = "FICON Express2"
chpid = {{ A = "41", C = "61" }}
director = "2"
[[ctc]]
fibre = "3"
rdevs = {{ A = "6020-6021", C = "8000-8001" }}
[[ctc]]
fibre = "4"
rdevs = {{ A = "6030", C = "8010" }}
"""
TRAFFIC: Final = """
[[traffic]]
from = "A"
to = "B"
workload = "HM"
pairs = 3
"""
KINDS: Final = {
    "one": LINK,
    "one-traffic": LINK + TRAFFIC,
    "several": LINKS,
    "several-traffic": LINKS + TRAFFIC + TRAFFIC.replace('"B"', '"C"'),
}
FILES: Final = {
    "more.csv": "name,memory,change_rate\nG1,3M,0\n",
    "site.toml": 'name = "desert"\nfeatures = ["FICON Express4"]\nintervals = 3\n'
    f'model = "{constants_digest(LinkParameters(), GuestCosts())}"\n[factors]\n',
    "guests.csv": "name,memory,change_rate\nG1,1M,0\nG2,1M,0\n",
    "home.csv": "name,memory,change_rate,from\nG1,1M,0,A\nG2,1M,0,A\n",
    "orders.txt": "at 0.01s A: QUERY ISLINK\n",
    "faults.toml": '[[fault]]\nat = "5ms"\nfor = "5ms"\nkind = "chpid lost"\n'
    'chpid = "40"\nnode = "A"\n',
}
OWN: Final = {
    # words of a row that stand for others, by the kind of the file
    "LINK": {"several": "--link A-B", "several-traffic": "--link A-B"},
    "LOAD": {
        "one": "--workload HS --pairs 2",
        "several": "--link A-B --workload HS --pairs 2",
    },
    "TENANT": dict.fromkeys(KINDS, "--memory 1M --change-rate 0"),
}
TABLE: Final = """
plan FILE --rule
    --link A-C                                            --++
    --profile site.toml                                   ----
    --simulate                                            ----
    --notes                                               ++++
    --json                                                ++++
    --csv                                                 ++++
plan FILE
    --rule                                                ++++
    --why                                                 ++--
    --profile site.toml                                   ++++
    --lose                                                ++++
    --without 40                                          ++++
plan FILE --lose --rule
    --profile site.toml                                   ----
    --simulate                                            ----
export FILE --as activate
    --as toml                                             ++++
    --system A                                            ++++
    --system A | --as toml                                ----
    --ports A:40=C1                                       ----
    --scheme alike                                        ++++
    --first D000                                          ----
    --first D100 | --scheme alike                         ++++
    --output out                                          ++++
export FILE --as iocp --system B
    --ports A:40=C1,B:50=C2                               ++++
check FILE
    --format sarif                                        ++++
    --fail-on never                                       ++++
    --json                                                ++++
    --csv                                                 ++++
show FILE
    --link A-C                                            --++
    --output out.svg                                      ++++
    --connections                                         ++++
    --output out.svg | --connections                      ++++
    --csv                                                 ++++
    --json                                                ++++
run FILE LOAD --seconds 0.02 --warmup 0
    --link A-C                                            --++
    --profile site.toml                                   ++++
    --traffic A-B:HM:5                                    -+-+
    --workload HM                                         +-+-
    --pairs 7                                             +-+-
    --message 512:8192:90                                 ----
    --reply 77                                            ----
    --window 3                                            ----
    --seconds 0.03                                        ++++
    --warmup 0.01                                         ++++
    --seed 9                                              ++++
    --why                                                 +-+-
    --seeds 2                                             ++++
    --from B                                              +-+-
    --side B                                              +-+-
    --report link                                         ++++
    --interval 0.01                                       ----
    --interval 0.01 | --report link                       ++++
    --interval 0.01 | --report device                     ----
    --release 6.1                                         ----
    --cp orders.txt                                       ++++
    --trace out.json                                      ++++
    --faults faults.toml                                  ++++
    --fault-seed 3                                        ++++
    --plot out.svg                                        ++++
    --plot out.svg | --fault-seed 3                       ++++
    --plot out.svg | --report link                        ----
    --csv                                                 ++++
    --csv | --report link                                 ++++
    --json                                                ++++
run FILE LINK --message 512:8192:20 --reply 100 --pairs 2 --seconds 0.02 --warmup 0
    --message 512:8192:90                                 ++++
    --reply 77                                            ++++
    --window 3                                            ++++
    --workload HM                                         ----
relocate FILE LINK TENANT
    --link A-C                                            --++
    --profile site.toml                                   ++++
    --memory 2M                                           ++++
    --change-rate 10M                                     ++++
    --touched 500K                                        ++++
    --hot-set 100K                                        ----
    --write-rate 10M                                      ----
    --hot-set 100K --write-rate 10M                       ++++
    --like java                                           ----
    --from B                                              ++++
    --guests 2                                            ++++
    --together 2 | --guests 3                             ++++
    --background HS:5                                     ++++
    --quiesce 0.001 | --memory 100M --change-rate 100M    ++++
    --max-quiesce 0.0001                                  ----
    --max-quiesce 0.016 | --memory 100M --change-rate 300M  ++++
    --max-total 0.0001                                    ++++
    --immediate | --memory 300M --change-rate 200M        ++++
    --at "0.001 CANCEL GUEST"                             ++++
    --window 3                                            ++++
    --seed 5                                              ====
    --seed 5 | --background HS:5                          ++++
    --jobs 2 | --best --guests 2                          ====
    --best | --guests 2                                   ++++
    --csv                                                 ++++
    --json                                                ++++
evacuate FILE A --guests guests.csv
    --guests more.csv                                     ++++
    --together 2                                          ++++
    --quiet                                               -+-+
    --at "0.001 CANCEL G1"                                ++++
    --seed 5                                              =+=+
    --profile site.toml                                   ++++
    --jobs 2 | --best                                     ====
    --best                                                ++++
    --rolling | --guests home.csv                         ++++
    --rolling | --best                                    ----
    --csv                                                 ++++
    --json                                                ++++
collide FILE LINK --offer-out 40 --offer-in 40 --steps 1 --seconds 0.01 --seeds 1
    --link A-C                                            --++
    --offer-out 60                                        ++++
    --offer-in 60                                         ++++
    --steps 2                                             ++++
    --message 1000                                        ++++
    --seconds 0.02                                        ++++
    --seed 4                                              ++++
    --seeds 2                                             ++++
    --json                                                ++++
    --csv                                                 ++++
optimise FILE --runs 2 --seconds 0.01 --seeds 1
    --link A-C                                            --++
    --profile site.toml                                   ++++
    --ctcs 2                                              ++--
    --objective reverse                                   ++--
    --objective worst-link                                --++
    --traffic A-B:HM:5                                    --++
    --workload HM                                         ++++
    --pairs 9                                             ++++
    --seconds 0.02                                        ++++
    --runs 3                                              ++++
    --seeds 2                                             ++++
    --fixed 6000                                          ++--
    --output out.toml                                     ++++
    --plot out.svg                                        ++++
    --jobs 2                                              ====
    --json                                                ++++
    --csv                                                 ++++
optimise FILE LINK --runs 2 --seconds 0.01 --seeds 1 --objective forward --objective reverse
    --plot out.svg                                        ++++
"""

ELSEWHERE: Final = {
    # commands that take no layout, whose systems are live, or that make a page; where they are
    # tested: their options do not differ by the kind of the file
    "import iocp": "partitions ports feature config output json",
    "import dpm": "systems feature output json",
    "import islink": "chpids cec feature output json",
    "import config": "layout cec json output",
    "export": "",
    "new": "systems chpids ctcs feature rdevs schema output",
    "size": "mb-per-s lost feature km workload pairs systems machine output jobs csv json",
    "report": "link output workload decide window leave feature cec ran profile json",
    "studio": "port no-browser",
    "replay": "suite release reply rdevs pairs seconds seeds full report interval jobs plot html "
    "notes json csv table",
    "compare": "workload pairs link profile",
    "change": "partitions ports link rates reset try json",
    "measured read": "system zone ran records usable decimal-comma layout link output html notes "
    "csv json table",
    "measured compare": "link from system zone ran channels records usable decimal-comma profile "
    "tolerance plot",
    "measured fit": "link from system zone ran channels records usable decimal-comma output jobs "
    "anyway html notes csv json table",
    "loads": "link profile system zone records usable decimal-comma percentile period "
    "lost growth months move guests together from plot html jobs notes csv json table",
    "node": "link listen connect cert key ca insecure pace dilation strict workload pairs seconds "
    "warmup seed from verify reconnect forward journal metrics log-format log-level run-dir "
    "lifeline json",
    "cp": "run-dir json",
    "up": "link only lose restore end pace dilation strict workload pairs seconds warmup seed from "
    "verify reconnect forward journal metrics log-format log-level plain detach ready json",
    "ctce": "listen at link lines output layout pace commands trace interval timeline watch "
    "journal metrics seconds",
    "io plan": "",
    "io run": "seconds warmup seed",
    "io beside": "link pairs seconds warmup seed",
    "io size": "rmf interval block read-percent growth km processor-percent bus-percent "
    "sap-percent output",
    "io chart": "plot",
    "sweep": "profile store jobs cluster x y output plot",
    "journal show": "json",
    "journal replay": "",
}
QUICK: Final = ("plan FILE --rule", "export", "check", "show")
LONG: Final = [
    pytest.mark.timeout(900),  # some minutes of one processor: hundreds of runs
    pytest.mark.exhaustive,
    pytest.mark.slow,
]


class Row(NamedTuple):
    """A row of the table: the command, its option and what that needs, and what it does."""

    command: str
    option: str
    beside: str
    does: str

    def words(self, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The command without the option, in a kind of file, and the option."""

        def read(text: str) -> tuple[str, ...]:
            for name, by_kind in OWN.items():
                text = text.replace(name, by_kind.get(kind, ""))
            return tuple(shlex.split(text.replace("FILE", f"{kind}.toml")))

        return read(f"{self.command} {self.beside}"), read(self.option)


def rows() -> Iterator[Row]:
    command = ""
    for line in TABLE.strip().splitlines():
        if not line.startswith(" "):
            command = line
            continue
        text, does = line.rsplit(None, 1)
        option, _, beside = text.partition("|")
        yield Row(command, option.strip(), beside.strip(), does)


@pytest.mark.parametrize("command", every_command())
def test_every_option_has_its_row(command: str) -> None:
    options = options_of(command)
    rest = {*ELSEWHERE[command].split()} if command in ELSEWHERE else set[str]()
    tried = [row for row in rows() if row.command.startswith(f"{command} ")]
    words = {word for row in tried for word in f"{row.command} {row.option}".split()}
    rest |= {word.removeprefix("--") for word in words if word.startswith("--")}
    is_made = "table" in options  # which only these have
    made = {each.name for each in parameters_of(AnswerPrinted)} if is_made else {"force"}
    made |= {*DecksOptions.__struct_fields__}
    assert options - {"help", *made - rest} == rest


@pytest.fixture
def shortened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Files of every kind, and no long warm-ups."""
    monkeypatch.chdir(tmp_path)
    for name, text in {**{f"{kind}.toml": text for kind, text in KINDS.items()}, **FILES}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(evacuation, "WARMUP_NS", 2_000_000)
    monkeypatch.setattr(glance, "BEGIN_NS", 2_000_000)
    monkeypatch.setattr(glance, "LENGTH_NS", 10_000_000)
    for record in (Scoring, CollisionTrial):
        made: Any = record.__init__
        short = tuple(0.002 if value is WARMUP else value for value in made.__defaults__)
        monkeypatch.setattr(made, "__defaults__", short)


Outcome = tuple[int, str, dict[str, bytes]]


@pytest.fixture
def outcome(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., Outcome]:
    """Run a command: its exit code, what it prints, the files that it writes; each run once."""
    known: dict[tuple[str, ...], Outcome] = {}

    def found(*words: str) -> Outcome:
        if words not in known:
            for file in tmp_path.glob("out*"):
                file.unlink()
            code = run([*words])
            files = {file.name: file.read_bytes() for file in tmp_path.glob("out*")}
            known[words] = code, capfd.readouterr().out, files
        return known[words]

    return found


def marks_of(command: str) -> list[pytest.MarkDecorator]:
    """The default test runs what is quick, and `isfc run`; the long form all."""
    if command.startswith(QUICK):
        return []
    return [pytest.mark.slow, pytest.mark.at_length] if command.startswith("run") else LONG


@pytest.mark.usefixtures("shortened")
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(name, marks=marks_of(name))
        for name in dict.fromkeys(row.command for row in rows())
    ],
)
def test_no_option_is_ignored(command: str, outcome: Callable[..., Outcome]) -> None:
    wrong = []
    for row in rows():
        if row.command != command:
            continue
        for kind, does in zip(KINDS, row.does, strict=True):
            words, option = row.words(kind)
            before, after = outcome(*words), outcome(*words, *option)
            assert before[0] != ExitCode.BAD_INPUT, words
            found = "-" if after[0] == ExitCode.BAD_INPUT else "=+"[before != after]
            if found != does:
                wrong.append((row.option, row.beside, kind, found))
    assert not wrong
