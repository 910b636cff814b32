"""A measurement held against a layout: which end it is of, and which rows are of the link."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ctc.address import Rdev, format_rdev
from isfc.errors import ConfigurationError
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.measured.measurement import Measurement


@dataclass(frozen=True, slots=True)
class SeenLink:
    """What one end of a layout's link showed in an interval.

    ``others`` are RDEVs with a row that are not of the link, ``silent`` those of the link without.
    """

    node: NodeName
    measurement: Measurement
    others: tuple[Rdev, ...]
    silent: tuple[Rdev, ...]

    def notes(self) -> list[str]:
        """What of it is left out or missing, in words."""
        found = []
        if self.others:
            found.append(f"left out, as they are not of the link: {_listed(self.others)}")
        if self.silent and self.measurement.devices:
            found.append(f"of the link, but without a row: {_listed(self.silent)}")
        return found


def _listed(rdevs: Sequence[Rdev]) -> str:
    shown = ", ".join(map(format_rdev, rdevs[:8]))
    return shown + (f" and {len(rdevs) - 8} more" if len(rdevs) > 8 else "")


def see(layout: Layout, measurement: Measurement) -> SeenLink:
    """The rows of the link, at the end that the measurement is of.

    Raises `ConfigurationError` if it is of neither end, of both, or nobody says of which.
    """
    node = _end(layout, measurement)
    own = {device.rdev for device in layout.devices(node)}
    kept = tuple(each for each in measurement.devices if each.rdev in own)
    if measurement.devices and not kept:
        shown = _listed([each.rdev for each in measurement.devices])
        raise ConfigurationError(
            f"{measurement.place}: no RDEV of {node} in this layout ({shown}); "
            f"expected some of {_listed(sorted(own))}"
        )
    present = {each.rdev for each in kept}
    return SeenLink(
        node,
        replace(measurement, system=node, devices=kept),
        tuple(each.rdev for each in measurement.devices if each.rdev not in own),
        tuple(sorted(own - present)),
    )


def _end(layout: Layout, measurement: Measurement) -> NodeName:
    first, second = layout.nodes
    rdevs = {each.rdev for each in measurement.devices}
    ends = {node: {device.rdev for device in layout.devices(node)} for node in layout.nodes}
    said = (measurement.system or "").upper()
    if said in layout.nodes:
        node = NodeName(said)
        other = second if node == first else first
        strange = rdevs - ends[node]
        if strange & ends[other] and not rdevs & ends[node]:
            raise ConfigurationError(
                f"{measurement.place}: a page of {node} with RDEVs of {other} "
                f"({_listed(sorted(strange & ends[other]))}); expected those of {node}: "
                "are the two systems mixed up? --system says which it is"
            )
        if strange & (ends[other] - ends[node]):
            raise ConfigurationError(
                f"{measurement.place}: RDEVs of {first} and of {second} on one page; "
                "expected one system's: split it"
            )
        return node
    if said:
        raise ConfigurationError(
            f"{measurement.place}: is of {said}, and the layout joins {first} and {second}; "
            "say with --system which of them it is"
        )
    matches = [node for node in layout.nodes if rdevs & ends[node]]
    if ends[first] & ends[second] or len(matches) != 1:
        what = (
            "nothing there says" if not rdevs or ends[first] & ends[second] else "RDEVs do not say"
        )
        raise ConfigurationError(
            f"{measurement.place}: {what} of which system it is; "
            f"expected --system {first} or --system {second}"
        )
    return matches[0]
