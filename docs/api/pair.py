"""A pair in virtual time, a CTC at a time."""

from isfc.testing import Pair, Setup

pair = Pair(Setup(ctc_count=2))
pair.send(pair.first, 100_000)
pair.unplug(0)
pair.until(pair.all_arrived)
print(pair.first.end.link.counters)
