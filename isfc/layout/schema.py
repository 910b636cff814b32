"""The JSON schema of layout files, made of the types that they are read by."""

from typing import Any, Final

import msgspec

from isfc.layout import document
from isfc.layout.checked_toml import TABLE_NAME_LENGTH_MAX, words_of
from isfc.layout.processors import MachineTable

_TABLES: Final[dict[type[msgspec.Struct], tuple[str, str]]] = {
    document.FibreTable: ("[fibre.NAME]", "one FICON path"),
    document.LinkTable: ("[[link]]", "one of several links"),
    document.CtcTable: ("[[ctc]]", "CTCs of one fibre"),
    document.SharedChannelTable: (
        "[[shared_channel]]",
        "chpids of several systems that are one channel",
    ),
    document.CecTable: ("[cec.NAME]", "a machine and its systems"),
    MachineTable: ("machine", "what a system runs on"),
    document.MemoryTable: ("[memory.SYSTEM]", "what a system has room for"),
    document.TrafficTable: ("[[traffic]]", "what runs over a link"),
    document.OtherLinkTable: ("[[other_link]]", "a link of other systems on the same chpids"),
    document.DeckTable: ("[deck.NAME]", "an IOCP deck that systems were read from, as it was"),
    document.PathTable: ("[path.NAME]", "a far path, maybe over inter-switch links"),
    document.IslTable: ("isl", "the inter-switch links of a path"),
}
"""Every table that is checked here: its heading, and what it is."""


def schema() -> dict[str, Any]:
    """The JSON schema of layout files, with which editors complete and check TOML.

    It is stricter in one thing, how features are spelt, and cannot say what holds between tables.
    """
    kinds: tuple[type[msgspec.Struct], ...] = (document.Root, *_TABLES)
    _, tables = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for kind in kinds:
        keys, words = tables[kind.__name__]["properties"], words_of(kind)
        for key, field in keys.items():
            keys[key] = _plain(field) | {"description": words[key]}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **tables[document.Root.__name__],
        "required": ["fibre", "ctc"],
        "title": "A layout of isfc",
        "description": "The CTCs of a logical link between two z/VM systems, or of several links.",
        "$defs": {
            kind.__name__.removesuffix("Table").lower(): tables[kind.__name__]
            | {"title": title, "description": said}
            for kind, (title, said) in _TABLES.items()
        },
    }


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    """A part of the schema without what TOML has not: null, and defaults that nobody writes."""
    plain = {key: each for key, each in field.items() if key not in ("default", "description")}
    some = [_plain(each) for each in plain.pop("anyOf", ()) if each != {"type": "null"}]
    if some:
        plain |= some[0] if len(some) == 1 else {"anyOf": some}
    for holder in ("items", "additionalProperties", "propertyNames"):
        if isinstance(each := plain.get(holder), dict):
            plain[holder] = _plain(each)
    if table := plain.get("$ref"):
        plain["$ref"] = table.removesuffix("Table").lower()
    if "$ref" in plain.get("additionalProperties", ()):
        plain["propertyNames"] = {"minLength": 1, "maxLength": TABLE_NAME_LENGTH_MAX}
    return plain
