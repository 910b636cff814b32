"""Layout files, written: a `Layout` in, TOML out, which reads as the same layout.

A file that is made from another keeps the comments of that one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, TypeVar

from ctc.address import Rdev, format_chpid, format_rdev
from ctc.channel_use import NOTHING
from ctc.profiles import FEATURES
from isfc.arguments import checked
from isfc.layout.build import ASSUMED_FEATURE
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.collection import Collection
from isfc.layout.groups import runs
from isfc.layout.layout import Fibre, Layout
from isfc.layout.whole import with_own_names

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
    lines = _lines(layout, heading)
    return "\n".join(_explained(lines) if explained else lines) + "\n"


@checked
def format_collection(layout: AnyLayout, *, heading: Sequence[str] = ()) -> str:
    """The layout file of several links, or of one, below ``heading`` as comments.

    Fibres are renumbered where two links have one of the same name.
    """
    collection = given_collection(layout)
    links = collection.links
    rest = [*_shared_lines(collection), *_io_lines(collection.io), *_deck_lines(collection)]
    beside = "".join(f"{line}\n" for line in rest)
    if len(links) == 1:
        return format_layout(links[0], heading=heading) + beside
    lines = list(_comments(heading))
    for link in links:
        lines += ["", "[[link]]", f"nodes = {_value(list(link.nodes))}"]
    for link in with_own_names(links):
        lines += _lines(link, ())
    return "\n".join(lines) + "\n" + beside


def _shared_lines(collection: Collection) -> Iterator[str]:
    """The machines, the channels that systems share, the traffic, and what else is there."""
    for cec in collection.cecs:
        yield from ("", f"[cec.{_key(cec.name)}]", f"systems = {_value(list(cec.systems))}")
    for memory in collection.memory:
        yield from ("", f"[memory.{_key(memory.system)}]", f"free_gib = {memory.free_gib!r}")
        if memory.overcommit != 1:
            yield f"overcommit = {memory.overcommit!r}"
    for channel in collection.shared_channels:
        chpids: dict[str, object] = {end.node: format_chpid(end.chpid) for end in channel}
        yield from ("", "[[shared_channel]]", f"chpid = {_value(chpids)}")
    for each in collection.traffic:
        yield from ("", "[[traffic]]", f"from = {_string(each.client)}")
        yield f"to = {_string(each.server)}"
        yield f"workload = {_string(each.workload)}"
        yield f"pairs = {each.pairs}"
    for other in collection.others:
        yield from ("", "[[other_link]]", f"nodes = {_value(list(other.nodes))}")
        ctcs: dict[str, object] = {
            "=".join(f"{end.node}:{format_chpid(end.chpid)}" for end in each.channels): each.count
            for each in other.ctcs
        }
        yield f"ctcs = {_value(ctcs)}"


def _deck_lines(collection: Collection) -> Iterator[str]:
    """The decks of its systems, as they were."""
    kept = (each.of(collection.systems) for each in collection.decks)
    for deck in (each for each in kept if each is not None):
        yield from ("", f"[deck.{_key(deck.name)}]")
        yield f"systems = {_value({**deck.partitions})}"
        if deck.ports:
            yield f"ports = {_value(list(deck.ports))}"
        yield f"cards = {_cards(deck.cards)}"


def _cards(text: str) -> str:
    """The cards of a deck between apostrophes, as they are, or escaped if TOML cannot hold them."""
    plain = all(line.isprintable() for line in text.replace("\t", " ").split("\n"))
    if plain and "'''" not in text and not text.endswith("'"):
        return f"'''\n{text}'''"
    escaped = (_string(line)[1:-1].replace("\x7f", "\\u007F") for line in text.split("\n"))
    return '"""\n' + "\n".join(escaped) + '"""'


def _io_lines(io: Mapping[str, Any]) -> Iterator[str]:
    """What the file says of disks, as it says it."""
    for kind, tables in io.items():
        if isinstance(tables, list):
            headed = [(f"[[{kind}]]", table) for table in tables]
        else:
            headed = [(f"[{kind}.{_key(name)}]", table) for name, table in tables.items()]
        for heading, table in headed:
            yield ""
            yield heading
            for key, value in table.items():
                yield f"{_key(key)} = {_value(value)}"


def _value(value: object) -> str:
    """A value of a table, on one line."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return _string(value)
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            return (
                f"{{ {', '.join(f'{_key(key)} = {_value(each)}' for key, each in value.items())} }}"
            )
        case _:
            return str(value)


def format_rdevs(rdevs: Iterable[Rdev]) -> str:
    """``6000-6003,6010``: device numbers, runs of them as ranges, in the order given."""
    return ",".join(
        f"{format_rdev(run[0])}-{format_rdev(run[-1])}" if len(run) > 1 else format_rdev(run[0])
        for run in runs(rdevs, lambda last, rdev: rdev == last + 1)
    )


def _lines(layout: Layout, heading: Sequence[str]) -> Iterator[str]:
    yield from _comments(heading)
    for fibre in layout.fibres:
        yield ""
        yield from _fibre(layout, fibre)
    for fibre, ctcs in groupby(layout.ctcs, key=lambda ctc: ctc.fibre):
        rdevs = tuple(zip(*(ctc.rdevs for ctc in ctcs), strict=True))
        yield ""
        yield "[[ctc]]"
        yield f"fibre = {_string(fibre.name)}"
        yield f"rdevs = {_by_node(layout, [format_rdevs(end) for end in rdevs])}"


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
    feature = f"feature = {_string(profile.feature)}"
    yield f"[fibre.{_key(fibre.name)}]"
    yield f"{feature}   # assumed: {_REMEDY}" if profile is ASSUMED_FEATURE else feature
    if profile.link_gbps != FEATURES[profile.feature].link_gbps:
        yield f"link_gbps = {profile.link_gbps!r}"
    if fibre.path is not None:
        yield f"path = {_string(fibre.path.name)}"
    elif fibre.km:
        yield f"km = {fibre.km!r}"
    yield f"chpid = {_by_node(layout, list(map(format_chpid, fibre.chpids)))}"
    if len(set(fibre.directors)) == 1:
        yield f"director = {_string(fibre.directors[0])}"
    elif fibre.directors:
        yield f"director = {_by_node(layout, list(fibre.directors))}"
    if fibre.ports:
        yield f"port = {_by_node(layout, list(fibre.ports))}"
    for node, disks in zip(layout.nodes, fibre.disks, strict=True):
        if disks != NOTHING:
            shares = f"{disks.processor:.6f}, {disks.line_out:.6f} and {disks.line_in:.6f}"
            yield f"# disks at {node} use of its processor, and line out and in: {shares}"


def _by_node(layout: Layout, values: list[str]) -> str:
    pairs = zip(layout.nodes, values, strict=True)
    return f"{{ {', '.join(f'{_key(node)} = {_string(value)}' for node, value in pairs)} }}"


def _key(text: str) -> str:
    return text if _BARE.fullmatch(text) else _string(text)


def _string(text: str) -> str:
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
