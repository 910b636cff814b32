"""Both ends of a link in one interval go together, whatever their time zones."""

from dataclasses import replace

import pytest
from msgspec import structs

from ctc.address import Rdev
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.site.measurement import DeviceFigures, FilePlace, LinkFigures, Measurement, WayFigures
from isfc.site.seen import seen_intervals, seen_link, zone_seconds

LAYOUT = load_layout("atlanta-boston")
HERE = FilePlace("page.txt", 7)
BUSY = WayFigures(300.0, 3000.0, 400.0, 786_432.0, 7.5)
BACK = WayFigures(20.0, 3000.0, 200.0, 104_858.0, 15.0)


def page(system: str, rdev: int, end: str | None, zone: str | None = None) -> Measurement:
    """A page with a row."""
    return Measurement(
        system,
        None,
        end,
        HERE,
        zone,
        devices=(DeviceFigures(Rdev(rdev), 60.0, 0.5, 1.9, 13.4, 15.8, 98.0, HERE),),
    )


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        (("10:00:00", None), ("10:00:03", None), True),
        (("10:00:00", None), ("10:01:00", None), False),
        (("2026-11-25T10:00:00", "+02:00"), ("2026-11-25T08:00:00", "UTC"), True),
        (("2026-11-25T10:00:00", "+02:00"), ("2026-11-25T10:00:00", "-05:00"), False),
        (("2026-11-25T00:30:00", "+01:00"), ("2026-11-24T18:30:00", "-05:00"), True),
        ((None, None), (None, None), True),
        ((None, None), ("10:00:00", None), False),
    ],
)
def test_intervals_that_end_together_are_one(
    one: tuple[str | None, str | None], other: tuple[str | None, str | None], together: bool
) -> None:
    found = seen_intervals(LAYOUT, [page("ATLANTA", 0x6000, *one), page("BOSTON", 0x7000, *other)])
    assert [len(each.ends) for each in found] == ([2] if together else [1, 1])


def test_two_pages_of_one_end_are_two_intervals() -> None:
    pages = [page("ATLANTA", 0x6000, "10:00:00"), page("ATLANTA", 0x6001, "10:00:02")]
    assert len(seen_intervals(LAYOUT, pages)) == 2


@pytest.mark.parametrize(("zone", "seconds"), [(None, 0), ("UTC", 0), ("-05:30", -19_800)])
def test_a_zone_is_so_far_ahead_of_utc(zone: str | None, seconds: int) -> None:
    assert zone_seconds(zone) == seconds


def test_ends_that_do_not_agree_are_told() -> None:
    here = replace(
        page("ATLANTA", 0x6000, None), links=(LinkFigures(None, 0, 0, BUSY, BACK, HERE),)
    )
    there = replace(
        page("BOSTON", 0x7000, None), links=(LinkFigures(None, 0, 0, BACK, BUSY, HERE),)
    )
    (agreed,) = seen_intervals(LAYOUT, [here, there])
    assert not any("different intervals" in note for note in agreed.notes())
    less = replace(there.links[0], read=structs.replace(BUSY, mb_per_s=200.0))
    (unlike,) = seen_intervals(LAYOUT, [here, replace(there, links=(less,))])
    assert "one end wrote 300.0 MB/s, the other read 200.0: these may be different intervals" in (
        unlike.notes()
    )
    assert any(note.startswith("BOSTON: of the link, but without a row") for note in agreed.notes())


def test_of_several_links_that_to_the_partner_is_taken() -> None:
    links = tuple(
        LinkFigures(name, 0, 0, way, BACK, HERE) for name, way in (("X", BACK), ("BOSTON", BUSY))
    )
    one = replace(page("ATLANTA", 0x6000, None), links=links)
    (kept,) = seen_link(LAYOUT, one).measurement.links
    assert kept.written == BUSY
    strange = replace(one, links=tuple(replace(link, partner="X") for link in links))
    with pytest.raises(ConfigurationError, match="activity of 2 links"):
        seen_link(LAYOUT, strange)
