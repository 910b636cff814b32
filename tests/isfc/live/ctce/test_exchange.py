"""CTCs between real systems without any I/O: times, collisions, books, and journals that replay."""

from functools import cache
from io import BytesIO
from random import Random

import pytest
from msgspec.structs import replace

from ctc.adapter import Step
from ctc.channel import ChannelUse
from ctc.fabric import FabricRoute
from ctc.features import EXPRESS2, EXPRESS4, ChpidProfile
from ctc.order import COLLISION, FibreKind, Order
from ctc.queues import NEVER_NS
from ctc.state import State
from ctc.subchannel import Command
from isfc.engine.framed import CTCE_HEADER, frame_record
from isfc.errors import JournalError
from isfc.live.ctce.exchange import (
    CtcPlace,
    Delayed,
    EndAttached,
    EndDetached,
    Exchange,
    ExchangeDefinition,
    ExchangeEvent,
    ExchangeInput,
    Noted,
    OrderStep,
    Pulled,
    Restored,
    Said,
    Stalled,
    Told,
)
from isfc.live.ctce.ios import CommandIo, IoBook
from isfc.live.ctce.journal import (
    CtceJournal,
    ToldDigest,
    begin_record,
    end_record,
    input_record,
    replay,
)
from tests.isfc.live.ctce.ports import two_ends

A, B = CtcPlace(0, 0), CtcPlace(0, 1)
PACED = ExchangeDefinition((FibreKind(EXPRESS4, 50_000),), (0,), both_fail=True)


def written(length: int, state: State = State.WRITE) -> Order:
    return Order(Command.WRITE, state, length, bytes(length))


def read(length: int, state: State = State.AVAILABLE) -> Order:
    return Order(Command.READ, state, length)


class Run:
    """An exchange with both ends of each CTC attached, and all that comes of it."""

    def __init__(self, definition: ExchangeDefinition, *, wins: bool = False) -> None:
        self.exchange = Exchange(definition, lambda _at, _order: None)
        self.events: list[ExchangeEvent] = []
        self.ios: list[CommandIo] = []
        self.book = IoBook(self.exchange.adapters)
        self.book.ended.append(self.ios.append)
        self.exchange.observers.extend([self.events.append, self.book])
        self.now_ns = 0
        for ctc in range(len(definition.on)):
            for end in (0, 1):
                at = CtcPlace(ctc, end)
                self.apply(EndAttached(at, wins and not end, holds=False, length_max=100_000))
        self.settle()
        self.events.clear()

    def apply(self, *given: ExchangeInput) -> None:
        """Let something happen now."""
        for each in given:
            self.exchange.apply(each, self.now_ns)

    def settle(self) -> None:
        """Let all arrive that is under way."""
        while (due_ns := self.exchange.due_ns) < NEVER_NS:
            self.exchange.advance(due_ns)
            self.now_ns = max(self.now_ns, due_ns)

    def told(self, at: CtcPlace) -> list[Order]:
        """What an end was told."""
        return [each.order for each in self.events if isinstance(each, Told) and each.at == at]

    @property
    def steps(self) -> list[Step]:
        """What became of each order."""
        return [each.step for each in self.events if isinstance(each, OrderStep)]


def took_ns(kind: FibreKind, ctcs: int = 1, other: FibreKind | None = None) -> int:
    """How long WRITEs of 32 KB take, one of each CTC; the second CTC may be on ``other``."""
    kinds = (kind,) if other is None else (kind, other)
    on = (0,) * ctcs if other is None else (0, 1)
    run = Run(ExchangeDefinition(kinds, on))
    begin_ns = run.now_ns
    run.apply(*(Said(CtcPlace(ctc, 0), written(32_768)) for ctc in range(len(on))))
    run.settle()
    return run.now_ns - begin_ns


def on_channel(profile: ChpidProfile, there: str, isl_ns_per_byte: float = 0.0) -> FibreKind:
    """A fibre from one channel of the first system to one of the second's."""
    trunk = ("there", isl_ns_per_byte, "back") if isl_ns_per_byte else ()
    return FibreKind(profile, route=FabricRoute("A 40", there, *trunk))


