"""A note on figures: what a reader has to know to take them for what they are."""

from enum import StrEnum

from msgspec import Struct


class NoteKind(StrEnum):
    """What a note is about."""

    EXTRAPOLATED = "extrapolated"
    """No published figure says what the model should come to."""
    RULE = "rule"
    """IBM's rule of thumb is taken further than it was published."""
    ALONE = "alone"
    """Other links use the same channels, and are not in the figures."""
    OTHERS = "others"
    """Links that the file does not have use the same channels, and what is left beside them."""
    ONE_CHANNEL = "one-channel"
    """Two chpids may be one channel, and the figures are of two."""
    JOINED = "joined"
    """Two directors are on the way, and the file does not say how they are joined."""
    ELSEWHERE = "elsewhere"
    """A piece that is lost is part of other links alone."""
    DISKS = "disks"
    """Disks use the same channels, and are in the figures."""
    PROFILE = "profile"
    """The model was fitted to a site."""
    OFFERED = "offered"
    """Not all of an open load is carried."""
    IN_STEP = "in-step"
    """Few pairs keep a rhythm that the distance decides: a shorter fibre may be slower."""
    TREND = "trend"
    """A run of a fixed length had not come to rest."""
    ASSUMED = "assumed"
    """The layout was made of decks or console logs, which do not say all of it."""
    MEMORY = "memory"
    """What is free where guests go is not known."""
    NO_RANGE = "no-range"
    """Nothing says how far some of the figures are off."""


class Note(Struct, frozen=True):
    """One note, in a sentence."""

    kind: NoteKind
    """[one of these](extrapolation.md#notes)"""
    text: str
    """the same in words"""
