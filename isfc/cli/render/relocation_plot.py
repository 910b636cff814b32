"""``isfc relocate --plot FILE``, and evacuate's: the passes of each guest over time."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from isfc.cli.render.picture import write_picture
from isfc.cli.render.relocate import GIB
from scenarios.relocated_guest import Moved

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RUNNING: Final = "tab:blue"
_STOPPED: Final = "tab:red"


def write_relocation_plot(path: Path, guests: Sequence[Moved], title: str) -> None:
    """Draw a bar for each pass: as wide as it took, as high as what it moved.

    Guests stand one below the other. Raises `OSError` if the file cannot be written.
    """
    write_picture(path, lambda axes: _draw(axes, guests, title))


def _draw(axes: "Axes", guests: Sequence[Moved], title: str) -> None:
    most = max(each.length + each.state_length for guest in guests for each in guest.passes) or 1
    for row, guest in enumerate(guests):
        for each in guest.passes:
            share = (each.length + each.state_length) / most
            axes.barh(
                row + 0.4 - 0.4 * share,
                each.seconds,
                height=0.8 * share,
                left=each.begin_ns / 1e9,
                color=_STOPPED if each.quiesced else _RUNNING,
                edgecolor="white",
                linewidth=0.5,
            )
    axes.set_yticks([*range(len(guests))], [f"{guest.plan.name}\n{guest.end}" for guest in guests])
    axes.set_ylim(len(guests) - 0.4, -0.6)
    axes.set_xlabel(f"s; the highest bar is {most / GIB:.3g} GiB, red: the guest is stopped")
    axes.set_title(title)