def test_features_distance_disks_channels_and_inter_switch_links_take_their_time() -> None:
    """Each alone makes a WRITE slower than it is on Express4, on one fibre in one room."""
    alone = took_ns(FibreKind(EXPRESS4))
    line_ns = 32_768 * EXPRESS4.line_ns_per_byte
    assert alone > EXPRESS4.io_ns + line_ns
    assert took_ns(FibreKind()) == 0
    assert took_ns(FibreKind(EXPRESS4, 500_000)) == alone + 500_000
    assert took_ns(FibreKind(EXPRESS2)) > alone + 0.8 * line_ns
    assert took_ns(FibreKind(EXPRESS4), ctcs=2) > alone + 0.9 * line_ns
    assert took_ns(FibreKind(EXPRESS4, disks=(ChannelUse(line_out=0.5), ChannelUse()))) > alone
    apart = took_ns(FibreKind(EXPRESS4), other=FibreKind(EXPRESS4))
    assert apart == alone
    shared = took_ns(on_channel(EXPRESS4, "B 50"), other=on_channel(EXPRESS4, "B 51"))
    assert shared > alone + 0.9 * line_ns
    isl = EXPRESS4.line_ns_per_byte * 4
    assert took_ns(on_channel(EXPRESS4, "B 50", isl)) > alone + 2 * line_ns


def test_two_writes_that_meet_on_the_way_both_fail_and_one_that_has_come_stays() -> None:
    """Each hears of a command that it cannot pass, and that none is outstanding."""
    run = Run(PACED)
    run.apply(Said(A, written(64)), Said(B, written(64)))
    run.settle()
    assert run.steps == [Step.PENDS, Step.FAILS_BOTH]
    assert run.told(A) == run.told(B) == [COLLISION]
    assert [io.outcome for io in run.ios] == ["collided"] * 2
    run.events.clear()
    run.apply(Said(A, written(64)))
    run.settle()
    run.apply(Said(B, written(64)))  # said before it was heard, and come after that
    assert run.steps == [Step.PENDS, Step.CROSSES]
    assert run.exchange.adapters[0].ends[0].pending is not None


def test_who_keeps_its_write_whatever_it_hears_is_not_told_to_have_failed() -> None:
    """So it stays, as it does without a pace."""
    for run in (Run(PACED, wins=True), Run(ExchangeDefinition())):
        run.apply(Said(A, written(64)), Said(B, written(64)))
        run.settle()
        assert run.steps == [Step.PENDS, Step.CROSSES]
        assert COLLISION not in run.told(A) + run.told(B)


def test_an_io_has_pend_and_conn_of_its_channel_and_disc_until_its_mate_answers() -> None:
    run = Run(PACED)
    run.apply(Said(A, written(32_768)))
    run.settle()
    attended_ns = run.now_ns
    run.now_ns += 1_000_000
    run.apply(Said(B, read(32_768)))
    run.settle()
    write, answer = sorted(run.ios, key=lambda io: io.at)
    assert (write.outcome, answer.outcome) == ("ended", "ended")
    assert write.pend_ns == answer.pend_ns == EXPRESS4.io_ns
    assert write.conn_ns > 32_768 * EXPRESS4.line_ns_per_byte
    assert write.disc_ns == (run.now_ns - attended_ns) + 50_000
    tally = run.book.tallies[B]
    assert (tally.answer_count, tally.answer_ns) == (1, 1_000_000)
    assert run.book.tallies[A].write_ns == write.end_ns - write.begin_ns


def test_what_waits_longer_than_anybody_looks_waits_and_what_is_lost_is_lost() -> None:
    run = Run(ExchangeDefinition())
    run.apply(Said(A, written(64)), EndDetached(B))
    assert [io.outcome for io in run.ios] == ["lost"]
    run.apply(Said(A, written(64)))
    run.book.finish(5)
    assert [io.outcome for io in run.ios] == ["lost", "waits"]


def acts(seed: int, ctcs: int) -> list[tuple[int, ExchangeInput]]:
    """Anything that can come, and when."""
    random, now_ns = Random(seed), 0
    found: list[tuple[int, ExchangeInput]] = [
        (0, EndAttached(CtcPlace(ctc, end), wins=False, holds=False, length_max=60_000))
        for ctc in range(ctcs)
        for end in (0, 1)
    ]
    for _ in range(200):
        now_ns += random.choice([0, 10_000, 400_000])
        at = CtcPlace(random.randrange(ctcs), random.randrange(2))
        order = random.choice(
            [written(64), written(20_000), read(64), read(64, State.READ), written(9, State(4))]
        )
        found.append((now_ns, Said(at, order)))
        if not random.randrange(8):
            others: list[ExchangeInput] = [
                EndAttached(at, wins=False, holds=bool(random.randrange(2)), length_max=10_000),
                EndDetached(at),
                Pulled((at.ctc,), "40"),
                *[Restored("40")] * 4,
                Delayed(random.choice([0, 50_000])),
                *(Stalled(stalled) for stalled in (True, False, False)),
                Noted(at, "gone"),
            ]
            found.append((now_ns, random.choice(others)))
    return found


