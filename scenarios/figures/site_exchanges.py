"""The workload that link activity shows: messages and replies, their mean lengths and rates.

It does not tell how lengths are spread, nor how many messages a conversation has under way; what is
assumed of these is said.
"""

from collections.abc import Iterator
from math import log
from typing import Final

from msgspec import Struct

from isfc.errors import ConfigurationError
from isfc.errors.in_words import exact, number
from isfc.link.message import Traffic
from isfc.link.package import BLOCK_HEADER_LENGTH, BLOCK_LENGTH, MESSAGE_HEADER_LENGTH
from isfc.site.measurement import FilePlace, LinkFigures, WayFigures
from scenarios.runs.workload import (
    ACKNOWLEDGEMENT_LENGTH,
    ANSWER_AREA_LENGTH,
    SUITES,
    TRANSPORT_WINDOW,
    Workload,
    find_workload,
    free_workload,
)

_EXCHANGE_RATIO: Final = 0.9
"""Messages back per message forth, from which on there is one reply for each."""

_ACKNOWLEDGED: Final = 1.5
"""Messages forth for each back, from which on each reply is acknowledged: two, but for noise."""

_SAME_LENGTH: Final = 0.05
"""How far mean lengths may be off those of a published workload to be taken for it, as a logarithm.
Chosen: figures of three digits, and a few more percent of noise."""

_LENGTHS_DIFFER: Final = 0.1
"""Share by which a message's mean length may be off what ran. Chosen: figures have three digits."""


class QuietLink(ConfigurationError):
    """Nothing went over the link that a workload can be inferred from."""


def ways(link: LinkFigures, *, clients_here: bool) -> tuple[WayFigures, WayFigures]:
    """What clients send, and what comes back."""
    return (link.written, link.read) if clients_here else (link.read, link.written)


def workload_of(place: FilePlace, out: WayFigures, back: WayFigures) -> Workload:
    """Messages and replies of the mean lengths, or the published workload that has them.

    Raises `QuietLink` where no messages were sent.
    """
    if out.messages_per_s <= 0:
        raise QuietLink(f"{place}: no messages were sent: nothing says what ran")
    seen = exchanges(out, back)
    for suite in SUITES.values():
        means = ((seen.length, suite.mean_length), (seen.reply, suite.reply_length))
        if all(abs(log(ours / theirs)) < _SAME_LENGTH for ours, theirs in means):
            return suite
    return free_workload(f"{seen.length}:{seen.length}:0", seen.reply)


class Exchanges(Struct, frozen=True):
    """Exchanges a second, and the bytes of a message and its reply, as link activity has them."""

    per_s: float
    length: int
    reply: int


def exchanges(out: WayFigures, back: WayFigures) -> Exchanges:
    """Clients that have room for one reply acknowledge each, with a message that tells nothing."""
    reply = _payload(back.mb_per_s * 2**20 / back.messages_per_s) if back.messages_per_s else 1
    per_s, sent = out.messages_per_s, out.mb_per_s * 2**20
    if (
        (1 + _SAME_LENGTH) * TRANSPORT_WINDOW * reply > ANSWER_AREA_LENGTH
        and per_s > _ACKNOWLEDGED * back.messages_per_s
    ):
        acknowledged = per_s / 2
        per_s -= acknowledged
        headers = MESSAGE_HEADER_LENGTH + BLOCK_HEADER_LENGTH
        sent -= acknowledged * (ACKNOWLEDGEMENT_LENGTH + headers)
    return Exchanges(per_s, _payload(sent / per_s), reply)


def _payload(length: float) -> int:
    """The bytes of a message whose length with its headers is known."""
    without = length - MESSAGE_HEADER_LENGTH
    return max(1, round(without - BLOCK_HEADER_LENGTH * max(1.0, without / BLOCK_LENGTH)))


def assumed(out: WayFigures, back: WayFigures, workload: Workload) -> Iterator[str]:
    """What is not measured of the workload that is inferred, in words."""
    if workload.name in SUITES:
        yield f"lengths spread as those of {workload.name}, whose means they have"
    else:
        yield "all messages of the mean length; how lengths are spread is not measured"
    yield f"{workload.window} messages of a conversation under way, as in IBM's runs"
    ratio = back.messages_per_s / exchanges(out, back).per_s
    if not _EXCHANGE_RATIO <= ratio <= 1 / _EXCHANGE_RATIO:
        yield (
            f"one reply for each message, though {number(ratio, 2)} came back for each: the model "
            "has no other traffic"
        )


def other_lengths(
    workload: Workload, place: FilePlace, out: WayFigures, back: WayFigures
) -> Iterator[str]:
    """That messages were longer or shorter than those of what is said to have run."""
    if workload.traffic is not Traffic.TRANSPORT or not (out.messages_per_s and back.mb_per_s):
        return
    length = exchanges(out, back).length
    if abs(length / workload.mean_length - 1) > _LENGTHS_DIFFER:
        yield (
            f"{place}: link activity has messages of {exact(length)} bytes, and "
            f"those of {workload.name} have {number(workload.mean_length)}: was it another "
            "workload?"
        )


def find_ran(name: str) -> Workload:
    """A workload by its name: a published one, or ``MIN:MAX:PERCENT/REPLY``."""
    message, slash, reply = name.partition("/")
    if slash and reply.isascii() and reply.isdigit():
        return free_workload(message, int(reply))
    return find_workload(name)
