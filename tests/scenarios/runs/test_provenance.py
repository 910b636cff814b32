"""Where a result comes from: the layout, the version and the model's constants, or a site's."""

from dataclasses import replace
from typing import Any

import pytest

import isfc
from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_layout
from isfc.layout.site import SiteProfile
from isfc.link.parameters import LinkParameters
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.result import constants_digest, provenance
from scenarios.runs.workload import SUITES

EXPERIMENT = Experiment.of(load_layout("published-4"), SUITES["HL"], pairs=1)


def test_layout_itself_is_kept() -> None:
    found = provenance(EXPERIMENT, version="1.2", name="published-4")
    assert (found.version, found.layout) == ("1.2", "published-4")
    assert parse_layout(found.layout_toml.encode(), "kept") == EXPERIMENT.layout


def test_digests_change_with_the_layout_and_with_every_constant() -> None:
    other = EXPERIMENT.over(load_layout("published-8"))
    first, second = (provenance(each, version="1") for each in (EXPERIMENT, other))
    assert first.layout_digest != second.layout_digest
    assert first.constants == second.constants
    link, guests = LinkParameters(), GuestCosts()
    digests = {
        constants_digest(link, guests),
        constants_digest(replace(link, dispatch_ns=1), guests),
        constants_digest(link, replace(guests, client_ns=1)),
    }
    assert len(digests) == 3


MODEL = constants_digest(LinkParameters(), GuestCosts())
SLOW = SiteProfile("slow", {"transfer": 3.0}, ("FICON Express2",), 1, MODEL)


def test_layout_at_a_site_is_run_as_with_its_profile() -> None:
    layout = isfc.load_layout("published-1")
    length: Any = {"pairs": 1, "seconds": 0.01, "warmup": 0.01}
    own = isfc.simulate(layout, "HS", profile=SLOW, **length)
    assert isfc.simulate(isfc.at_site(layout, SLOW), "HS", **length).rows() == own.rows()
    assert isfc.simulate(layout, "HS", **length).rows() != own.rows()
    guest = isfc.GuestMemory(size=2**20, touched=2**20)
    moved = isfc.relocate(isfc.at_site("published-1", SLOW), guest)
    assert moved.seconds.value > isfc.relocate("published-1", guest).seconds.value


def test_profile_of_another_model_is_refused() -> None:
    with pytest.raises(isfc.ConfigurationError, match=r"^old: model .x.: "):
        isfc.at_site("published-1", SiteProfile("old", {}, (), 1, "x"))