@cache
def record(definition: ExchangeDefinition, seed: int) -> bytes:
    """A journal of anything that can come."""
    ctcs = len(definition.on)
    digest = ToldDigest()
    exchange = Exchange(definition, lambda _at, _order: None)
    exchange.observers.append(digest)
    data = bytearray(CTCE_HEADER + begin_record([two_ends()] * ctcs, definition))
    now_ns = 0
    for at_ns, given in acts(seed, ctcs):
        for look_ns in range(now_ns, at_ns, 7_000):  # as often as a clock rings
            exchange.advance(look_ns)
        now_ns = at_ns
        exchange.advance(now_ns)
        data += input_record(given, now_ns, digest.value)
        exchange.apply(given, now_ns)
    exchange.advance(now_ns)
    data += end_record(now_ns, digest.value)
    return bytes(data)


@pytest.mark.at_length  # so compiled, as users replay one
@pytest.mark.parametrize("seed", range(4))
def test_a_journal_leads_to_the_same_again(seed: int) -> None:
    """However seldom anybody looks between what comes: with times, and with channels shared."""
    kinds = (on_channel(EXPRESS4, "B 50", 1.0), on_channel(EXPRESS2, "B 51"))
    definition = ExchangeDefinition(kinds, (0, 0, 1), (False, True, False), both_fail=seed % 2 > 0)
    data = record(definition, seed)
    journal = CtceJournal(BytesIO(data).read)
    assert journal.definition == definition
    told: list[int] = []
    exchange = Exchange(journal.definition, lambda _at, order: told.append(order.code))
    replay(journal, exchange)
    assert len(told) > 20


def test_a_journal_of_something_else_is_refused_with_its_place() -> None:
    """Another outcome, a damaged record, no record at all; one that is cut is replayed so far."""
    data = record(PACED, 1)
    first = CtceJournal(BytesIO(data).read)
    with pytest.raises(JournalError, match="something else than was recorded"):
        replay(first, Exchange(ExchangeDefinition(), lambda _at, _order: None))
    damaged = CtceJournal(BytesIO(data[:-20] + b"?" + data[-19:]).read)
    with pytest.raises(JournalError, match="a damaged record"):
        replay(damaged, Exchange(PACED, lambda _at, _order: None))
    with pytest.raises(JournalError, match="has no CTCs: its first record is missing"):
        CtceJournal(BytesIO(CTCE_HEADER).read)
    with pytest.raises(JournalError, match="is no journal"):
        CtceJournal(BytesIO(b"GIF89a").read)
    cut = CtceJournal(BytesIO(data[:-3]).read)
    replay(cut, Exchange(PACED, lambda _at, _order: None))
    assert cut.framed.truncated_length > 0


ELSEWHERE = CtcPlace(9, 0)


@pytest.mark.parametrize(
    "given", [Noted(ELSEWHERE, "?"), EndDetached(CtcPlace(0, 2)), Pulled((0, 9), "fibre"), None]
)
def test_a_whole_record_of_what_is_not_there_is_refused(given: ExchangeInput | None) -> None:
    """Of an end that the journal's CTCs do not have, or a fibre that can be none."""
    fibre = (
        PACED if given else ExchangeDefinition((FibreKind(replace(EXPRESS4, link_gbps=0)),), (0,))
    )
    data = CTCE_HEADER + begin_record([two_ends()], fibre)
    data += input_record(given, 1, 0) if given else b""
    with pytest.raises(JournalError, match="makes no sense"):
        replay(CtceJournal(BytesIO(data).read), Exchange(PACED, lambda _at, _order: None))


def test_a_first_record_in_no_utf_8_is_refused() -> None:
    with pytest.raises(JournalError, match="makes no sense"):
        CtceJournal(BytesIO(CTCE_HEADER + frame_record(bytes(13) + b"[\xff]")).read)
