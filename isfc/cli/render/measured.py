"""What ``isfc measured`` shows: measurements as they were read."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table

from ctc.address import format_rdev
from isfc.measured.measurement import DeviceFigures, LinkFigures, Measurement


def read_page(measurements: Sequence[Measurement]) -> RenderableType:
    """Each measurement: its heading, its devices and its link."""
    parts: list[RenderableType] = []
    for one in measurements:
        parts += [""] * bool(parts)
        parts.append(measured_heading(one))
        if one.devices:
            parts.append(_devices(one.devices))
        if one.links:
            parts.append(_links(one.links))
    return Group(*parts)


def measured_heading(one: Measurement) -> str:
    """Which system, which interval, and what is said to have run."""
    said = [one.system or "a system that is not named", one.interval]
    if one.ran is not None:
        said.append(f"ran {one.ran.workload} with {one.ran.pairs} pairs")
    if one.emulated:
        said.append("emulated")
    return f"{one.place}: {', '.join(said)}"


def plain_table(*headings: str) -> Table:
    """A table without lines, the first column to the left, figures to the right."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if index else "left")
    return table


def _devices(devices: Sequence[DeviceFigures]) -> Table:
    table = plain_table("RDEV", "I/O/s", "Pend", "Disc", "Conn", "Serv", "Busy %")
    for each in devices:
        times = (each.pend_ms, each.disc_ms, each.conn_ms, each.serv_ms)
        figures = (each.io_per_s, *times, each.busy_percent)
        table.add_row(format_rdev(each.rdev), *map(_figure, figures))
    return table


def _links(links: Sequence[LinkFigures]) -> Table:
    table = plain_table("", "MB/s", "messages/s", "packages/s", "bytes/package", "collisions/s")
    for link in links:
        for cells in _ways(link):
            table.add_row(*cells)
    return table


def _ways(link: LinkFigures) -> Iterator[tuple[str, ...]]:
    for name, way in (("written", link.written), ("read", link.read)):
        yield (
            name,
            f"{way.mb_per_s:.1f}",
            f"{way.messages_per_s:.1f}",
            f"{way.packages_per_s:.1f}",
            f"{way.bytes_per_package:.0f}",
            f"{link.collisions_per_s:.1f}" if name == "written" else "",
        )


def _figure(value: float | None) -> str:
    return "..." if value is None else f"{value:.1f}"
