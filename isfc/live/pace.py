"""How fast a live node goes: as fast as the machine, or as the model says, K times slower."""

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import Any, Final

from msgspec import structs

from ctc.profiles import ChpidProfile
from isfc.link.parameters import LinkParameters
from isfc.system.definition import LinkEndDefinition

_KEPT: Final = frozenset({"mih_ns"})
"""A time that is not the model's: how long a lost interrupt is waited for."""


SHORT_LENGTH: Final = 4_096
"""Bytes of a message that is confirmed together with what a program answers; of a longer one its
sender is to hear as soon as it is read. See `isfc.live.engine.LiveEngine.hold`."""


def unpaced(definition: LinkEndDefinition) -> LinkEndDefinition:
    """The same node with nothing taking any time but what the machine itself takes.

    What decides rather than lasts stays: limits, when a further CTC is opened, who goes first. But
    a short message alone in its package, which may be confirmed late, keeps nothing waiting. And
    what waits is not shared among the CTCs that are free: to a machine a package costs what a byte
    does not.
    """
    ctcs = tuple(
        replace(ctc, profile=structs.replace(ctc.profile, **_no_times(ctc.profile)), way_ns=0)
        for ctc in definition.ctcs
    )
    times = _no_times(definition.parameters) | {"share_length": 0}
    parameters = replace(definition.parameters, open_single_length=SHORT_LENGTH, **times)
    return replace(definition, ctcs=ctcs, parameters=parameters)


def _no_times(given: LinkParameters | ChpidProfile) -> dict[str, Any]:
    """Each time of it as 0."""
    names: Iterable[str] = (
        given.__struct_fields__
        if isinstance(given, ChpidProfile)
        else [part.name for part in fields(given)]
    )
    return {name: type(getattr(given, name))(0) for name in names if _is_time(name)}


def _is_time(name: str) -> bool:
    """The unit stands last in the name: ns, or ns or the link's bits per byte or CCW."""
    units = ("_ns_per_", "_bits_per_")
    return name not in _KEPT and (name.endswith("_ns") or any(unit in name for unit in units))
