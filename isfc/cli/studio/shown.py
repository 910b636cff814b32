"""What the page shows of relocations: the answer, then its figures."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from markupsafe import Markup

from isfc.cli.html.template import details, panel, table
from isfc.cli.output.ranges import likely, range_note, read_range

Record = Mapping[str, Any]
_GIB: Final = 2**30
_MIB: Final = 2**20
Answer = tuple[str, str]


def relocation(record: Any) -> Markup:
    """``isfc relocate``: what became of each guest, then its passes."""
    ranges = record["ranges"] or {"guests": {}}
    way = f"{record['source']} to {record['destination']}"
    answers, passes = [], []
    for guest in record["guests"]:
        within = ranges["guests"].get(guest["name"])
        answers.append(_moved(guest, within, record["source"]))
        passes.append(_passes(guest))
    known = [read_range(record["seconds"], ranges["seconds"])] if "seconds" in ranges else []
    limits = record.get("limits")
    if limits:
        answers.append(("", f"Moving is {limits['text']} MB/s."))
    return panel(
        answers,
        (range_note(known), *(note["text"] for note in record["notes"])),
        below=details(f"The passes from {way}", Markup().join(passes)),
    )


def _moved(guest: Record, within: Record | None, source: str) -> Answer:
    seconds, stopped = (
        f"{guest[key]:.2f} s{_between(within and read_range(guest[key], within[key]))}"
        for key in ("seconds", "quiesced_seconds")
    )
    name = guest["name"]
    if guest["moved"]:
        gib = guest["bytes"] / _GIB
        turns = (
            " At one end of the range it is not moved." if within and within["other_end"] else ""
        )
        return (
            f"{name} is moved in {seconds}.",
            f"Stopped for {stopped}; {gib:.2f} GiB moved.{turns}",
        )
    ends: Mapping[str, Callable[[], str]] = {
        "max-quiesce": lambda: (
            f"it was stopped for longer than {guest['max_quiesce_s']:g} s "
            f"(MAXQUIESCE), and stays on {source}"
        ),
        "link-lost": lambda: "the link is down",
    }
    why = ends.get(guest["end"], lambda: guest["end"])()
    return f"{name} is not moved: {why}.", f"It was given up after {seconds}.{_ways(guest)}"


def _ways(guest: Record) -> str:
    """What would let it be moved."""
    would = guest["would_move"]
    if would is None:
        return ""
    change, quiesce, channels = (
        would[key] for key in ("change_bytes_per_s", "max_quiesce_s", "channels")
    )
    ways = [
        f"at most {change / _MIB:.3g} MB/s of change" if change else "",
        f"MAXQUIESCE {quiesce}" if quiesce else "",
        f"{channels} channels" if channels else "",
    ]
    found = ", or ".join(filter(None, ways))
    return f" By the rules it would be moved with {found}." if found else ""


def _passes(guest: Record) -> Markup:
    rows = (
        (
            f"{number}{' stopped' if each['quiesced'] else ''}",
            f"{each['begin_s']:.2f}",
            f"{each['seconds']:.2f}",
            f"{(each['bytes'] + each['state_bytes']) / _GIB:.3f}",
            f"{each['changed_bytes'] / _GIB:.3f}",
        )
        for number, each in enumerate(guest["passes"], start=1)
    )
    heads = ("pass", "begins s", "takes s", "moves GiB", "changed GiB")
    return table(f"Passes of {guest['name']}", heads, rows)


def _between(within: Any) -> str:
    return f" ({likely(within)})" if within else ""
