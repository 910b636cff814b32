"""One link in a plan: what it carries, what limits it, what to do; then each direction and CTC."""

from collections import Counter
from collections.abc import Iterator

from msgspec import UNSET

from isfc.answers.plan import Modelled, PlannedCtc, PlannedLink, planned_by_rule
from isfc.layout.plan import Plan
from isfc.layout.rules.rule import Severity, count_of
from isfc.reports.figure import Figure, NoRange, Unit
from isfc.reports.report import NODE_STYLES, Column, Report, Table, caveats
from isfc.reports.units import with_unit


def plan_report(found: PlannedLink) -> Report:
    """What a link carries, what limits it, what to do; then each direction and the device list."""
    ctcs, fibres = len(found.ctcs), len({each.fibre for each in found.ctcs})
    of = f"{ctcs} CTC{'s' * (ctcs > 1)} on {fibres} fibre{'s' * (fibres > 1)}"
    remarks, rest = caveats(found.notes)
    first = [each for each in found.advice if each.severity is Severity.WARNING]
    advice = [*first, *(each for each in found.advice if each not in first)]
    tables, known = _more(found)
    return Report(
        f"{found.nodes.first} - {found.nodes.second}: {of}",
        [*_answer(found)],
        [ways_table(found), ctcs_table(found), *tables],
        remarks=remarks,
        notes=[
            *(found.model.known if found.model else ()),
            *known,
            *rest,
            *(f"{each.severity.noun}: {each.text}" for each in advice),
        ],
    )


def judgement_report(judged: Plan) -> Report:
    """The same by IBM's rule of thumb alone."""
    return plan_report(planned_by_rule(judged))


def _more(found: PlannedLink) -> tuple[list[Table], list[str]]:
    """The tables of what was asked beside, and what is known of them."""
    tables, known = list[Table](), list[str]()
    if found.rests_on is not UNSET:
        from isfc.answers.limit import rests_on_table  # the model, which a rule does without

        tables.append(rests_on_table(found.rests_on))
    if found.disks is not UNSET:
        from isfc.answers.shared import disks_known, disks_tables  # most links share with none

        tables += disks_tables(found.disks)
        known.append(disks_known(found.disks))
    return tables, known


def _answer(found: PlannedLink) -> Iterator[tuple[str, str]]:
    model, worst = found.model, _worst(found)
    if model is None:
        ways = (f"{sender} {rate}" for sender, rate in found.estimated_mb_per_s.items())
        yield "Carries", f"{', '.join(ways)} MB/s one way, by IBM's rule of thumb"
        yield "Lose a chpid", worst
        yield "Found", f"{count_of(each.severity for each in found.advice)} (isfc check)"
        return
    rates = {sender: _count_on(model, sender) for sender in model.stated}
    differ = len({*rates.values()}) > 1
    ways = (f"{sender} {rate}" for sender, rate in rates.items())
    yield "Carries", ", ".join(ways) if differ else f"{next(iter(rates.values()))} each way"
    yield "Limited by", model.limited_by
    yield "Lose a chpid", worst
    yield "To do", model.to_do
    slower = min(model.stated, key=lambda sender: model.stated[sender].value)
    if slower in model.limits and (gain := model.limits[slower].gain):
        yield "To gain", f"{slower} sending: {gain}" if differ else gain


def _count_on(model: Modelled, sender: str) -> str:
    """``390 MB/s (335-454)``: with the stated load; IBM's ceiling, if that is less."""
    rate, modelled = model.to_count_on[sender], with_unit(model.stated[sender])
    if rate.no_range != NoRange.PUBLISHED:
        return modelled
    return f"{with_unit(rate)}, IBM's ceiling of command mode (by the model {modelled})"


def _worst(found: PlannedLink) -> str:
    """``worst is 42 (mate 52): 390 MB/s (335-454) are left, 60 % (54-66)``."""
    worst = found.worst_chpid
    name = worst.gone.removeprefix("chpid ")
    if not worst.rate.value:
        return f"worst is {name}: nothing is left"
    is_by_rule = found.model is not None and worst.rate.no_range == NoRange.BY_RULE
    by_rule = ", by IBM's rule of thumb" * is_by_rule  # beside figures of the model
    return f"worst is {name}: {with_unit(worst.rate)} are left, {with_unit(worst.left)}{by_rule}"


def ways_table(found: PlannedLink) -> Table:
    """How much each node can send, and over which chpids."""
    model, rule = found.model, found.estimated_mb_per_s
    columns = [Column("sender", "sender", value=str)]
    if model:
        columns += [
            Column("MB/s", "stated", value=lambda sender: model.stated[sender]),
            Column("saturated", "saturated", value=lambda sender: model.saturated[sender]),
        ]
    columns += [
        Column(
            "rule",
            "rule",
            value=lambda sender: Figure(rule[sender], Unit.MB_PER_S, no_range=NoRange.BY_RULE),
        ),
        Column(
            "CTCs it writes on, in this order",
            "writes_on",
            value=lambda sender: _chpids(found, sender),
        ),
    ]
    load = (
        f", {model.stated_pairs} pairs of {model.workload}; {model.saturating_pairs} for "
        "saturated, limits and gains"
        if model
        else ""
    )
    return Table(f"MB/s (2^20) one way{load}", columns, [*rule], "ways")


def _chpids(found: PlannedLink, sender: str) -> str:
    """``4 of 40, 3 of 41``: how many CTCs of each, whichever fibres they are on."""
    counts = Counter[str]()
    for use in found.chpids[sender]:
        counts[use.chpid] += use.write_ctcs
    return ", ".join(f"{count} of {chpid}" for chpid, count in counts.items())


def ctcs_table(found: PlannedLink) -> Table:
    """The device list: as which choice each node writes on each CTC, if it does."""
    first, second = found.nodes.first, found.nodes.second
    here, there = NODE_STYLES
    width = max(len(each.speed) for each in found.ctcs)

    def fibre(ctc: PlannedCtc) -> str:
        back, forth = "<-" if second in ctc.writes else "--", "->" if first in ctc.writes else "--"
        return f"{back} {ctc.speed:^{width}} {forth}"

    columns = (
        Column(first, "first", style=here, value=lambda ctc: ctc.writes.get(first)),
        Column("RDEV", "first_rdev", style=here, value=lambda ctc: ctc.rdevs[first]),
        Column("chpid", "first_chpid", style=here, value=lambda ctc: ctc.chpids[first]),
        Column("fibre", "fibre", spare=True, value=fibre),
        Column("chpid", "second_chpid", style=there, value=lambda ctc: ctc.chpids[second]),
        Column("RDEV", "second_rdev", style=there, value=lambda ctc: ctc.rdevs[second]),
        Column(second, "second", style=there, value=lambda ctc: ctc.writes.get(second)),
    )
    return Table(_stop_short(found), columns, found.ctcs, "ctcs")


def _stop_short(found: PlannedLink) -> str:
    """The order in which each node writes, and what that leaves to one of them."""
    if not found.stop_short:
        return "A single CTC: the scan does not stop short, and both nodes write on it."
    short = found.stop_short
    last = f"last {short}" if short > 1 else "last"
    own = (
        f"only {node} writes on {', '.join(sorted(rdevs))}"
        for node, rdevs in found.exclusive.items()
    )
    return (
        "The device list, numbered in the order in which each node tries to write; arrows show who "
        f"does. Neither writes on the {last} of its order: {', '.join(own)}."
    )
