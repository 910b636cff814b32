"""Tables that are shipped beside the code that reads them."""

import csv
from functools import cache
from importlib import resources


@cache
def shipped_lines(package: str, name: str) -> list[dict[str, str]]:
    """The lines of the CSV file ``name`` in a package, by the names of its columns."""
    text = resources.files(package).joinpath(name).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))
