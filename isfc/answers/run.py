"""What a run gives: a workload over one link, or loads of several links together, in virtual time.

With what is looked at, or what happens meanwhile, the answer is another record.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Final

from isfc.answers.faults_run import FaultsRun
from isfc.answers.given import open_links
from isfc.answers.link_run import LinkRun
from isfc.answers.links_run import LinksRun
from isfc.answers.running import AskedRun, Look, Meanwhile
from isfc.answers.views import RunView
from isfc.errors import ConfigurationError
from isfc.errors.arguments import SEED_MAX, Argument, checked, first_spelt, spelt
from isfc.errors.in_words import exact, find_node
from isfc.layout.catalogue import AnyLayout
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.site import GivenSite
from isfc.link.name import NodeName
from scenarios.runs.at_site import link_of
from scenarios.runs.experiment import PAIRS_MAX, SECONDS_MAX, WARMUP, Experiment, read_traffic
from scenarios.runs.result import SEEDS_MAX
from scenarios.runs.run import INTERVAL_MIN
from scenarios.runs.workload import (
    WORKLOADS,
    LinkLoad,
    Workload,
    WorkloadKind,
    find_workload,
    load_of,
)

Loads = Annotated[
    Sequence[str],
    Argument(
        "FROM-TO:WORKLOAD:PAIRS",
        "Run this over a link, as ALPHA-BETA:HL:50: clients on the first node. Repeat it for "
        "several, which run together. The file's [[traffic]] if nothing says what to run.",
    ),
]


@checked
def run(
    layout: AnyLayout,
    workload: Workload | str | None = None,
    *,
    link: str | None = None,
    profile: GivenSite = None,
    traffic: Loads = (),
    pairs: Annotated[
        int | None, Argument("N", "Pairs of guests, one conversation each.", 1, PAIRS_MAX)
    ] = None,
    seconds: Annotated[
        float, Argument("S", "Virtual time that is measured.", INTERVAL_MIN, SECONDS_MAX)
    ] = 10.0,
    warmup: Annotated[float, Argument("S", "Virtual time before that.", 0, SECONDS_MAX)] = WARMUP,
    seed: Annotated[
        int, Argument("N", "Seed of the message sizes and of who begins when.", 0, SEED_MAX)
    ] = 1,
    seeds: Annotated[
        int | None,
        Argument("N", "Repeat with N seeds; show the mean and the spread.", 1, SEEDS_MAX),
    ] = None,
    from_: Annotated[
        str | None, Argument("NODE", "The node of the clients; the first if not given.")
    ] = None,
    look: Look | None = None,
    meanwhile: Meanwhile | None = None,
    jobs: int = 1,
) -> LinkRun | LinksRun | FaultsRun | RunView:
    """Run a workload and measure it as z/VM would.

    With --traffic or the file's [[traffic]] several links run together. Every client keeps some
    messages outstanding; every message is answered with one reply. MB are 2^20 bytes. The same
    layout, workload and seed give the same output to the last byte, on any machine.

    Raises `ConfigurationError` for what cannot be run. ``workload`` may be of one's own, ``look``
    says what is looked at, ``meanwhile`` what is done to the links. Runs with several ``seeds`` are
    made ``jobs`` at a time.
    """
    opened, look = open_links(layout, None, profile)[0], look or Look()
    links = opened.collection
    own = [*_of_one(workload, pairs, from_)]
    together, side = bool(traffic or (links.traffic and not own)), None
    if together:
        _check_together(own, look)
        one = None if link is None else link_of(links, layout, link)
        links, loads = _together(links, traffic, one)
    else:
        one = link_of(links, layout, link)
        links, loads = Collection.of(one), (_load(one, workload, pairs, from_),)
        side = _node(one, "side", look.side)
    with first_spelt():
        experiment = Experiment(links, loads, seconds, warmup, seed)
    disks = opened.file_disks
    asked = AskedRun(experiment, together, layout, disks, side, look, seeds, jobs)
    return asked.on_release().answer(meanwhile or Meanwhile())


def _of_one(
    workload: Workload | str | None, pairs: int | None, client: str | None
) -> Iterator[str]:
    """What is said of what runs over one link."""
    if workload is not None:
        own = f"workload {workload.name}" if isinstance(workload, Workload) else None
        yield own or spelt("workload")
    for name, value in (("pairs", pairs), ("from_", client)):
        if value is not None:
            yield spelt(name)


def _check_together(own: Sequence[str], look: Look) -> None:
    """Raise `ConfigurationError` for what is of one link alone."""
    if own:
        raise ConfigurationError(f"{spelt('traffic')} and {own[0]}: expected one of them")
    if look.side is not None:
        one = ", ".join(map(spelt, ("workload", "pairs")))
        raise ConfigurationError(
            f"{spelt('side')}: of one link; expected it without {spelt('traffic')} and "
            f"[[traffic]], with {one} and {spelt('link')}"
        )


def _together(
    links: Collection, traffic: Sequence[str], one: Layout | None
) -> tuple[Collection, tuple[LinkLoad, ...]]:
    """The links that run together and what runs over them; of one that is named, over that."""
    said = tuple(read_traffic(each, links) for each in traffic)
    loads = said or tuple(map(load_of, links.traffic))
    if one is None:
        return links, loads
    alone = tuple(load for load in loads if {load.client, load.server} == {*one.nodes})
    if not alone:
        name = f"{spelt('link')} {one.name}"
        raise ConfigurationError(f"{name}: no traffic; expected {spelt('traffic')} of it")
    return replace(links, links=(one,)), alone


def _load(
    link: Layout, workload: Workload | str | None, pairs: int | None, client: str | None
) -> LinkLoad:
    """What runs over one link."""
    if workload is None:
        raise no_workload()
    found = find_workload(workload)
    if pairs is None:
        name = spelt("pairs")
        raise ConfigurationError(f"{name} is missing: expected how many, such as {name} 50")
    first, second = link.nodes
    ways = (second, first) if _node(link, "from_", client) == second else (first, second)
    return LinkLoad(*ways, found, pairs)


def _node(link: Layout, name: str, given: str | None) -> NodeName | None:
    return None if given is None else find_node(spelt(name), given, link.nodes)


def no_workload() -> ConfigurationError:
    """That none is said; it tells of all."""
    name = spelt("workload")
    own = ", or --message and --reply" * name.startswith("--")  # where these are options
    return ConfigurationError(
        "\n".join((f"no workload: expected {name}{own}", "", *workload_lines()))
    )


_NOTES: Final = """\
The smaller size is that of 20 % of the messages. A pair is a client and a
server that always have something under way: two messages, with CDU one.
{pairs} 1 shows how long an exchange takes. On IBM's links 50 pairs of HL
carried nearly what 100 did; of shorter messages, 100 pairs carried up to three
quarters more. Guests that think between messages count for less.
'isfc relocate' moves guests itself."""
"""Published: MB/s of the ISFC Transport runs with 50 and with 100 pairs."""


def workload_lines() -> Iterator[str]:
    """A line for each workload, and how many pairs to choose."""
    yield f"{spelt('workload'):<12} {'message bytes':<17} {'reply':>6}  like"
    for kind in WORKLOADS.values():
        name, lengths, reply = _figures(kind)
        yield f"{name:<12} {lengths:<17} {reply:>6}  {kind.help}"
    yield ""
    yield from _NOTES.format(pairs=spelt("pairs")).splitlines()


def _figures(kind: WorkloadKind) -> tuple[str, str, str]:
    """Its name, and the lengths of its messages and of a reply; a family's with the operand."""
    workload = kind.make(1)
    reply = exact(workload.reply_length)
    if not kind.operand:
        return kind.name, _lengths(workload), reply
    operand = kind.operand.split()[-1].upper()
    is_its = kind.make(2).reply_length != workload.reply_length
    return f"{kind.name}:{operand}", _lengths(workload), operand if is_its else reply


def _lengths(workload: Workload) -> str:
    if workload.min_length == workload.max_length:
        return exact(workload.max_length)
    return f"{exact(workload.min_length)} or {exact(workload.max_length)}"
