"""Who is told what happens at an engine's link ends: the same for both engines."""

from collections.abc import Callable
from typing import TypeVar

from isfc.system.link_end import LinkEnd

_Event = TypeVar("_Event", contravariant=True)

Listener = Callable[[LinkEnd, _Event, int], None]
"""Told at which link end something has happened, what, and when (ns); before the program is.

A listener looks, and changes nothing.
"""
