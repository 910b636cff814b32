"""A user's program with every public name, for type checkers: mypy and pyright, both strict.

`make types` checks it with the rest; `make try-dist` against an installed wheel. It also runs.
"""

import asyncio
import tempfile

import isfc

GRID = """
seconds = 0.01
warmup = 0.01

[grid]
layout = ["published-1"]
workload = ["HS"]
pairs = [1]
"""


def layouts() -> isfc.Layout:
    """Layouts and their judgement."""
    names: tuple[str, ...] = tuple(isfc.shipped_layouts())
    layout: isfc.Layout = isfc.load_layout(names[0])
    decks: isfc.Decks = isfc.Decks(["cec.iocp"], partitions="ATLANTA,BOSTON")
    print(decks)
    fibre: isfc.Fibre = layout.fibres[0]
    pair: isfc.CtcPair = layout.ctcs[0]
    node: isfc.NodeName = layout.nodes[0]
    judged: isfc.Plan = isfc.judge(layout)
    advice: tuple[isfc.Finding, ...] = judged.advice
    print(
        fibre.name,
        pair.rdevs,
        node,
        len(advice),
        [way.estimated_mb_per_s for way in judged.directions],
    )
    try:
        isfc.parse_layout("nonsense")
    except isfc.ConfigurationError as error:
        print(error)
    return layout


def edits() -> None:
    """Links and their changes."""
    text = isfc.format_collection(isfc.parse_links(open_text()))
    links: isfc.Collection = isfc.parse_links(text)
    kind: isfc.FileKind = isfc.file_kind(text.encode())[0]
    name = "-".join(links.links[0].nodes)
    changes: list[isfc.Edit] = [
        isfc.AddCtc("1"),
        isfc.MoveCtc(name, "6001", "2"),
        isfc.SwapRdevs(name, "6000", "6001"),
        isfc.RenumberCtc(name, "6000", ("6100", "7100")),
        isfc.SetFibre("1", isfc.features()[1]),
        isfc.AddFibre(name, ("60", "61"), isfc.features()[1]),
        isfc.read_edit({"do": "remove", "link": name, "rdev": "6001"}),
        isfc.RemoveCtc(name, "6002"),
        isfc.TakeAdvice(name, "chpid-crowded"),
    ]
    for change in changes:
        links = isfc.edit(links, change)
    left = isfc.without(links, frozenset(isfc.pieces(links)["ATLANTA:41"]))
    figures: tuple[isfc.ModelledRate, ...] = isfc.carried(left.links[0], pairs=1)
    notes: tuple[isfc.Note, ...] = isfc.plan_notes(left.links[0], figures)
    notes += isfc.others_busy(left, name)
    said: list[str] = [note.text for note in notes]
    print([each.stated.value > 0 for each in figures], *said, kind, isfc.deck_partitions(""))


def of(figure: isfc.Figure) -> str:
    """A figure of the model, in words."""
    known: isfc.Range | None = figure.range
    ends: isfc.Interval = figure.ends
    unit: isfc.Unit = figure.unit
    return figure.no_range if known is None else f"{ends} {unit}, from {known.basis}"


def took(moves: isfc.Moves) -> list[str]:
    """What moves took, and each guest."""
    guests: tuple[isfc.MovedGuest, ...] = moves.guests
    return [of(moves.seconds), *(of(each.seconds) for each in guests)]


def open_text() -> str:
    """A layout of two fibres."""
    lines: list[str] = []
    for name, chpids in (("1", "40"), ("2", "41")):
        lines += [f"[fibre.{name}]", 'feature = "FICON Express2"']
        lines += [f'chpid = {{ ATLANTA = "{chpids}", BOSTON = "{chpids}" }}']
    for name, rdevs in (("1", "6000-6002"), ("2", "6010")):
        lines += ["[[ctc]]", f'fibre = "{name}"']
        lines += [f'rdevs = {{ ATLANTA = "{rdevs}", BOSTON = "{rdevs}" }}']
    return "\n".join(lines)


