"""Layout files, written: a `Layout` in, TOML out, which reads as the same layout.

A file that is made from another keeps the comments of that one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, TypeVar

from ctc.address import Rdev, format_chpid, format_rdev
from ctc.channel import NOTHING
from ctc.features import FEATURES
from isfc.errors.arguments import checked
from isfc.errors.in_words import runs
from isfc.layout.build import is_assumed
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout, machines_of
from isfc.layout.parts import Cec, with_own_names
from isfc.layout.processors import Processors
from isfc.link.name import NodeName

_T = TypeVar("_T")

_REMEDY = "--feature says otherwise"
_BARE = re.compile(r"[A-Za-z0-9_-]+")


_MEANINGS = {
    "[fibre.": "one FICON path between the two systems",
    "feature": "a generation of FICON cards, at its own speed",
    "chpid": "the chpid at each end",
    "[[ctc]]": "CTCs of a fibre",
    "rdevs": "their device numbers; ranges are paired in order",
}
"""What a line is, by what it begins with."""


def format_layout(layout: Layout, *, heading: Sequence[str] = (), explained: bool = False) -> str:
    """The layout file of ``layout``, below ``heading`` as comments.

    A remark stands beside features that were assumed (`isfc.layout.build`). If it is to be
    ``explained``, each kind of line has a comment the first time.
    """
    lines = [*_comments(heading), *_lines(layout), *_machine_lines([layout])]
    return "\n".join(_explained(lines) if explained else lines) + "\n"


@checked
def format_collection(layout: AnyLayout, *, heading: Sequence[str] = ()) -> str:
    """The layout file of several links, or of one, below ``heading`` as comments.

    Fibres are renumbered where two links have one of the same name.
    """
    collection = given_collection(layout)
    links = collection.links
    lines = [*_comments(heading)]
    for link in links if len(links) > 1 else ():
        lines += format_table("[[link]]", {"nodes": link.nodes})
    for link in with_own_names(links):
        lines += _lines(link)
    lines += _machine_lines(links, collection.cecs)
    lines += [*_shared_lines(collection), *_io_lines(collection.io), *_deck_lines(collection)]
    return "\n".join(lines).lstrip("\n") + "\n"


def _shared_lines(collection: Collection) -> Iterator[str]:
    """The machines, the channels that systems share, the traffic, and what else is there."""
    for cec in collection.cecs:
        keys = {"systems": cec.systems, "machine": _machine(cec.machine)}
        yield from format_table(f"[cec.{_key(cec.name)}]", keys)
    for memory in collection.memory:
        overcommit = None if memory.overcommit == 1 else memory.overcommit
        keys = {"free_gib": memory.free_gib, "overcommit": overcommit}
        yield from format_table(f"[memory.{_key(memory.system)}]", keys)
    for channel in collection.shared_channels:
        chpids = {end.node: format_chpid(end.chpid) for end in channel}
        yield from format_table("[[shared_channel]]", {"chpid": chpids})
    for each in collection.traffic:
        ends = {"from": each.client, "to": each.server}
        yield from format_table(
            "[[traffic]]", {**ends, "workload": each.workload, "pairs": each.pairs}
        )
    for other in collection.others:
        ctcs = {
            "=".join(f"{end.node}:{format_chpid(end.chpid)}" for end in each.channels): each.count
            for each in other.ctcs
        }
        yield from format_table("[[other_link]]", {"nodes": other.nodes, "ctcs": ctcs})


def _machine(said: Processors | None) -> object:
    """A machine by its name, or as a table of what differs."""
    if said is None or said == Processors(said.machine):
        return said and said.machine
    known = {"is": said.machine, "engine": said.engine, "processors": said.processors}
    return {key: each for key, each in {**known, "smt": said.smt}.items() if each}


def _machine_lines(links: Iterable[Layout], cecs: Iterable[Cec] = ()) -> Iterator[str]:
    """What systems run on, where no machine of the file says that."""
    homes = {node: cec.machine for cec in cecs for node in cec.systems}
    said = machines_of(links).items()
    own = {str(node): _machine(each) for node, each in said if each != homes.get(node)}
    if own:
        yield from format_table("[machine]", own)


def _deck_lines(collection: Collection) -> Iterator[str]:
    """The decks of its systems, as they were."""
    kept = (each.of(collection.systems) for each in collection.decks)
    for deck in (each for each in kept if each is not None):
        keys = {"systems": {**deck.partitions}, "ports": deck.ports or None}
        yield from format_table(f"[deck.{_key(deck.name)}]", keys)
        yield f"cards = {_cards(deck.cards)}"


def _cards(text: str) -> str:
    """The cards of a deck between apostrophes, as they are, or escaped if TOML cannot hold them."""
    plain = all(line.isprintable() for line in text.replace("\t", " ").split("\n"))
    if plain and "'''" not in text and not text.endswith("'"):
        return f"'''\n{text}'''"
    escaped = (format_string(line)[1:-1].replace("\x7f", "\\u007F") for line in text.split("\n"))
    return '"""\n' + "\n".join(escaped) + '"""'


def _io_lines(io: Mapping[str, Any]) -> Iterator[str]:
    """What the file says of disks, as it says it."""
    for kind, tables in io.items():
        if isinstance(tables, list):
            headed = [(f"[[{kind}]]", table) for table in tables]
        else:
            headed = [(f"[{kind}.{_key(name)}]", table) for name, table in tables.items()]
        for heading, table in headed:
            yield from format_table(heading, table)


def format_table(heading: str, keys: Mapping[str, object]) -> Iterator[str]:
    """A table below an empty line; keys whose value is None are left out."""
    yield ""
    yield heading
    for key, value in keys.items():
        if value is not None:
            yield f"{_key(key)} = {_value(value)}"


def _value(value: object) -> str:
    """A value of a table, on one line."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return format_string(value)
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            each = (f"{_key(key)} = {_value(inner)}" for key, inner in value.items())
            return f"{{ {', '.join(each)} }}"
        case _:
            return str(value)


