"""What commands print as ``--json``, as parts of the page: the answer first, then its figures."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from markupsafe import Markup

from isfc.cli.html.template import details, greatest, ranged, render, table
from isfc.cli.judgement.limit import short_record
from isfc.cli.output.ranges import likely, range_note, read_range, share_note

Record = Mapping[str, Any]
_GIB: Final = 2**30
_MIB: Final = 2**20
Answer = tuple[str, str]


def losses(record: Any) -> Markup:
    """``isfc plan --lose`` of one link: the worst loss, then what each leaves."""
    lefts: Sequence[Record] = record
    whole, *lost = lefts
    nodes = [*whole["estimated_mb_per_s"]]
    most = greatest(_left_range(left, node) for left in lefts for node in nodes)
    modelled = whole["simulated_mb_per_s"] is not None
    heads = [(f"{node} MB/s", *(["by rule"] if modelled else [])) for node in nodes]
    why = ("slower is limited by",) if modelled else ()
    alike = groupby(lefts, lambda left: (left["kind"], *_loss_cells(left, nodes, most)))
    rows = [(_gone([*each]), *cells) for (_, *cells), each in alike]
    told = "with 50 pairs of HL, by the model" if modelled else "by IBM's rule of thumb"
    caption = (
        f"MB/s (2^20) one way that each can send with one piece gone, {told}; % of the slower "
        "direction of the whole"
    )
    known = range_note(_left_range(whole, node) for node in nodes)
    return _panel(
        whole,
        [_worst(lost)] if lost else [],
        [known, share_note(_share_ranges(lost))],
        figures=table(caption, ("gone", "CTCs left", "left %", *sum(heads, ()), *why), rows),
        limited="The whole link is",
    )


def _pieces(lost: Sequence[Record]) -> Sequence[Record]:
    """What a link can be built to survive: no CEC, which takes its systems along, and no system."""
    return [each for each in lost if each["kind"] not in ("cec", "system")] or lost


def _worst(lost: Sequence[Record]) -> Answer:
    """What is gone, and the sentence on what it leaves."""
    worst = min(_pieces(lost), key=lambda left: left["left_share"])
    return _worst_of(lost, _gone([worst])), worst["text"].partition(": ")[2]


def _worst_of(lost: Sequence[Record], name: str) -> str:
    return f"{name} gone." if len(lost) == 1 else f"Worst: {name} gone."


def _loss_cells(left: Record, nodes: Sequence[str], most: float) -> Iterator[str]:
    yield str(left["ctcs_left"])
    yield "100" if left["left_share"] is None else f"{100 * left['left_share']:.0f}"
    for node in nodes:
        yield ranged(f"{_rates(left)[node]:.0f}", _left_range(left, node), most)
        if left["simulated_mb_per_s"] is not None:
            yield f"{left['estimated_mb_per_s'][node]:.0f}"
    if left["simulated_mb_per_s"] is not None:
        yield short_record(left["limits"]) if left["limits"] else ""


def _rates(left: Record) -> Mapping[str, float]:
    rates: Mapping[str, float] = left["simulated_mb_per_s"] or left["estimated_mb_per_s"]
    return rates


def _left_range(left: Record, node: str) -> Any:
    found = (left["simulated_range"] or {}).get(node)
    return found and read_range(_rates(left)[node], found)


def _share_ranges(lefts: Iterable[Record]) -> list[Any]:
    """What losses leave of the whole, with ranges."""
    return [
        read_range(left["left_share"], left["left_share_range"])
        for left in lefts
        if left.get("left_share_range")
    ]


def _gone(lefts: Sequence[Record]) -> str:
    """``chpid 40 (50)``, ``CTCs 6000, 6001``, ``director 1``: of a kind, that leave as much."""
    named = (" ".join(_name(*left["gone"].values())) for left in lefts if left["gone"])
    as_named = lefts[0]["kind"] == "together"
    names = [name if as_named else name.replace(":", " ") for name in named]
    kind = {"chpid": "chpid", "ctc": "CTC"}.get(lefts[0]["kind"] or "", "")
    plural = "s" if kind and len(names) > 1 else ""
    return f"{kind}{plural} {', '.join(names)}".strip() or "nothing"


def _name(here: str, *there: str) -> Iterator[str]:
    yield here
    yield from (f"({other})" for other in there if other != here)


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
    return _panel(
        record,
        answers,
        [range_note(known)],
        limited="Moving is",
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


def together(record: Any) -> Markup:
    """``isfc plan`` of links that share channels: each alone and with all, then the channels."""
    if "together" not in record:
        return _panel(
            {}, [("No two links share a channel.", "Each carries what it carries alone.")]
        )
    links: Sequence[Record] = record["together"]
    found = [read_range(sum(each["together_mb_per_s"]), each["together_range"]) for each in links]
    least = min(links, key=_kept)
    rows = (
        (
            each["link"],
            *(f"{rate:.0f}" for rate in each["alone_mb_per_s"]),
            *(f"{rate:.0f}" for rate in each["together_mb_per_s"]),
            ranged(f"{within.value:.0f}", within, greatest(found)),
            f"{100 * _kept(each):.0f} %",
        )
        for each, within in zip(links, found, strict=True)
    )
    ways = ("alone, to", "alone, from", "together, to", "together, from")
    shared = [*record["channels"], *record["paths"]]
    busiest = max(shared, key=lambda each: each["busy_percent"], default=None)
    said = f"Busiest: {busiest['name']}, {busiest['busy_percent']:.0f} %." if busiest else ""
    kept = f"{100 * _kept(least):.0f} %"
    answer = f"With all links at work {least['link']} keeps {kept} of what it carries."
    return _panel(
        record,
        [(answer, said)],
        [range_note(found)],
        figures=table("MB/s (2^20) one way", ("link", *ways, "both ways", "kept"), rows),
        limited="All together are",
        below=details("What several fibres share", _shared(shared)),
    )


def _kept(link: Record) -> float:
    """The share of what a link carries alone that is left with the others."""
    share: float = sum(link["together_mb_per_s"]) / (sum(link["alone_mb_per_s"]) or 1.0)
    return share


def _shared(shared: Iterable[Record]) -> Markup:
    rows = (
        (
            each["name"],
            *(f"{each[key]:.0f}" for key in ("mb_per_s_out", "mb_per_s_in", "busy_percent")),
        )
        for each in shared
    )
    return table("MB/s (2^20), all links together", ("channel", "out", "in", "busy %"), rows)


def cluster_losses(record: Any) -> Markup:
    """``isfc plan --lose`` of all links: the worst loss, then what each leaves.

    Of links that share nothing, one after the other.
    """
    if "losses" not in record:
        return Markup().join(map(losses, record["links"]))
    lost: Sequence[Record] = record["losses"]
    found = [each.get("range") and read_range(each["mb_per_s"], each["range"]) for each in lost]
    worst = min(_pieces(lost), key=lambda each: (each.get("left_share", 0.0), -len(each["cut"])))
    down = f"Down: {', '.join(worst['cut'])}." if worst["cut"] else "No link is down."
    left = worst["text"].partition(": ")[2] if "text" in worst else ""
    rows = (
        (
            each["name"],
            ranged(f"{each['mb_per_s']:.0f}", within, greatest(found))
            if "mb_per_s" in each
            else "",
            f"{100 * each['left_share']:.0f}" if "left_share" in each else "",
            short_record(each["limits"]) if each.get("limits") else "",
            ", ".join(each["cut"]) or "none",
            ", ".join(f"{name} {left} of {had}" for name, left, had in each["fewer"]) or "none",
        )
        for each, within in zip(lost, found, strict=True)
    )
    heads = (
        "gone",
        "slower way of each",
        "left %",
        "limited by",
        "links down",
        "links with fewer CTCs",
    )
    return _panel(
        record,
        [(_worst_of(lost, worst["name"]), f"{left} {down}".strip())],
        [range_note(found), share_note(_share_ranges(lost))],
        figures=table("MB/s (2^20) that is left, by the model", heads, rows),
    )


def _between(within: Any) -> str:
    return f" ({likely(within)})" if within else ""


def _panel(
    record: Record,
    answers: Iterable[Answer],
    ranges: Iterable[str] = (),
    *,
    figures: str = "",
    limited: str = "",
    below: str = "",
) -> Markup:
    """The answers, a table of figures and what is ``below`` it; then notes.

    What limits it stands after the words ``limited``.
    """
    notes = (*ranges, *(note["text"] for note in record.get("notes", ())))
    return render(
        "studio/page/shown.html",
        answers=answers,
        figures=figures,
        limited=limited,
        limits=limited and record.get("limits"),
        below=below,
        notes=[*dict.fromkeys(filter(None, notes))],
    )
