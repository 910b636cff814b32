"""docs/json.md has every key of ``isfc io size --json`` and ``isfc io plan --json``."""

from isfc.cli.io.plan import io_plan_record
from isfc.cli.io.size import sizing_record
from isfc.io.advice import advise
from isfc.io.bandwidth import Ceiling
from isfc.io.configuration_file import read_io_configuration
from isfc.io.mix import IoLoad, Mix, Room
from isfc.io.plan import make_io_plan
from isfc.io.sizing import Guidelines, size
from tests.test_readme import assert_keys
from tools.pages import console


def test_io_size_keys() -> None:
    room = Room(1, Ceiling("fanout", 40_000, 50_000))
    mix = Mix("mix", (IoLoad("load", 1000, 4096),), rooms=(room,))
    sizing = size(mix, 30, Guidelines())
    assert_keys("io size", {"growth_percent": 30, "mixes": [sizing_record(sizing)]})


def test_io_plan_keys() -> None:
    configuration = read_io_configuration(console.PROJECT / "docs" / "io" / "every-kind.toml")
    found = make_io_plan(configuration)
    assert advise(found)
    assert_keys("io plan", io_plan_record(found, advise(found)))
