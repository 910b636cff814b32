"""What ``isfc io size`` shows: the choices of channels, and what else the mix needs."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isfc.io.advice import ZHYPERLINK_KM_MAX
from isfc.io.configuration import Protocol
from isfc.io.sizing import ASSUMED, Choice, RoomNeed, SapNeed, Sizing, SynchronousNeed
from isfc.layout.in_words import listed
from isfc.reports.table import plain_table

_PROTOCOLS = {Protocol.ZHPF: "zHPF", Protocol.FICON: "FICON"}


def sizing_page(sizing: Sizing, growth_percent: float, *, is_last: bool = True) -> RenderableType:
    """The page of one mix; an empty line follows if it is not the last."""
    mix, guidelines = sizing.mix, sizing.guidelines
    heading = Text.assemble(
        (mix.name, "bold"),
        f": {mix.io_per_s:,.0f} I/Os a second, {mix.read_mb_per_s:,.0f} MB/s read, "
        f"{mix.write_mb_per_s:,.0f} written",
    )
    later = f"now and with {growth_percent:g} % more; use of each with {growth_percent:g} % more"
    without = "; line% without waits for credits" if sizing.distances[-1].km else ""
    limits = (
        f"(processor at most {guidelines.processor_percent:g} %, "
        f"bus and line {guidelines.bus_percent:g} %{without})"
    )
    parts: list[RenderableType] = [heading, _verdict(sizing), *mix.notes, ""]
    parts += [f"Channels {later}", limits, _choices(sizing, growth_percent), *_assumed(), ""]
    parts += [_distances(sizing), "", *_others(sizing)]
    return Group(*parts, *([] if is_last else [""]))


def _choices(sizing: Sizing, growth_percent: float) -> Table:
    counts = (">now", f">+{growth_percent:g} %")
    used = (">proc%", ">bus%", ">line%", ">full first", ">at I/Os/s")
    table = plain_table("channel", *counts, *used, no_wrap=True)
    for choice in sizing.choices:
        use = choice.use
        table.add_row(
            _name(choice),
            str(choice.channels),
            str(choice.channels_grown),
            f"{100 * use.processor:.1f}",
            "-" if use.bus is None else f"{100 * use.bus:.1f}",
            f"{100 * max(use.line_read, use.line_write):.1f}",
            choice.first,
            f"{choice.first_at_io_per_s:,.0f}",
            style="bold green" if choice is sizing.best else "",
        )
    return table


def _assumed() -> Iterator[str]:
    """What is not known of the features that are not called best."""
    names = [feature.feature.removeprefix("FICON Express") for feature in ASSUMED]
    if names:
        none = "neither" if len(names) == 2 else "none"
        yield f"{listed(names)}: processor assumed, bus not known; so {none} is called best."


def _name(choice: Choice) -> str:
    feature = choice.feature.removeprefix("FICON Express")
    encrypted = " encr" if choice.encrypted else ""
    return f"{feature:<4} {_PROTOCOLS[choice.protocol]}{encrypted}"


def _distances(sizing: Sizing) -> RenderableType:
    """Inter-switch links for the mix when it has grown."""
    figures = (">ISLs", ">credits", ">full line", ">old rule", ">added us", ">more open exchanges")
    table = plain_table("km", *figures, no_wrap=True)
    for distance in sizing.distances:
        table.add_row(
            f"{distance.km:g}",
            str(distance.isls),
            str(distance.credits),
            str(distance.credits_full_line),
            str(distance.credits_by_rule),
            f"{distance.added_us:,.0f}",
            f"{distance.exchanges_added:,.0f}",
        )
    gbps = sizing.distances[0].link_gbps
    return Group(f"Inter-switch links of {gbps:g} Gb/s, zHPF: buffer credits of each port", table)


def _others(sizing: Sizing) -> Iterator[str]:
    yield from (_room(need) for need in sizing.rooms if need.percent)
    yield _saps(sizing.saps, sizing.guidelines.sap_percent, given=sizing.mix.saps is not None)
    if sizing.synchronous:
        yield from _synchronous(sizing.synchronous, sizing.distances[-1].km)
    else:
        yield "zHyperLink: no reads of 4096 bytes or less, so it would carry nothing."


def _room(need: RoomNeed) -> str:
    """What all channels share, when the mix has grown."""
    name = f"{need.level[0].upper()}{need.level[1:]}s"
    if need.percent > 100:
        return f"{name}: {need.count} cannot carry it; {need.needed} of their kind would."
    return f"{name}: {need.count}, {need.percent:.0f} % used."


def _saps(need: SapNeed, limit: float, *, given: bool) -> str:
    if need.saps is None:
        return f"SAPs: no z15 has enough to stay below {limit:g} %."
    if given and need.busy_percent > limit:
        return f"SAPs: {need.saps} would be {need.busy_percent:.0f} % busy, above {limit:g} %."
    verb = "are" if given else "would be enough,"
    return f"SAPs: {need.saps} of a z15 {verb} {need.busy_percent:.0f} % busy."


def _synchronous(need: SynchronousNeed, km: float) -> Iterator[str]:
    yield (
        f"zHyperLink: {need.links} link{'s' * (need.links > 1)} for {need.io_per_s:,.0f} reads a "
        f"second, {need.success_percent:.0f} % done there:"
    )
    more = f"{abs(need.processors):.2f} processors {'more' if need.processors > 0 else 'less'}"
    yield f"{need.saved_us:.0f} us saved a read, for {more} than asynchronous I/O takes."
    if km > ZHYPERLINK_KM_MAX:
        reach = f"{1000 * ZHYPERLINK_KM_MAX:g} m"
        yield f"Its cable reaches {reach}, so it is of no use to storage at {km:g} km."


def _verdict(sizing: Sizing) -> Text:
    """In one sentence what to order."""
    best, far = sizing.best, sizing.distances[-1]
    count = best.channels_grown
    zhpf = "on" if best.protocol is Protocol.ZHPF else "off"
    missing = len(sizing.mix.unmeasured)
    of_what = f" without the {missing} left out" if missing else ""
    text = f"Best{of_what}: {count} {best.feature} channel{'s' * (count > 1)}, zHPF {zhpf}"
    if far.km:
        links = f"{far.isls} ISL{'s' * (far.isls > 1)}"
        text += f"; at {far.km:g} km {links}, credits {far.credits}"
    return Text(text + ".", "bold")
