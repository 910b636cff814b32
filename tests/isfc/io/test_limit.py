"""What limits I/Os is found, whatever it is: a configuration made so for each kind."""

import pytest

from isfc.answers.io_run import io_limited_by
from isfc.io.configuration import IoConfiguration
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.limit import IoLimit, IoResource, find_io_limit
from isfc.io.plan import make_io_plan
from tests.isfc.io.test_trunks import MIXED, tree


def limited(feature: str, io: str, far: str = "") -> IoConfiguration:
    """A configuration of one channel and one workload; the storage may be far."""
    path = f'path = "far"\n[path.far]\n{far}' if far else ""
    channel = f'[channel.40]\nfeature = "FICON {feature}"\n{path}'
    text = f'{channel}\n[[io]]\nname = "A"\nchannels = ["40"]\n{io}\n'
    return parse_io_configuration(text.encode(), "io.toml")


def found(configuration: IoConfiguration) -> IoLimit:
    limit = find_io_limit(configuration)
    assert limit is not None
    return limit


def io_per_s(configuration: IoConfiguration) -> float:
    return sum(each.io_per_s for each in make_io_plan(configuration).channels)


ONE = "block = 4096\noutstanding = 1"


@pytest.mark.parametrize(
    ("kind", "configuration"),
    [
        (IoResource.PROCESSOR, limited("Express16SA", "block = 4096")),
        (IoResource.LINE, limited("Express16SA", "blocks = 64")),
        (IoResource.BUS, limited("Express16S", "blocks = 64\nread_percent = 50")),
        (IoResource.TRUNK, tree(16, MIXED)),
        (IoResource.OUTSTANDING, limited("Express16SA", ONE)),
        (IoResource.RATE, limited("Express16SA", "block = 4096\nrate = 1000")),
    ],
)
def test_each_kind_of_limit_is_found(kind: IoResource, configuration: IoConfiguration) -> None:
    limit = found(configuration)
    assert kind in [each.resource for each in limit.by]
    assert limit.without_io_per_s > 1.05 * io_per_s(configuration)
    assert "most by" not in io_limited_by(limit)


@pytest.mark.parametrize(
    ("kind", "configuration"),
    [
        (IoResource.STORAGE, limited("Express16SA", f"{ONE}\ncache_hit_percent = 0")),
        (IoResource.DISTANCE, limited("Express16SA", ONE, "km = 100")),
        (IoResource.PROCESSOR, limited("Express16SA", "block = 4096")),
    ],
)
def test_what_makes_ios_take_long_is_found(
    kind: IoResource, configuration: IoConfiguration
) -> None:
    assert found(configuration).response[0].resource is kind


def test_of_two_that_are_full_neither_alone_is_said_to_limit() -> None:
    """Of Express8S both ways the bus is full, and the lines are nearly."""
    configuration = limited("Express8S", "blocks = 64\nread_percent = 50")
    limit = found(configuration)
    assert limit.without_io_per_s < 1.05 * io_per_s(configuration)
    assert "several things together, most by" in io_limited_by(limit)