def format_rdevs(rdevs: Iterable[Rdev]) -> str:
    """``6000-6003,6010``: device numbers, runs of them as ranges, in the order given."""
    return ",".join(
        f"{format_rdev(run[0])}-{format_rdev(run[-1])}" if len(run) > 1 else format_rdev(run[0])
        for run in runs(rdevs, lambda last, rdev: rdev == last + 1)
    )


def _lines(layout: Layout) -> Iterator[str]:
    for fibre in layout.fibres:
        yield from _fibre(layout, fibre)
    for fibre, ctcs in groupby(layout.ctcs, key=lambda ctc: ctc.fibre):
        rdevs = map(format_rdevs, zip(*(ctc.rdevs for ctc in ctcs), strict=True))
        yield from format_table("[[ctc]]", {"fibre": fibre.name, "rdevs": _by_node(layout, rdevs)})


def _comments(heading: Sequence[str]) -> Iterator[str]:
    for line in heading:
        yield f"# {''.join(c if c.isprintable() else '?' for c in line)}".rstrip()


def _explained(lines: Iterable[str]) -> Iterator[str]:
    """The lines, with comments above the first of each kind."""
    untold = dict(_MEANINGS)
    for line in lines:
        kind = next((start for start in untold if line.startswith(start)), None)
        if kind is not None:
            yield f"# {untold.pop(kind)}:"
        yield line


