"""Samples of answers of I/O, with figures that no other row has."""

from msgspec.structs import replace

from isfc.answers.io_beside import LinkBesideDisks
from isfc.answers.io_plan import ChannelFigures, IoEstimates
from isfc.answers.io_run import IoActivity
from isfc.answers.io_size import io_size
from isfc.answers.shared import DisksBeside
from isfc.io.run import LoadActivity
from isfc.reports.figure import Figure, Interval, Range, Reported, Unit
from scenarios.runs.notes import CHANNELS_UNRANGED

_NOTES = (CHANNELS_UNRANGED,)


def planned() -> Reported:
    """Of four channels, of which one has a bus that is not known."""
    channels = tuple(
        ChannelFigures(
            chpid=f"4{place}",
            feature="FICON Express16SA",
            link_gbps=16.0,
            io_per_s=1000.4 + place,
            mb_per_s_read=100.0 + place,
            mb_per_s_write=200.0 + place,
            processor_percent=30.6 + place,
            bus_percent=None if place == 2 else 40.0 + place,
            line_percent_read=50.0 + place,
            line_percent_write=60.0 + place,
        )
        for place in range(4)
    )
    return IoEstimates("c", None, (), channels, (), (), (), (), (), _NOTES)


def ran() -> Reported:
    """Of four workloads."""
    loads = tuple(
        LoadActivity(
            f"load{place}",
            *(8, 5000.5 + place, 700.2 + place, 110.25 + place, 100.0 + place, 190.0 + place),
            *(1.0, 2.0, 3.0, 625.0, 40.0, 50.0),
        )
        for place in range(4)
    )
    run = "c", 1.0, 0.1, 1
    return IoActivity(*run, (), loads, (), (), (), (), None, _NOTES)


def beside() -> Reported:
    """Of four workloads of disks."""
    within = Range(Interval(500, 800), Interval(400, 900), "made up")
    alone, less = (Figure(value, Unit.MB_PER_S, within) for value in (700.5, 480.25))
    disks = tuple(
        DisksBeside(
            f"disks{place}",
            *("ATLANTA", f"4{place}", 1000.0 + place, 900.0 + place, 130.0 + place, 420.0 + place),
        )
        for place in range(4)
    )
    return LinkBesideDisks("A-B", "HL", 50, alone, less, disks, (), None, _NOTES)


def sized() -> Reported:
    """Of four choices whose names do not begin alike."""
    found = io_size("docs/io/two-channels.toml")
    (mix,) = found.mixes
    return replace(found, mixes=(replace(mix, choices=mix.choices[:4]),))
