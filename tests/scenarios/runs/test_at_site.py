"""Layouts at a site: whatever takes a layout takes them."""

from typing import Any

import pytest

import isfc
from isfc.layout.site import SiteProfile
from isfc.link.parameters import LinkParameters
from scenarios.runs.guests import GuestCosts
from scenarios.runs.provenance import constants_digest

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
