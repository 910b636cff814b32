"""``isfc plan --lose``: what it prints, and that runs agree with what is left."""

import json
from pathlib import Path

import pytest

from isfc.answers.losses import losses_of
from isfc.cli.main import run
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.loss import losses
from scenarios.figures.changed import AfterLoss
from scenarios.figures.rates import Carried, EndRate
from scenarios.runs.experiment import STATED
from scenarios.runs.steady import SPREAD_SHARE, Rate
from tests.isfc.printed import Printed, Recorded, on_one_line

pytestmark = pytest.mark.at_length


def test_page_has_a_line_for_each_loss_and_one_for_ctcs_that_leave_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["plan", "published-12", "--lose", "--rule"]) == 0
    page, errors = capsys.readouterr()
    lines = page.splitlines()
    assert errors == ""
    assert max(map(len, lines)) <= 80
    assert "nothing 12 100 ~525".split() in map(str.split, lines)
    assert "chpid 42 (mate 52) 8 ~58 ~306".split() in map(str.split, lines)
    assert sum(line.startswith("CTC 60") for line in lines) == 2
    assert "CTC 6000 or one of 7 others 11 ~92 ~481".split() in map(str.split, lines)


def test_where_nothing_is_lost_no_loss_is_called_the_worst() -> None:
    """It said "Worst: chpid 40 (mate 50): 100 % is left"."""
    layout = load_layout("published-12")
    whole = Collection.of(layout)
    found = [*losses(whole)][:2]
    kept, *lefts = (
        Carried(links, STATED, {layout.name: (EndRate(Rate(rate)), EndRate(Rate(600.0)))})
        for links, rate in zip(
            (whole, *(loss.rest for loss in found)), (500, 499, 499.5), strict=True
        )
    )
    after = (AfterLoss(loss, left, kept) for loss, left in zip(found, lefts, strict=True))
    said = losses_of([AfterLoss(None, kept, kept), *after]).worst_line
    assert said.startswith(
        "no piece takes 1 % or more; without chpid 40 (mate 50) CLIENT 499 (445-560) and SERVER "
        "600 "
    )
    assert said.endswith(" MB/s one way, with 50 pairs of HL (long messages), each way by itself.")


@pytest.mark.full_length
def test_runs_stand_beside_the_rule(recorded: Recorded) -> None:
    whole, chpid, ctc = recorded("plan", "published-1", "--lose")["losses"]
    assert (whole["kind"], chpid["kind"], ctc["kind"]) == (None, "chpid", "ctc")
    for down in (chpid, ctc):
        assert down["ctcs_left"] == down["rate"]["value"] == 0
        assert down["cut"] == ["CLIENT-SERVER"]
        assert down["sent"] == {}
    sent = whole["sent"]["CLIENT-SERVER"]
    assert whole["rate"]["value"] == min(way["value"] for way in sent.values()) > 10
    for way in sent.values():
        assert 0 < way["spread"] <= SPREAD_SHARE * way["value"]
        low, high = way["range"]["likely"]
        assert low < way["value"] < high


def test_rule_that_was_not_published_for_so_fast_a_link_is_told(
    printed: Printed, tmp_path: Path
) -> None:
    told = "The rule of thumb was published up to 8 Gb/s"
    for feature, is_told in (("FICON Express8S", False), ("FICON Express16S", True)):
        file = tmp_path / "link.toml"
        file.write_text(
            f'[fibre.1]\nfeature = "{feature}"\nchpid = {{ A = "40", B = "50" }}\n'
            '[[ctc]]\nfibre = "1"\nrdevs = { A = "6000-6001", B = "7000-7001" }\n'
        )
        assert (told in printed("plan", str(file), "--lose", "--rule")) is is_told


def test_a_cec_of_several_links_leaves_the_others(recorded: Recorded) -> None:
    whole, left = recorded("plan", "two-cecs", "--without", "cec:east", "--rule")["losses"]
    assert left["untouched"] == ["DELTA-GAMMA"]
    assert (
        left["share"]["value"] == left["estimated_mb_per_s"] / whole["estimated_mb_per_s"] == 1 / 6
    )


def test_a_piece_of_other_links_takes_nothing_and_it_says_whose_it_is(printed: Printed) -> None:
    options = ["--link", "ALPHA-BETA", "--without", "gamma:50", "--rule", "--json"]
    found = json.loads(printed("plan", "two-cecs", *options))
    whole, without = found["losses"]
    assert without["estimated_mb_per_s"] == whole["estimated_mb_per_s"]
    (said,) = (note["text"] for note in found["notes"] if note["kind"] == "elsewhere")
    assert said.startswith("gamma:50 is part of ALPHA-DELTA, ALPHA-GAMMA, BETA-DELTA, ")


def test_pieces_without_a_row_are_named(printed: Printed) -> None:
    page = printed("plan", "two-cecs", "--lose", "--rule", "--notes")
    assert "--without': vary:ALPHA:40 and 15 more; port:1:04" in on_one_line(page)
