"""Monitor records as measurements: counters of two samples become rates of an interval.

Which links there were and how they changed is read by known layouts, what they did by the layouts
that the user supplies. Times are the TOD clock's, in UTC.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from ctc.address import CtcError, Rdev, format_rdev, parse_rdev
from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.errors.in_words import first_listed
from isfc.link.name import NodeName
from isfc.site.figures import BadFigure, Reading
from isfc.site.measurement import (
    WAYS,
    ConfiguredLink,
    DeviceFigures,
    FilePlace,
    LinkChange,
    LinkFigures,
    Measurement,
)
from isfc.site.monitor_records import (
    ACTIVITIES,
    CHANGE,
    INTERVAL_END,
    LINK,
    LINK_ENDS,
    SUPPLIED,
    TIMES,
    Field,
    MonitorRecord,
    RecordLayout,
    position_of,
    read_records,
    time_of,
)

_TOD_PER_S: Final = 4096 * 1_000_000
_MB: Final = 2**20
_NAMED_MAX: Final = 8
"""RDEVs that a note names."""

Counters = Mapping[str, int]


class _Counted(Struct, frozen=True):
    """What the counters of a device or a link were, when, and in which sample with rows."""

    tod: int
    counters: Counters
    sample: int


class _Rows(Struct):
    """What one sample showed, and where it begins."""

    place: FilePlace
    number: int = 0
    """Which of the samples that have rows it is; 0 while it has none."""
    begin_tod: int | None = None
    devices: list[DeviceFigures] = []
    links: list[LinkFigures] = []


class _Monitor(Struct):
    """The records of one file, as they are read."""

    reading: Reading
    supplied: Mapping[str, RecordLayout]
    links: dict[str, ConfiguredLink] = {}
    changes: list[LinkChange] = []
    ends: list[tuple[int, LinkChange]] = []
    """Changes with which a link came up or went down, and so its counters began again."""
    before: dict[tuple[str, str], _Counted] = {}
    """Of each device and each link, by the record's name and its own."""
    samples: int = 0
    passed: dict[str, int] = {}
    """Records that no layout was supplied for, and how many."""
    found: list[Measurement] = []
    partners: set[str] = set()
    """The nodes that D1R24 and D9R3 name."""
    noted: set[str] = set()
    rows: _Rows | None = None
    group: int = 0
    ended_tod: int | None = None

    def take(self, record: MonitorRecord) -> None:
        """Read one record."""
        if record.group != self.group:
            self.close()
            self.group, self.rows, self.ended_tod = record.group, _Rows(record.place), None
        if record.name == "D1R24":
            self.reading.attempt(record.place, partial(self._configured, record))
        elif record.name == "D9R3":
            self.reading.attempt(record.place, partial(self._changed, record))
        elif record.name in self.supplied:
            self.reading.attempt(record.place, partial(self._sampled, record))
        elif record.name in SUPPLIED:
            self.passed[record.name] = self.passed.get(record.name, 0) + 1
        elif record.name == INTERVAL_END and record.sample:
            self.ended_tod = record.tod

    def close(self) -> None:
        """A set of records has ended: what was sampled is of one interval."""
        rows, ended = self.rows, self.ended_tod
        if rows is None or not (rows.devices or rows.links):
            return
        if ended is None:
            self.reading.problems.append(
                f"{rows.place}: a sample without the record that ends it ({INTERVAL_END}); "
                "expected one: has the file been cut?"
            )
            return
        begin = None if rows.begin_tod is None else _iso(rows.begin_tod)
        kept = self._of_links(rows.devices)
        if rows.devices and not kept:
            listed = first_listed([*map(format_rdev, self._rdevs())], _NAMED_MAX)
            self._note(
                f"no D6R3 of the links' devices {listed}: left out: those of others; expected "
                "them, if they are monitored: is the offset of rdev right?"
            )
        for link in rows.links:
            if self.links and link.partner not in self.partners:
                self._note(
                    f"D9R4 names node {link.partner}, and D1R24 {', '.join(self.links)}; expected "
                    "the same, unless the link is new: are offset and length of partner right?"
                )
        self.found.append(
            Measurement(
                None,
                begin,
                _iso(ended),
                rows.place,
                zone="UTC",
                devices=kept,
                links=tuple(rows.links),
                configured=tuple(self.links.values()),
                changes=tuple(self.changes),
            )
        )
        self.changes = []

    def rest(self) -> list[Measurement]:
        """All measurements; where nothing was sampled, one of the links and their changes alone."""
        self.close()
        if not self.found and (self.links or self.changes):
            links, changes = tuple(self.links.values()), tuple(self.changes)
            place = links[0].place if links else changes[0].place
            self.found.append(
                Measurement(None, None, None, place, "UTC", configured=links, changes=changes)
            )
        return self.found

    def _of_links(self, devices: Sequence[DeviceFigures]) -> tuple[DeviceFigures, ...]:
        """The devices of the links that are known; all of them if none is, as changes name few."""
        of_links = {*self._rdevs()}
        changed = {change.rdev for change in self.changes}
        known = of_links | changed if of_links else of_links
        return tuple(each for each in devices if each.rdev in known or not known)

    def _rdevs(self) -> list[Rdev]:
        return [rdev for link in self.links.values() for rdev in link.rdevs]

    def _note(self, text: str) -> None:
        """What an interval shows, said of the first that does."""
        assert self.rows is not None
        if text not in self.noted:
            self.noted.add(text)
            self.reading.notes.append(f"{self.rows.place}: {text}")

    def _configured(self, record: MonitorRecord) -> None:
        node = LINK["partner"].text(record)
        count = LINK["count"].number(record)
        text = LINK["rdevs"].text(record)
        rdevs = tuple(_rdev(text[4 * i : 4 * i + 4], record) for i in range(min(count, 16)))
        self.links[node] = ConfiguredLink(node, rdevs, record.place)
        self.partners.add(node)

    def _changed(self, record: MonitorRecord) -> None:
        code = CHANGE["activity"].number(record)
        activity = ACTIVITIES.get(code, f"activity {code}")
        rdev = _rdev(CHANGE["rdev"].text(record), record)
        partner = CHANGE["partner"].text(record)
        change = LinkChange(partner, rdev, activity, _iso(record.tod), record.place)
        self.changes.append(change)
        self.partners.add(partner)
        if code in LINK_ENDS:
            self.ends.append((record.tod, change))

    def _sampled(self, record: MonitorRecord) -> None:
        """Counters of a device or of a link: figures, if there was a sample of it before."""
        fields = self.supplied[record.name].fields
        name = _name(record, fields["rdev" if record.name == "D6R3" else "partner"][0])
        now = {
            quantity: sum(each.number(record) for each in of)
            for quantity, of in fields.items()
            if quantity not in ("rdev", "partner")
        }
        rows = self.rows
        assert rows is not None
        if not rows.number:
            self.samples += 1
            rows.number = self.samples
        before = self.before.get((record.name, name))
        self.before[record.name, name] = _Counted(record.tod, now, rows.number)
        if before is None:
            return
        seconds = (record.tod - before.tod) / _TOD_PER_S
        if seconds <= 0:
            raise BadFigure(f"{record.name} of {name} is not later than the one before it")
        if before.sample < rows.number - 1:
            self.reading.notes.append(
                f"{record.place}: left out: {record.name} of {name}, as the sample before has none"
            )
            return
        grown = self._grown(record, name, before, now)
        if grown is None:
            return
        rows.begin_tod = before.tod if rows.begin_tod is None else rows.begin_tod
        if record.name == "D6R3":
            rows.devices.append(_device(record, name, grown, fields, seconds))
        else:
            grown["tx_pend_count"] = now["tx_pend_count"]
            rows.links.append(_link(record, name, grown, seconds))

    def _grown(
        self, record: MonitorRecord, name: str, before: _Counted, now: Counters
    ) -> dict[str, int] | None:
        """By how much counters grew since the sample before; None, and a note, if they began again.

        A counter of 4 bytes may have wrapped. One that would have grown by more than half of its
        range has not, and one of 8 bytes never has.
        """
        fields, grown = self.supplied[record.name].fields, {}
        restarted = None
        for quantity, count in now.items():
            length = max(each.length for each in fields[quantity])
            growth = (count - before.counters[quantity]) % 2 ** (8 * length)
            grown[quantity] = growth
            fell = count < before.counters[quantity]
            counts = quantity != "tx_pend_count"
            if counts and fell and (length > 4 or growth >= 2 ** (8 * length - 1)):
                restarted = (
                    f"{fields[quantity][0].name} fell from {before.counters[quantity]} to {count}"
                )
        for tod, change in self.ends:
            if record.name == "D9R4" and change.partner == name and before.tod < tod <= record.tod:
                restarted = f"{change.activity}, {change.place}"
        if restarted is not None:
            self.reading.notes.append(
                f"{record.place}: left out: {record.name} of {name}, whose counters begin again "
                f"({restarted})"
            )
        return None if restarted else grown


