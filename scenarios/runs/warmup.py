"""The warm-up: how long a run goes on before anything is measured, where a user does not say.

A link starts with nothing under way, and what it does at first is not what it does later. Three
things are to be over: the clients' first messages, all of which wait at the same end at the same
time; packages that grow until they are as long as the backlog allows; and the order in which the
CTCs of a fibre write. That order takes longest. Two CTCs of one fibre may write in turn, so that
one sends while the other waits for its interrupt and its next package, and the fibre never rests;
or nearly at the same time, so that they share the line, and then both wait. They begin in turn,
and messages of two lengths push them out of it. On three Express4 with two CTCs each, saturated
with HL, that takes half a second, and costs 13 % of 870 MB/s.
"""

from typing import Final

WARMUP: Final = 1.0
"""Seconds of virtual time. Chosen: twice as long as that. Of 400 rates of drawn layouts the half
second after it is off by more than 3 % in two, and the half second that begins at two seconds in
one. Runs until a rate is steady leave out more while a trend is left (`scenarios.runs.trend`)."""

WARMUP_NS: Final = 1_000_000_000
"""The same in nanoseconds."""
