"""The schema of layout files: what it takes is what the reader takes."""

import tomllib
from collections.abc import Callable
from typing import Any

import fastjsonschema
import pytest
from hypothesis import given

import isfc
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_layout
from isfc.layout.layout import Layout
from isfc.layout.write import format_layout
from isfc.testing.strategies import layouts
from tests.shipped import ONE_LINK

VALIDATE: Callable[[Any], Any] = fastjsonschema.compile(isfc.schema())
GOOD = format_layout(load_layout("atlanta-boston"))


@pytest.mark.parametrize("name", ONE_LINK)
def test_shipped_layouts_fit(name: str) -> None:
    VALIDATE(tomllib.loads(format_layout(load_layout(name))))


@given(layouts())
def test_every_layout_that_is_written_fits(layout: Layout) -> None:
    VALIDATE(tomllib.loads(format_layout(layout)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("feature =", "futeare ="),
        ('"FICON Express2"', '"FICON Express3"'),
        ('"FICON Express2"', '"FICON Express2"\nlink_gbps = 200'),
        ('"FICON Express2"', '"FICON Express2"\nlink_gbps = "2"'),
        ('"40"', '"4G"'),
        ('"40"', "40"),
        ('ATLANTA = "40", ', ""),
        ('ATLANTA = "40"', 'atlanta = "40"'),
        ("6000-6003", "6000:6003"),
        ('fibre = "1"', "fibre = 1"),
        ("[fibre.1]", "[fibre.1]\n[fibres]\n[fibre.3]"),
    ],
)
def test_what_the_reader_refuses_does_not_fit(old: str, new: str) -> None:
    text = GOOD.replace(old, new, 1)
    assert text != GOOD
    with pytest.raises(ConfigurationError):
        parse_layout(text)
    with pytest.raises(fastjsonschema.JsonSchemaException):
        VALIDATE(tomllib.loads(text))


def test_every_key_is_described() -> None:
    schema = isfc.schema()
    for table in (schema, *schema["$defs"].values()):
        assert all("description" in key for key in table["properties"].values())
        assert table["additionalProperties"] is False