def read_monitor(
    data: bytes, file: str, reading: Reading, supplied: Iterable[RecordLayout]
) -> list[Measurement]:
    """The measurements of a MONWRITE file; what is wrong goes to ``reading``.

    Records of devices and link activity need a layout that was ``supplied``: without one they are
    what is wrong.
    """
    monitor = _Monitor(reading, {layout.record: layout for layout in supplied})
    try:
        for record in read_records(data, file, reading.notes):
            monitor.take(record)
    except BadFigure as error:
        reading.problems.append(str(error))
    for name, count in monitor.passed.items():
        reading.problems.append(
            f"{file}: {count} records {name}, whose layout is not known here; expected it with "
            f"{spelt('records')} FILE.csv: IBM publishes it at {position_of(name)}"
        )
    return monitor.rest()


def _name(record: MonitorRecord, where: Field) -> str:
    if not where.character:
        return f"{where.number(record):04X}"
    try:
        return str(NodeName(where.text(record)))
    except ConfigurationError as error:
        raise BadFigure(
            f"{record.name} {where.name} at {where.offset}: {error}; is its offset right?"
        ) from None


def _rdev(text: str, record: MonitorRecord) -> Rdev:
    try:
        return parse_rdev(text)
    except CtcError:
        raise BadFigure(f"{record.name} names device {text!r}; expected one such as 6000") from None


