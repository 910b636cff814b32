"""The JSON schema of layout files, made from the records that read them.

Editors use it to complete and check TOML. It is stricter than `isfc.layout.document` in one thing,
how features are spelt, and cannot say what holds between tables.
"""

from typing import Any, Final

import msgspec

from ctc.profiles import FEATURES
from isfc.layout import document
from isfc.layout.checked_toml import TABLE_NAME_LENGTH_MAX, words_of
from isfc.link.name import NAME_LENGTH_MAX

_NODE: Final = rf"^[A-Z0-9\x24#@_]{{1,{NAME_LENGTH_MAX}}}$"  # \x24 is a dollar
_CHPID: Final = r"^[0-9A-Fa-f]{1,2}$"
_CHANNEL: Final = f"{_NODE[1:-1]}:{_CHPID[1:-1]}"
_RDEV: Final = r"\s*[0-9A-Fa-f]{1,4}(-[0-9A-Fa-f]{1,4})?\s*"
_PORT: Final = r"^[0-9A-Fa-f]{1,4}$"
_TABLES: Final[dict[type[msgspec.Struct], tuple[str, str]]] = {
    document.FibreTable: ("[fibre.NAME]", "one FICON path"),
    document.LinkTable: ("[[link]]", "one of several links"),
    document.CtcTable: ("[[ctc]]", "CTCs of one fibre"),
    document.SharedChannelTable: (
        "[[shared_channel]]",
        "chpids of several systems that are one channel",
    ),
    document.CecTable: ("[cec.NAME]", "a machine and its systems"),
    document.MemoryTable: ("[memory.SYSTEM]", "what a system has room for"),
    document.TrafficTable: ("[[traffic]]", "what runs over a link"),
    document.OtherLinkTable: ("[[other_link]]", "a link of other systems on the same chpids"),
    document.DeckTable: ("[deck.NAME]", "an IOCP deck that systems were read from, as it was"),
    document.PathTable: ("[path.NAME]", "a far path, maybe over inter-switch links"),
    document.IslTable: ("isl", "the inter-switch links of a path"),
}
"""Every table that is checked here: its heading, and what it is."""


def schema() -> dict[str, Any]:
    """The schema, as JSON has it."""
    kinds: tuple[type[msgspec.Struct], ...] = (document.Root, *_TABLES)
    _, tables = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for kind in kinds:
        for key, field in tables[kind.__name__]["properties"].items():
            _plain(field)
            field["description"] = words_of(kind)[key]
    root = tables[document.Root.__name__]
    for field in root["properties"].values():
        for holder in ("items", "additionalProperties"):
            if table := field.get(holder, {}).get("$ref"):
                del field[holder]
                if field["type"] == "object":
                    field["propertyNames"] = {"minLength": 1, "maxLength": TABLE_NAME_LENGTH_MAX}
                field[holder] = {"$ref": _name(table)}
    root["properties"]["fibre"]["minProperties"] = 1
    root["properties"]["ctc"]["minItems"] = 1
    root["required"] = ["fibre", "ctc"]
    _narrow({kind: tables[kind.__name__]["properties"] for kind in _TABLES})
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **root,
        "title": "A layout of isfc",
        "description": "The CTCs of a logical link between two z/VM systems, or of several links.",
        "$defs": {
            _name(kind.__name__): {**tables[kind.__name__], "title": title, "description": said}
            for kind, (title, said) in _TABLES.items()
        },
    }


def _name(kind: str) -> str:
    """What a kind of table is called among the definitions."""
    return kind.removesuffix("Table").lower()


def _plain(field: dict[str, Any]) -> None:
    """Leave out what TOML has not: null, and defaults that nobody writes."""
    field.pop("default", None)
    if "anyOf" in field:
        some = [each for each in field.pop("anyOf") if each != {"type": "null"}]
        field |= some[0] if len(some) == 1 else {"anyOf": some}
    field.pop("description", None)  # it is said last


def _narrow(properties: dict[type[msgspec.Struct], dict[str, Any]]) -> None:
    """Say of texts what may stand in them."""
    node = {"type": "string", "pattern": _NODE}
    fibre = properties[document.FibreTable]
    fibre["feature"]["enum"] = list(FEATURES)
    fibre["chpid"] |= _by_node(_CHPID)
    fibre["port"] |= _by_node(_PORT)
    fibre["director"]["anyOf"] = [
        {"type": "string"},
        {"type": "object", **_by_node(rf"^.{{1,{TABLE_NAME_LENGTH_MAX}}}$")},
    ]
    properties[document.CtcTable]["rdevs"] |= _by_node(rf"^{_RDEV}(,{_RDEV})*$")
    properties[document.LinkTable]["nodes"] |= {"minItems": 2, "maxItems": 2, "items": node}
    properties[document.CecTable]["systems"] |= {"minItems": 1, "items": node}
    properties[document.SharedChannelTable]["chpid"] |= _by_node(_CHPID)
    del properties[document.SharedChannelTable]["chpid"]["maxProperties"]
    properties[document.DeckTable]["systems"] |= {
        "minProperties": 1,
        "propertyNames": {"pattern": _NODE},
    }
    properties[document.OtherLinkTable]["nodes"] |= {"minItems": 1, "maxItems": 2, "items": node}
    properties[document.OtherLinkTable]["ctcs"] |= {
        "minProperties": 1,
        "propertyNames": {"pattern": rf"^{_CHANNEL}(={_CHANNEL})?$"},
    }
    for end in ("from", "to"):
        properties[document.TrafficTable][end]["pattern"] = _NODE
    properties[document.PathTable]["isl"] = {
        "$ref": f"#/$defs/{_name(document.IslTable.__name__)}",
        "description": words_of(document.PathTable)["isl"],
    }


def _by_node(pattern: str) -> dict[str, Any]:
    """A value for each of two nodes."""
    return {
        "minProperties": 2,
        "maxProperties": 2,
        "propertyNames": {"pattern": _NODE},
        "additionalProperties": {"type": "string", "pattern": pattern},
    }
