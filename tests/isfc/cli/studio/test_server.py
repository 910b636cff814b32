"""The server of the studio: who is answered, with what, and what is left when it ends."""

from collections.abc import Iterator

import pytest

from isfc.layout.catalogue import read_content
from tests.studio import RunningStudio, studio

TEXT = read_content("atlanta-boston")[0].decode()
ONE = read_content("published-1")[0].decode()


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
    seen = running.post("look", revision=7, text=TEXT, opened=TEXT, edit=change)
    assert seen["revision"] == 7
    assert "CTC ATLANTA 6000: from chpids 40-50 to 41-51" in seen["changes"]
    assert 'data-fibre="2"' in seen["drawing"]
    assert seen["layout"][0]["ctcs"][0] == {"fibre": "2", "rdevs": ["6000", "7000"]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({"revision": 1, "text": "nonsense", "opened": ""}, "layout: is not TOML"),
        ({"revision": 1}, "request: "),
        ({"revision": 1, "text": TEXT, "opened": "", "edit": {"do": "burn"}}, "edit: "),
        ({"revision": 1, "text": TEXT, "opened": "", "struck": ["1", "2"]}, "no CTC is left"),
    ],
)
def test_what_is_wrong_is_said(
    running: RunningStudio, body: dict[str, object], complaint: str
) -> None:
    assert complaint in running.post("look", **body)["error"]


@pytest.mark.slow
def test_judgement_comes_with_its_revision_and_is_kept(running: RunningStudio) -> None:
    first = running.post("judge", revision=3, text=ONE, opened=ONE, pairs=2)
    assert {record["revision"] for record in first} == {3}
    assert first[-1]["done"]
    assert "…" not in first[-2]["capacity"]
    again = running.post("judge", revision=4, text=ONE, opened=ONE, pairs=2)
    assert again == [{"revision": 4, "done": True}]


@pytest.mark.slow
def test_report_is_made_with_progress_and_is_a_whole_page(running: RunningStudio) -> None:
    *progress, last = running.post("report", text=ONE)
    assert progress
    assert all(record["doing"] for record in progress)
    assert last["page"].startswith("<!DOCTYPE html>")
    assert last["page"].rstrip().endswith("</html>")


@pytest.mark.slow
def test_nothing_is_left_a_second_after_ctrl_c() -> None:
    """The best of three: other work of the machine is not the command's."""
    took = []
    for _ in range(3):
        with studio("published-16") as ended:
            assert ended.request("GET", "")[0] == 200
            ended.post("judge", revision=1, text=ONE, opened=ONE, pairs=1)
            assert len(ended.processes()) > 1
            took.append(ended.end())
        if took[-1] < 1:
            break
    assert min(took) < 1