def _fibre(layout: Layout, fibre: Fibre) -> Iterator[str]:
    profile = fibre.profile
    is_slower = profile.link_gbps != FEATURES[profile.feature].link_gbps
    is_one = len(set(fibre.directors)) == 1
    keys = {
        "feature": profile.feature,
        "link_gbps": profile.link_gbps if is_slower else None,
        "path": None if fibre.path is None else fibre.path.name,
        "km": fibre.km if fibre.km and fibre.path is None else None,
        "chpid": _by_node(layout, fibre.chpid_names),
        "director": fibre.directors[0] if is_one else _by_node(layout, fibre.directors),
        "port": _by_node(layout, fibre.ports),
    }
    for line in format_table(f"[fibre.{_key(fibre.name)}]", keys):
        was_assumed = is_assumed(profile) and line.startswith("feature = ")
        yield f"{line}   # assumed: {_REMEDY}" if was_assumed else line
    for node, disks in zip(layout.nodes, fibre.disks, strict=True):
        if disks != NOTHING:
            shares = f"{disks.processor:.6f}, {disks.line_out:.6f} and {disks.line_in:.6f}"
            yield f"# disks at {node} use of its processor, and line out and in: {shares}"


def _by_node(layout: Layout, values: Iterable[str]) -> dict[NodeName, str] | None:
    """The value at each end; None where there are none."""
    return dict(zip(layout.nodes, values, strict=False)) or None


def _key(text: str) -> str:
    return text if _BARE.fullmatch(text) else format_string(text)


def format_string(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for what JSON writes as surrogates."""
    import json  # most that is read is not written

    return json.dumps(text, ensure_ascii=False)


_COMMENT: Final = re.compile(r"""^((?:"(?:\\.|[^"\\])*"|'[^']*'|[^"'#])*)(\#.*)$""")
"""A line with a comment: what is before it, in which a ``#`` in quotes is none, and the comment."""

_Table = tuple[str, str]
"""A table: its heading, and which of several with that heading."""


def with_comments(text: str, original: str) -> str:
    """``text``, a layout file made from ``original``, with the comments of that one.

    What is above a table or in it stands above the same table: that of the same name, the CTCs of
    the same fibre, or the same in a list. What is left, of tables that are no more, is at the end.
    """
    heading, of_tables = _comments_of(original)
    lines = [*heading, *[""] * bool(heading and text[:1] not in ("", "\n"))]
    written = text.splitlines()
    for line, key in zip(written, _keys(written), strict=True):
        if key is not None:
            lines += of_tables.pop(key, ())
        lines.append(line)
    left = [comment for comments in of_tables.values() for comment in comments]
    return "\n".join([*lines, *[""] * bool(left), *left]) + "\n"


def _comments_of(text: str) -> tuple[list[str], dict[_Table, list[str]]]:
    """The comments at the top, and those of each table."""
    heading: list[str] = []
    found: dict[_Table, list[str]] = {}
    waiting: list[str] = []
    table: _Table | None = None
    lines = text.splitlines()
    for line, key in zip(lines, _keys(lines), strict=True):
        commented = _COMMENT.match(line)
        said = [commented[2]] if commented else []
        if key is not None:
            table = key
        if commented and not commented[1].strip():
            waiting += said  # of what follows
        elif line.strip():
            into = heading if table is None else found.setdefault(table, [])
            into += [*waiting, *said]
            waiting = []
        elif table is None:
            heading += waiting
            waiting = []
    if waiting:
        (heading if table is None else found.setdefault(("", ""), [])).extend(waiting)
    return heading, found


def _keys(lines: list[str]) -> Iterator[_Table | None]:
    """For each line the table that it begins, or None."""
    counts: dict[str, int] = {}
    for number, line in enumerate(lines):
        commented = _COMMENT.match(line)
        name = re.sub(r"[\"'\s]", "", commented[1] if commented else line)
        if not (name.startswith("[") and name.endswith("]")) or "=" in name:
            yield None
            continue
        which = str(counts.setdefault(name, 0))
        counts[name] += 1
        if name == "[[ctc]]":
            which = _fibre_of(lines[number + 1 :]) or which
        yield name, which


def _fibre_of(lines: list[str]) -> str | None:
    """Of which fibre the CTCs of a table are."""
    for line in lines:
        if line.lstrip().startswith("["):
            return None
        if named := re.match(r"\s*fibre\s*=\s*[\"']([^\"']*)", line):
            return named[1]
    return None
