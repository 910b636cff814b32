"""A site's console logs: one for each system, what they show of its CTCs, and which are Down."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from isfc.deck.console import LinkedDevice, parse_log
from isfc.deck.imported import NamedText
from isfc.deck.whose import by_system
from isfc.layout.collection import Collection
from isfc.layout.layout import CtcPair
from isfc.link.name import NodeName

_TIME: Final = re.compile(r"^ *(\d\d/\d\d/\d\d +)?(\d\d:\d\d:\d\d)\b", re.MULTILINE | re.ASCII)
"""In front of a line; with the day only in the log of the programmable operator."""


class SystemConsole(Struct, frozen=True, eq=False):
    """A log and what it shows: each device, and the system that shows it if the log tells that."""

    log: NamedText
    shown: tuple[tuple[NodeName | None, LinkedDevice], ...]

    @property
    def devices(self) -> list[LinkedDevice]:
        """All devices, of whichever systems answer there."""
        return [device for _, device in self.shown]

    @property
    def systems(self) -> list[NodeName]:
        """The systems that are named, which answer or are at the other ends."""
        each = (name for owner, device in self.shown for name in (owner, device.partner))
        return [*dict.fromkeys(filter(None, each))]

    @property
    def last(self) -> tuple[str, str]:
        """The day and the time of its last line that has one; empty where none has."""
        found = _TIME.findall(self.log)
        return found[-1] if found else ("", "")

    def views(self, links: Collection | None) -> set[tuple[NodeName, NodeName]]:
        """Whose it is, and what that leads to: by the log itself, or by the links."""
        return {
            (near, device.partner)
            for owner, device in self.shown
            for near in ([owner] if owner else [each for each, _, _ in ends(links, device)])
        }

    def repeats(self, other: "SystemConsole", links: Collection | None) -> bool:
        """Whether both show one system's CTCs to the same other."""
        same = {(each.rdev, each.far) for each in self.devices}
        same &= {(each.rdev, each.far) for each in other.devices}
        return bool(same or self.views(links) & other.views(links))


def read_console(log: NamedText) -> SystemConsole:
    """What a log shows. Raises `ConfigurationError` as `parse_log` does."""
    shown = [
        (owner, device)
        for owner, text in by_system(log, log.file, log.node).items()
        for device in parse_log(text, log.file, needs_devices=False).devices.values()
    ]
    return SystemConsole(log, tuple(shown))


def of_each_system(
    consoles: Sequence[SystemConsole], links: Collection | None
) -> tuple[list[SystemConsole], list[str], list[str]]:
    """Those that count: of one system the later; what their times say, and what none does."""
    kept: list[SystemConsole] = []
    by_time, untold = list[str](), list[str]()
    for new in consoles:
        for old in [each for each in kept if each.repeats(new, links)]:
            (day, time), (new_day, new_time) = old.last, new.last
            both = f"{old.log.file} and {new.log.file} are of one system"
            is_told = time and new_time and bool(day) == bool(new_day)
            if not is_told or (day, time) == (new_day, new_time):
                kept.remove(old)
                untold.append(
                    f"{both}, and no times tell which is later: the last that is given counts, "
                    f"and {old.log.file} is left out"
                )
                continue
            gone = new if (day, time) > (new_day, new_time) else old
            a_day = "" if day else ", if they are of one day"
            by_time.append(
                f"{both}: the later counts{a_day}, and {gone.log.file} is left out, which ends at "
                f"{''.join(gone.last)}."
            )
            if gone is new:
                break
            kept.remove(old)
        else:
            kept.append(new)
    return kept, by_time, untold


def ends(links: Collection | None, device: LinkedDevice) -> Iterator[tuple[NodeName, str, CtcPair]]:
    """The CTCs that may be one that a console shows, with its near end, and its link."""
    for link in links.links if links else ():
        for ctc in link.ctcs:
            for end, partner in enumerate(link.nodes[::-1]):
                near, far = ctc.rdevs[end], ctc.rdevs[1 - end]
                is_far = device.partner_rdev in (None, far)
                if (partner, near) == (device.partner, device.rdev) and is_far:
                    yield link.nodes[end], link.name, ctc


def down(links: Collection, consoles: Sequence[SystemConsole]) -> set[tuple[str, CtcPair]]:
    """The CTCs that some console shows Down, each with its link."""
    return {
        (link, ctc)
        for console in consoles
        for owner, device in console.shown
        if device.is_down
        for near, link, ctc in ends(links, device)
        if owner in (None, near)
    }
