"""``--traffic``: what runs over which link, where several run together."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from isfc.arguments import as_options
from isfc.cli.options.layout import OpenedFile
from isfc.cli.options.option import valued
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.sharing import with_notes
from scenarios.runs.experiment import read_traffic
from scenarios.runs.workload import LinkLoad, load_of

TrafficOption = Annotated[
    list[str] | None,
    valued(
        "FROM-TO:WORKLOAD:PAIRS",
        "Run this over a link, as ALPHA-BETA:HL:50: clients on the first node. Repeat it for "
        "several, which run together. The file's [[traffic]] if nothing says what to run.",
        "--traffic",
    ),
]


def choose_traffic(
    opened: OpenedFile,
    options: list[str] | None,
    link: str | None,
    others: Mapping[str, object],
) -> tuple[Collection, tuple[LinkLoad, ...]] | None:
    """The links that are to run together, and what runs over them; None if one is run by itself.

    ``others`` are options that say what to run over one link. Raises `ConfigurationError`.
    """
    given = [option for option, value in others.items() if value is not None]
    collection = opened.collection
    if options:
        if given:
            raise ConfigurationError(f"--traffic and {given[0]}: expected one of them")
        with as_options():
            loads = tuple(read_traffic(option, collection) for option in options)
    elif given or not collection.traffic:
        return None
    else:
        loads = tuple(map(load_of, collection.traffic))
    if link is None:
        return collection, loads
    with within(opened.source):
        chosen = collection.link(link, "--link")
    alone = tuple(load for load in loads if {load.client, load.server} == set(chosen.nodes))
    if not alone:
        raise ConfigurationError(f"--link {link[:40]}: no traffic; expected --traffic of it")
    return replace(collection, links=(with_notes(collection, chosen),)), alone
