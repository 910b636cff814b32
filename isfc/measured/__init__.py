"""A site's own figures of a logical link: read them, hold the model against them, fit it to them.

``isfc.measured`` is public, as docs/api.md shows it; its modules are private. Nothing is loaded
before it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isfc.answers.loads import Loads as Loads
    from isfc.answers.loads import loads as loads
    from isfc.answers.measured_compare import ComparedInterval as ComparedInterval
    from isfc.answers.measured_compare import MeasuredComparison as MeasuredComparison
    from isfc.answers.measured_compare import compare as compare
    from isfc.answers.measured_files import AboutFiles as AboutFiles
    from isfc.answers.measured_files import Measurements as Measurements
    from isfc.answers.measured_fit import fit as fit
    from isfc.answers.measured_read import read as read
    from isfc.layout.site import SiteProfile as SiteProfile
    from isfc.layout.site import format_site as format_profile
    from isfc.layout.site import read_site as read_profile
    from isfc.measured.measurement import Measurement as Measurement
    from isfc.search.site_fitted import FitRefused as FitRefused
    from isfc.search.site_fitted import Fitted as Fitted

_HOMES = {
    "read": "isfc.answers.measured_read:read",
    "compare": "isfc.answers.measured_compare:compare",
    "fit": "isfc.answers.measured_fit:fit",
    "format_profile": "isfc.layout.site:format_site",
    "loads": "isfc.answers.loads:loads",
    "read_profile": "isfc.layout.site:read_site",
    "Measurement": "isfc.measured.measurement:Measurement",
    "Measurements": "isfc.answers.measured_files:Measurements",
    "AboutFiles": "isfc.answers.measured_files:AboutFiles",
    "Loads": "isfc.answers.loads:Loads",
    "ComparedInterval": "isfc.answers.measured_compare:ComparedInterval",
    "MeasuredComparison": "isfc.answers.measured_compare:MeasuredComparison",
    "Fitted": "isfc.search.site_fitted:Fitted",
    "FitRefused": "isfc.search.site_fitted:FitRefused",
    "SiteProfile": "isfc.layout.site:SiteProfile",
}
"""Each public name, and where it is."""

__all__ = [
    "AboutFiles",
    "ComparedInterval",
    "FitRefused",
    "Fitted",
    "Loads",
    "MeasuredComparison",
    "Measurement",
    "Measurements",
    "SiteProfile",
    "compare",
    "fit",
    "format_profile",
    "loads",
    "read",
    "read_profile",
]


def __getattr__(name: str) -> Any:
    """A public name, from the module that defines it."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'isfc.measured' has no attribute {name!r}")
    module, _, other = home.partition(":")
    return getattr(import_module(module), other)


def __dir__() -> list[str]:
    return [*__all__]
