"""Where a result comes from: what could explain that another one is different."""

from hashlib import sha256
from typing import Any, Final

from ctc.profiles import FEATURES
from isfc.layout.write import format_layout
from isfc.link.parameters import LinkParameters
from scenarios.runs.guests import GuestCosts
from scenarios.runs.run import Experiment

_DIGITS: Final = 12
"""Hexadecimal digits of a digest: enough to tell layouts and models apart."""


def provenance(
    experiment: Experiment, *, version: str, name: str | None = None, command: str | None = None
) -> dict[str, Any]:
    """What a result was made with, by isfc ``version``; ``name`` is what the layout was called."""
    layout = format_layout(experiment.layout)
    return {
        "version": version,
        "constants": constants_digest(experiment.link, experiment.guests),
        "layout": name,
        "layout_digest": _digest(layout),
        "layout_toml": layout,
        "command": command,
    }


def constants_digest(link: LinkParameters, guests: GuestCosts) -> str:
    """The same for two models if and only if all their constants are."""
    return _digest(repr((link, guests, FEATURES)))


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:_DIGITS]
