"""The server of the studio: who is answered, with what, and what is left when it ends."""

import os
import re
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

import isfc
from isfc.cli.studio.panels import report
from isfc.cli.studio.tasks import Subject
from isfc.layout.catalogue import read_content
from scenarios.figures import changed
from scenarios.figures.changed import after_losses
from scenarios.search import report_runs
from tests.isfc.cli.studio.holding import At, Holding
from tests.lengthy import few_in_every_run
from tests.studio import RunningStudio, studio
from tests.waiting import wait_for

TEXT = read_content("atlanta-boston")[0].decode()
ONE = read_content("published-1")[0].decode()
TEXT_16 = read_content("published-16")[0].decode()
DECK: Final = Path(__file__).parents[3] / "data" / "decks" / "cross-css.iocp"
AUDIT: Final = """
import os, sys

log = os.open(os.environ["AUDIT_LOG"], os.O_WRONLY | os.O_APPEND)


def note(event, arguments):
    if event == "open":
        name, _, flags = arguments
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and not isinstance(name, int):
            os.write(log, f"open {name}\\n".encode())
    elif event in ("socket.connect", "socket.sendto", "socket.getaddrinfo"):
        os.write(log, f"{event} {arguments[1]}\\n".encode())


os.write(log, b"started here\\n")
sys.addaudithook(note)
"""
"""Put into every process by Python itself: an audit hook that notes what is written or asked."""


@pytest.fixture(scope="module")
def running() -> Iterator[RunningStudio]:
    with studio("atlanta-boston") as found:
        yield found


@pytest.mark.slow
def test_answers_have_a_policy_that_lets_nothing_be_loaded_from_elsewhere(
    running: RunningStudio,
) -> None:
    status, headers, content = running.request("GET", "")
    assert status == 200
    assert "ATLANTA" in content
    policy = dict(part.split(maxsplit=1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["connect-src"] == policy["style-src"] == "'self'"
    assert headers["cache-control"] == "no-store"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("", {"Host": "studio.example:80"}, 421),
        ("", {"Origin": "http://studio.example"}, 403),
        ("/", {}, 404),
        ("/look", {}, 404),
        ("/wrong-token/look", {}, 404),
        ("nothing", {}, 404),
        ("../studio.js", {}, 404),
    ],
)
def test_strangers_are_refused(
    running: RunningStudio, path: str, headers: dict[str, str], status: int
) -> None:
    assert running.request("GET", path, headers=headers)[0] == status


@pytest.mark.slow
def test_request_that_is_too_long_is_refused(running: RunningStudio) -> None:
    headers = {"Content-Length": str(2**30)}
    assert running.request("POST", "look", headers=headers)[0] == 413


@pytest.mark.slow
def test_look_has_the_layout_after_an_edit(running: RunningStudio) -> None:
    change = {"do": "move", "link": "ATLANTA-BOSTON", "rdev": "6000", "fibre": "2"}
    seen = running.post("look", text=TEXT, opened=TEXT, edit=change)
    shown = seen["sections"]
    assert "CTC ATLANTA 6000: from chpids 40-50 to 41-51" in shown["changes"]
    assert 'data-fibre="2"' in shown["drawing"]
    # what the rules say is there before any model has run
    assert "The device list, numbered in each node" in shown["capacity"]
    assert 'class="info"' in shown["findings"] or 'class="warning"' in shown["findings"]
    assert "<strong>Worst loss:</strong> chpid 4" in shown["worst"]
    assert "The model is at work." in shown["answer"]
    ctc = isfc.parse_layout(seen["now"]["text"]).device_list()[0]
    assert (ctc.fibre.name, ctc.rdevs) == ("2", (0x6000, 0x7000))
    again = running.post("look", text="", address=seen["address"])
    assert again["now"] == seen["now"]
    assert "kept by isfc" in again["sections"]["source"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"text": "nonsense", "opened": ""}, "layout: is not TOML"),
        ({}, "request: "),
        ({"text": TEXT, "pairs": 0}, "request: "),
        ({"text": "", "address": "AAAA"}, "the address: what follows the # is no layout"),
        ({"text": TEXT, "opened": "", "edit": {"do": "burn"}}, "edit: "),
        ({"text": TEXT, "opened": "", "struck": ["1", "2"]}, "no CTC is left"),
    ],
)
def test_what_is_wrong_is_said(
    running: RunningStudio, body: dict[str, object], complaint: str
) -> None:
    assert complaint in running.post("look", **body)["error"]


@pytest.mark.slow
def test_judgement_is_kept(running: RunningStudio) -> None:
    first = running.post("judge", text=ONE, opened=ONE, pairs=2)
    assert first[-1]["done"]
    assert "Limited by:" in first[-2]["sections"]["capacity"]
    assert "saturated" not in first[0]["sections"]["capacity"]
    again = running.post("judge", text=ONE, opened=ONE, pairs=2)
    assert again == [first[-2], {"done": True}]