def exchanges(layout: isfc.Layout) -> None:
    """Decks and statements in and out, and other ways to write a layout."""
    written: isfc.Exported = isfc.export(layout, "iocp")
    partitions = ",".join(layout.nodes)
    found: isfc.Imported = isfc.import_iocp([*written.texts.values()], partitions=partitions)
    seen: isfc.Connections = isfc.connections(found.collection)
    said: isfc.Numbering | None = isfc.check(found.collection)[0].numbers
    print(len(seen.rows()), said)
    renumbered = isfc.export(found.collection, "toml", scheme="alike", first="D000")
    print(renumbered.texts, renumbered.remarks)
    print(found.remarks, [each.text for each in found.unpaired], isfc.drawing(found.collection))
    statements = isfc.export(layout, "activate", system=layout.nodes[0]).texts
    print(isfc.import_config([*statements.values()], layout).collection == found.collection)
    made: isfc.Layout = isfc.new("ATLANTA,BOSTON", "40:50", ctcs=2)
    changed: isfc.Change = isfc.change(made, isfc.new("ATLANTA,BOSTON", "40:50"), rates=False)
    step: isfc.ChangeStep
    for step in changed.steps:
        print(step.kind, step.rdevs, step.ctcs)
    print(sorted(isfc.schema()), isfc.report)
    try:
        isfc.import_islink(["\n"])
    except isfc.ConfigurationError as error:
        print(error)
    try:
        isfc.import_dpm(["[]\n"], systems=["ZVM2=production-2"])
    except isfc.ConfigurationError as error:
        print(error)
    replayed: isfc.Replayed = isfc.replay("stop_short")
    print(replayed.within, len(replayed.rows()))
    collided: isfc.Collisions = isfc.collide(
        made, offer_out=1, offer_in=1, steps=1, seconds=0.001, seeds=1
    )
    outcome: isfc.CollisionOutcome
    for outcome in collided.outcomes:
        print(outcome.rule, outcome.collisions_per_s)


def simulations(layout: isfc.Layout) -> None:
    """Runs in virtual time, and a sweep of them."""
    done: isfc.Simulation = isfc.simulate(
        layout, "HS", pairs=2, seconds=0.01, warmup=0.01, trace=True
    )
    timeline: isfc.Timeline | None = done.timeline
    ios: tuple[isfc.Io, ...] = timeline.ios if timeline else ()
    print([each.outcome for each in ios])
    rows: list[dict[str, object]] = [dict(row) for row in done.rows()]
    print(len(rows), isfc.Workload)
    print(done.figures["mb_per_s"].ends.low, [note.text for note in done.notes])
    together: isfc.SimulatedLinks = isfc.simulate_links(
        "two-cecs", ["ALPHA-BETA:HS:1"], seconds=0.01, warmup=0.01
    )
    print({name: link.mb_per_s for name, link in together.links.items()})
    look, meanwhile = isfc.Look(report="device"), isfc.Meanwhile(fault_seed=1)
    for ran in (
        isfc.run(layout, "HS", pairs=2, seconds=0.01, look=look),
        isfc.run(layout, "HS", pairs=2, seconds=0.01, meanwhile=meanwhile),
    ):
        if isinstance(ran, isfc.RunView):
            print(ran.rows()[0]["rdev"])
        elif isinstance(ran, isfc.FaultsRun):
            print(ran.faults)
    answer: isfc.LinkRun = done.answer
    every: isfc.LinksRun = together.answer
    print(answer.figures["mb_per_s"], every.together.mb_per_s)
    swept: isfc.Sweep = isfc.sweep(GRID, jobs=1)
    place: isfc.SweptPlace
    for place in swept.best:
        print(place.place["pairs"], place.mb_per_s.value)
    print([row["mb_per_s"] > 0 for row in swept.rows()])


CHANNELS = """
[channel.40]
feature = "FICON Express8S"

[[io]]
name = "disks"
channels = ["40"]
protocol = "zhpf"
rate = 10000
"""


def channels() -> None:
    """Channels and disks, and CTCs beside them."""
    planned: isfc.IoEstimates = isfc.io_plan(CHANNELS)
    print(planned.channels[0].processor_percent)
    done: isfc.IoActivity = isfc.io_run(CHANNELS, seconds=0.01)
    chart: isfc.Chart = isfc.io_chart("mtu")
    beside: isfc.LinkBesideDisks | None = None
    print(done.rows(), [curve.name for curve in chart.curves], beside)
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write(CHANNELS)
        file.flush()
        sized: isfc.IoSizes = isfc.io_size(file.name, growth=10.0)
    print(sized.proposal)
    for call in (
        lambda: isfc.io_beside("published-1", "HS", pairs=1),
        lambda: [each.act for each in isfc.journal_show("no.journal")],
        lambda: isfc.journal_replay("no.journal"),
    ):
        try:
            print(call())
        except isfc.ConfigurationError as error:
            print(error, isfc.JournalInput, isfc.JournalReplay)


def guest() -> isfc.GuestPlan:
    """A small one."""
    memory: isfc.GuestMemory = isfc.GuestMemory(size=2**20, touched=2**20)
    return isfc.GuestPlan("LINUX1", memory, isfc.Limits(max_total=10.0))


def relocations(layout: isfc.Layout) -> None:
    """A guest that is moved in virtual time."""
    moved: isfc.Moves = isfc.relocate(layout, guest())
    print(took(moved))
    print([row["seconds"] for row in moved.rows()], moved.longest_stop)