def _device(
    record: MonitorRecord,
    name: str,
    grown: Counters,
    fields: Mapping[str, tuple[Field, ...]],
    seconds: float,
) -> DeviceFigures:
    count = grown["ssch_count"]
    spent_ms = {
        quantity: grown[quantity] * (fields[quantity][0].unit_ns or 0) / 1e6 for quantity in TIMES
    }
    total_ms = sum(spent_ms.values())
    if not count and total_ms:
        raise BadFigure(
            f"RDEV {name} was connected, and no SSCH was counted; expected some: another field may "
            "count them, which a column 'quantity' can name"
        )
    pend, disc, conn = (spent_ms[each] / count if count else None for each in TIMES)
    rdev, busy = _rdev(name, record), total_ms / seconds / 10
    serv = total_ms / count if count else None
    return DeviceFigures(rdev, count / seconds, pend, disc, conn, serv, busy, record.place, None)


def _link(record: MonitorRecord, partner: str, grown: Counters, seconds: float) -> LinkFigures:
    figures = {
        "tx_pend_count": float(grown["tx_pend_count"]),
        "collisions_per_s": grown["write_collisions"] / seconds,
    }
    for side in WAYS:
        count, messages, packages = (
            grown[f"{side}_{what}"] for what in ("bytes", "messages", "packages")
        )
        figures |= {
            f"{side}_mb_per_s": count / seconds / _MB,
            f"{side}_messages_per_s": messages / seconds,
            f"{side}_packages_per_s": packages / seconds,
            f"{side}_bytes_per_package": count / packages if packages else 0.0,
            f"{side}_messages_per_package": messages / packages if packages else 0.0,
        }
    return LinkFigures.of(partner, figures, record.place)


def _iso(tod: int) -> str:
    return time_of(tod).strftime("%Y-%m-%dT%H:%M:%S")
