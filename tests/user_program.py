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
    fibre: isfc.Fibre = layout.fibres[0]
    pair: isfc.CtcPair = layout.ctcs[0]
    node: isfc.NodeName = layout.nodes[0]
    judged: isfc.Plan = isfc.plan(layout)
    print(fibre.name, pair.rdevs, node, [way.estimated_mb_per_s for way in judged.directions])
    try:
        isfc.parse_layout("nonsense")
    except isfc.ConfigurationError as error:
        print(error)
    return layout


def simulations(layout: isfc.Layout) -> None:
    """Runs in virtual time, and a sweep of them."""
    done: isfc.Simulation = isfc.simulate(layout, "HS", pairs=2, seconds=0.01, warmup=0.01)
    rows: list[dict[str, object]] = [dict(row) for row in done.rows()]
    print(len(rows), isfc.Workload)
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as grid:
        grid.write(GRID)
        grid.flush()
        for row in isfc.sweep(grid.name, jobs=1):
            print(row["pairs"], row["mb_per_s"] > 0)


async def shout(conversation: isfc.Conversation) -> None:
    """A service."""
    async for data in conversation:
        await conversation.send(data.upper())


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
            async with await node.connect("SHOUT", isfc.Traffic.TRANSPORT) as conversation:
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
    simulations(layouts())
    print(asyncio.run(live()))


if __name__ == "__main__":
    main()