def own_figures(layout: isfc.Layout) -> None:
    """A site's figures beside the model, and a fit to them."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as page:
        page.write("Addr Type ths I/O Pend Disc Conn Serv Busy\n6000 CTCA 1 .0 ... ... ... ... 0\n")
        page.flush()
        about = isfc.measured.AboutFiles(system="ATLANTA")
        seen: isfc.measured.Measurements = isfc.measured.read([page.name], about=about)
        first: isfc.measured.Measurement = seen.measurements[0]
        rows: list[dict[str, object]] = [*seen.rows(), *first.rows()]
        try:
            fitted: isfc.measured.Fitted = isfc.measured.fit("atlanta-boston", seen)
            profile: isfc.measured.SiteProfile = fitted.profile
            isfc.simulate(layout, "HS", pairs=1, seconds=0.01, warmup=0.01, profile=profile)
            moved = isfc.relocate(isfc.at_site("atlanta-boston", profile), guest())
            print(len(rows), isfc.measured.format_profile(profile), moved)
            beside = isfc.measured.compare("atlanta-boston", seen, profile=profile)
            one: isfc.measured.ComparedInterval = beside.intervals[0]
            print(one.median_errors, beside.rows())
            found: isfc.measured.Loads = isfc.measured.loads("atlanta-boston", seen, lost="none")
            print(found.ways[0].headroom, found.rows())
        except isfc.measured.FitRefused as refused:
            print(refused.answer.doubts)
        except isfc.ConfigurationError as error:
            print(error)


async def shout(conversation: isfc.Conversation) -> None:
    """A service."""
    async for data in conversation:
        await conversation.send(data.upper())


def decisions(layout: isfc.Layout) -> None:
    """What helps to decide between layouts."""
    link: isfc.CheckedLink
    found: isfc.CheckFinding
    for link in isfc.check(layout):
        for found in link.findings:
            print(link.nodes, found.id, found.severity, found.remedy)
    planned: isfc.PlannedLink | isfc.PlannedLinks = isfc.plan(layout, rule=True)
    print(planned.rows(), isinstance(planned, isfc.ModelledLink))
    lost: isfc.Losses = isfc.losses(layout, rule=True)
    lefts: tuple[isfc.Left, ...] = lost.losses
    print([left.name for left in lefts], lost.worst_text)
    first, second = layout.nodes
    told = isfc.Collection(
        (layout,),
        cecs=(isfc.Cec("EAST", (first,)),),
        traffic=(isfc.LinkTraffic(first, second, "HL", 50),),
        memory=(isfc.Memory(first, 64.0), isfc.Memory(second, 64.0)),
    )
    print(told, isfc.ChannelEnd(first, layout.fibres[0].chpids[0]))
    try:
        comparison: isfc.Comparison = isfc.compare([layout])
        pair: isfc.PairOdds
        for pair in comparison.odds:
            print(pair.ahead, pair.odds)
        judged: isfc.ComparedLayout = comparison.layouts[0]
        results: isfc.ComparedResults = isfc.compare_results("a.json", "b.json")
        print(judged.rate, results.figures)
    except isfc.ConfigurationError as error:
        print(error)
    best: isfc.SearchResult = isfc.optimise(
        layout, objective=["forward"], pairs=1, seconds=0.01, runs=1, seeds=1
    )
    print(best.given.figures)
    try:
        sized: isfc.LinkSizing = isfc.size(mb_per_s=0.5, lost="all")
        print(sized.rows(), [(of(one.left), one.odds_percent, one.layout) for one in sized.links])
    except isfc.ConfigurationError as error:
        print(error)
    plan = guest()
    emptied: isfc.Moves = isfc.evacuate(layout, layout.nodes[0], [plan])
    print(emptied.seconds)
    print(isfc.evacuate(layout, layout.nodes[0], [isfc.Tenant(plan, to=layout.nodes[1])]).seconds)
    tenant = isfc.Tenant(plan, source=layout.nodes[0])
    outcome: isfc.RollingMaintenance = isfc.rolling_maintenance(layout, [tenant])
    print(outcome.seconds, outcome.rows())


async def live() -> bytes:
    """Both ends of a live link, and what may go wrong on it."""
    address = f"unix:{tempfile.mkdtemp()}/link"
    node: isfc.OpenNode
    async with (
        isfc.open_node(
            "query-islink", "1STI", listen=address, limits=isfc.ConversationLimits()
        ) as node,
        isfc.open_node("query-islink", "2NDI", connect=address) as partner,
    ):
        partner.serve("SHOUT", shout)
        try:
            async with node.connect("SHOUT", isfc.Traffic.TRANSPORT) as conversation:
                await conversation.send(b"aloud")
                conversation.finish()
                return await conversation.receive()
        except isfc.ConversationSevered as error:
            code: isfc.SeverCode = error.code
            print(code)
        except (isfc.Backpressure, isfc.LocalProtocolError, isfc.RemoteProtocolError) as error:
            print(error)
        except isfc.IsfcError as error:
            print(error)
    return b""


def main() -> None:
    """Use everything once."""
    edits()
    exchanges(isfc.load_layout("atlanta-boston"))
    simulations(layouts())
    channels()
    relocations(layouts())
    decisions(isfc.load_layout("published-1"))
    own_figures(layouts())
    print(asyncio.run(live()))


if __name__ == "__main__":
    main()