@pytest.mark.slow
@pytest.mark.at_length
def test_report_is_made_with_progress_and_is_a_whole_page(
    running: RunningStudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is made here, of short runs; the server is asked for one that cannot be."""
    monkeypatch.setattr(report_runs, "PAIRS", (1,))
    monkeypatch.setattr(sys, "stdin", sys.stdin)
    monkeypatch.setattr(changed, "after_losses", lambda *lost: after_losses(*lost[:2]))
    monkeypatch.setattr(changed, "try_advice", lambda *_: {})
    told: list[dict[str, str]] = []
    last = report(told.append, Subject(TEXT, frozenset(["2"])))
    assert sum("said" in record for record in told) >= 4
    assert isinstance(last, dict)
    page = last["save"]["content"]
    assert page.startswith("<!DOCTYPE html>")
    assert page.rstrip().endswith("</html>")
    assert "41" not in re.findall(r"chpid ([0-9A-F]{2})", page)  # fibre 2 is struck out
    (refused,) = running.post("download", what="report.html", text=TEXT, struck=["1", "2"])
    assert refused == {"error": "no CTC is left: the link is down"}


@pytest.mark.slow
def test_nothing_is_left_soon_after_ctrl_c(tmp_path: Path) -> None:
    """With computations under way; a fraction of a second where nothing else is done."""
    holding = Holding(tmp_path)
    with (
        studio("published-16", environment=holding.environment) as ended,
        ThreadPoolExecutor(1) as asking,
    ):
        ended.post("look", text=ONE, opened=ONE)
        idle = ended.idle()
        holding.hold(At.BEGIN)
        asking.submit(ended.post, "judge", text=TEXT, opened=TEXT)
        wait_for(lambda: len(ended.processes()) >= len(idle) + 2, "two computations")
        assert ended.end() < 10


@pytest.mark.slow
def test_folder_for_temporary_files_may_have_a_long_name(tmp_path: Path) -> None:
    long = tmp_path / ("temporary" * 12)
    long.mkdir()
    with studio("published-1", environment={"TMPDIR": str(long)}) as running:
        (told,) = running.post("panel", show="statements", text=ONE, system="CLIENT")
        assert ">ACTIVATE ISLINK" in told["html"]
        running.end()
    assert [*long.iterdir()] == []


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder with a short name."""
    with TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.parametrize("after_s", few_in_every_run([0.2, 0.0, 0.05, 0.4, 0.8]))
def test_ctrl_c_while_it_begins_leaves_nothing_and_says_nothing(home: Path, after_s: float) -> None:
    around, errors = {"TMPDIR": str(home)}, home / "errors"
    with (
        errors.open("w") as stderr,
        studio("published-1", environment=around, stderr=stderr.fileno()) as running,
    ):
        time.sleep(after_s)
        running.end()
        assert running.processes() == []
    assert errors.read_text() == ""
    assert [*home.iterdir()] == [errors]


@pytest.mark.slow
def test_ctrl_c_while_runs_go_on_leaves_no_folder(home: Path, tmp_path: Path) -> None:
    """A run, and losses by run, which has processes of its own: these wait."""
    holding = Holding(tmp_path)
    holding.hold(At.SHARED)
    around = {"TMPDIR": str(home), **holding.environment}
    with studio("published-16", environment=around) as running:
        idle = running.idle()
        long = {"way": "CLIENT-SERVER CLIENT", "workload": "HL", "pairs": 100}
        lose = {"show": "losses", "link": "CLIENT-SERVER", "rule": False}
        with ThreadPoolExecutor(2) as asking:
            asking.submit(running.post, "run", text=TEXT_16, seconds=600, **long)
            asking.submit(running.post, "panel", text=TEXT_16, **lose)
            wait_for(lambda: len(running.processes()) >= len(idle) + 4, "all computations")
            assert [*home.iterdir()] != []
            running.end()
    assert [*home.iterdir()] == []


@pytest.mark.slow
def test_nothing_is_written_and_nobody_else_is_asked(tmp_path: Path, home: Path) -> None:
    """Python's audit events of every process of the command.

    Python itself tries by a file whether it can write to the folder for temporary files. That it
    keeps what it has translated is not the studio's.
    """
    log, hooks = tmp_path / "log", tmp_path / "hooks"
    log.touch()
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(AUDIT)
    around = {"HOME": home, "TMPDIR": home, "PYTHONPATH": hooks, "AUDIT_LOG": log}
    environment = {key: str(value) for key, value in around.items()}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    with studio("published-1", environment=environment) as audited:
        audited.post("look", text=ONE, opened=ONE)
        assert audited.post("judge", text=ONE, opened=ONE, pairs=1)[-1]["done"]
        run = {"way": "CLIENT-SERVER CLIENT", "workload": "HL"}
        assert "cells" in audited.post("run", text=ONE, pairs=1, seconds=0.1, **run)[-1]
        losses = {"show": "losses", "link": "CLIENT-SERVER"}
        assert "Worst:<" in audited.post("panel", text=ONE, **losses)[-1]["html"]
        statements = {"show": "statements", "system": "CLIENT"}
        assert ">ACTIVATE ISLINK" in audited.post("panel", text=ONE, **statements)[-1]["html"]
        deck = {"name": "one.iocp", "data": b64encode(DECK.read_bytes()).decode()}
        joined = {"partitions": ["ALPHA", "BETA"]}
        imported = audited.post("import", text="", files=[deck], said=joined)[-1]
        assert "Not paired" in imported["sections"]["remarks"]
        drawn = audited.post("download", what="layout.svg", text=ONE)[-1]
        assert drawn["save"]["content"].startswith("<svg")
        audited.end()
    said = [line.split(" ", 1) for line in log.read_text().splitlines()]
    assert {event for event, _ in said} >= {"started", "socket.connect"}
    written = [Path(name) for event, name in said if event == "open" and name != os.devnull]
    assert [path for path in written if not path.is_relative_to(home)] == []
    asked = [name for event, name in said if event.startswith("socket.")]
    assert [name for name in asked if not name.startswith(str(home))] == []
    assert list(home.rglob("*")) == []
