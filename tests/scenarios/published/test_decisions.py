"""Decision accuracy: directions, ratios and regret of pairs of published rows."""

import pytest

from scenarios.published.catalogue import load_table
from scenarios.published.decisions import CHOICES, decide, most_ctcs, outliers, regret, rule_figures

TRANSPORT = load_table("transport")
IBM = {row.key: row.number("mb_per_s") for row in TRANSPORT.rows}
LAYOUTS = CHOICES[0]


def test_ibms_own_figures_are_right_in_every_choice() -> None:
    made = decide(LAYOUTS, TRANSPORT, IBM)
    assert (made.count, made.worst, made.share(0.03)) == (300, 0, 1)
    assert regret(TRANSPORT, IBM).worst == 0


def test_a_model_that_is_wrong_by_one_factor_everywhere_has_every_ratio_right() -> None:
    assert decide(LAYOUTS, TRANSPORT, {key: 3 * ibm for key, ibm in IBM.items()}).worst < 1e-12


def test_upside_down_figures_have_every_direction_wrong() -> None:
    made = decide(LAYOUTS, TRANSPORT, {key: 1 / ibm for key, ibm in IBM.items()})
    assert made.share(0.03) == 0


def test_a_flat_prediction_has_no_direction_right() -> None:
    assert decide(LAYOUTS, TRANSPORT, dict.fromkeys(IBM, 1.0)).share(0.03) == 0


def test_an_error_of_a_ratio_does_not_depend_on_which_row_is_first() -> None:
    slow, fast = dict(IBM), dict(IBM)
    slow["HL/4/50"] /= 2
    fast["HL/4/50"] *= 2
    worst = [decide(LAYOUTS, TRANSPORT, each).worst for each in (slow, fast)]
    assert worst == pytest.approx([1, 1])


@pytest.mark.parametrize("column", ["rdevs", "pairs", "suite"])
def test_pairs_differ_in_one_thing_alone(column: str) -> None:
    choice = next(c for c in CHOICES if (c.table, c.column) == ("transport", column))
    rows = {row.key: row for row in TRANSPORT.rows}
    for a, b in choice.pairs(TRANSPORT):
        differing = [c for c in TRANSPORT.key if rows[a].columns[c] != rows[b].columns[c]]
        assert differing == [column]


def test_of_links_that_are_liked_alike_the_smaller_is_taken() -> None:
    assert regret(TRANSPORT, dict.fromkeys(IBM, 0.0)).worst_at.split("/")[1] == "1"


def test_the_rule_of_thumb_prefers_more_ctcs() -> None:
    assert regret(TRANSPORT, rule_figures(TRANSPORT)) == regret(TRANSPORT, most_ctcs(TRANSPORT))


def test_rows_stand_out_that_are_above_the_links_on_both_sides() -> None:
    assert outliers(TRANSPORT) == {"HL/12/1", "HM/14/50", "HM/14/100"}


def test_regret_without_a_row_neither_takes_it_nor_misses_it() -> None:
    most = regret(TRANSPORT, most_ctcs(TRANSPORT), without=outliers(TRANSPORT))
    assert (most.worst_at, round(most.worst, 3)) == ("HY/16/100", 0.042)
    liked = IBM | {"HM/14/50": 1e9}
    assert regret(TRANSPORT, liked, without={"HM/14/50"}).worst == 0
