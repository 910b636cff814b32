"""How far figures differ from seed to seed, as tables."""

import pytest

from isfc.cli.output.streams import show
from isfc.cli.replay.verdict import replay_spreads
from scenarios.published.companion import load_table


def test_spread_of_a_replay(capsys: pytest.CaptureFixture[str]) -> None:
    spreads = {
        ("transport", "HL/4/1", "mb_per_s"): 0.5,
        ("transport", "HL/4/5", "mb_per_s"): 2.5,
        ("transport", "HL/8/5", "mb_per_s"): 1.0,
        ("transport", "HL/8/5", "collisions_per_s"): None,
        ("appc_scaling", "1/1/1", "msgs_per_s"): 3.0,
        ("elsewhere", "1/1/1", "mb_per_s"): 9.0,
    }
    show(replay_spreads([load_table("transport"), load_table("appc_scaling")], spreads))
    assert capsys.readouterr().out.splitlines() == [
        "spread of seeds  table         figures  median  worst  at",
        "MB/s both ways   transport           3   1.0 %  2.5 %  HL/4/5",
        "messages/s       appc_scaling        1   3.0 %  3.0 %  1/1/1",
    ]
