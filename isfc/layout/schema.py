"""The JSON schema of layout files, made from the records that read them.

Editors use it to complete and check TOML. It is stricter than `isfc.layout.file` in one thing, how
features are spelt, and cannot say what holds between tables.
"""

from typing import Any, Final

import msgspec

from ctc.profiles import FEATURES
from isfc.layout.checked_toml import TABLE_NAME_LENGTH_MAX
from isfc.layout.file import EXPECTED, CtcTable, FibreTable, LinkTable, Root
from isfc.link.name import NAME_LENGTH_MAX

_NODE: Final = rf"^[A-Z0-9\x24#@_]{{1,{NAME_LENGTH_MAX}}}$"  # \x24 is a dollar
_CHPID: Final = r"^[0-9A-Fa-f]{1,2}$"
_RDEV: Final = r"\s*[0-9A-Fa-f]{1,4}(-[0-9A-Fa-f]{1,4})?\s*"
_TABLES: Final = (Root, FibreTable, CtcTable, LinkTable)


def layout_schema() -> dict[str, Any]:
    """The schema, as JSON has it."""
    _, tables = msgspec.json.schema_components(_TABLES, ref_template="#/$defs/{name}")
    for table in _TABLES:
        for key, expected in EXPECTED[table].items():
            tables[table.__name__]["properties"][key]["description"] = expected
    root, fibre, ctc, link = (tables.pop(table.__name__) for table in _TABLES)
    root["properties"]["fibre"] |= {
        "minProperties": 1,
        "propertyNames": {"minLength": 1, "maxLength": TABLE_NAME_LENGTH_MAX},
        "additionalProperties": {"$ref": "#/$defs/fibre"},
    }
    root["properties"]["ctc"] |= {"minItems": 1, "items": {"$ref": "#/$defs/ctc"}}
    root["properties"]["link"]["items"] = {"$ref": "#/$defs/link"}
    for key in ("link", "io", "channel", "path", "system", "card", "interconnect", "fanout"):
        del root["properties"][key]["default"]
    link["properties"]["nodes"] |= {
        "minItems": 2,
        "maxItems": 2,
        "items": {"type": "string", "pattern": _NODE},
    }
    fibre["properties"]["feature"]["enum"] = list(FEATURES)
    number, _ = fibre["properties"]["link_gbps"].pop("anyOf")  # or null, which TOML has not
    del fibre["properties"]["link_gbps"]["default"]
    fibre["properties"]["link_gbps"] |= number
    del fibre["properties"]["km"]["default"]
    fibre["properties"]["chpid"] |= _by_node(_CHPID)
    ctc["properties"]["rdevs"] |= _by_node(rf"^{_RDEV}(,{_RDEV})*$")
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        **root,
        "title": "A layout of isfc",
        "description": "The CTCs of a logical link between two z/VM systems, or of several links.",
        "$defs": {
            "fibre": {**fibre, "title": "[fibre.NAME]", "description": "one FICON path"},
            "link": {**link, "title": "[[link]]", "description": "one of several links"},
            "ctc": {**ctc, "title": "[[ctc]]", "description": "CTCs of one fibre"},
        },
    }


def _by_node(pattern: str) -> dict[str, Any]:
    """A value for each of two nodes."""
    return {
        "minProperties": 2,
        "maxProperties": 2,
        "propertyNames": {"pattern": _NODE},
        "additionalProperties": {"type": "string", "pattern": pattern},
    }
