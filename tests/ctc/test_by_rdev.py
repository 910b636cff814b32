"""Items are found by RDEV, those that share their last two digits as well."""

import pytest

from ctc.address import ByRdev, Rdev

RDEVS = [Rdev(number) for number in (0x0000, 0x00FF, 0xD000, 0xD00F, 0xE00F, 0xFFFF)]


def test_each_item_is_found() -> None:
    items = ByRdev({rdev: f"{rdev:04X}" for rdev in RDEVS})
    assert [items[rdev] for rdev in RDEVS] == ["0000", "00FF", "D000", "D00F", "E00F", "FFFF"]
    assert [items.get(rdev, "") for rdev in RDEVS] == [items[rdev] for rdev in RDEVS]


@pytest.mark.parametrize("number", [0xC000, 0xD001, 0x0001])
def test_unknown_number_has_no_item(number: int) -> None:
    items = ByRdev(dict.fromkeys(RDEVS, 1))
    with pytest.raises(KeyError):
        items[Rdev(number)]
    assert items.get(Rdev(number), 2) == 2
