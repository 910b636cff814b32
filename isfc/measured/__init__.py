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
    from isfc.layout.site import SiteProfile as SiteProfile
    from isfc.layout.site import read_site as read_profile
    from isfc.measured.measurement import Measurement as Measurement
    from isfc.measured.measurement import table_rows as rows
    from isfc.search.measured import AboutFiles as AboutFiles
    from isfc.search.measured import FitRefused as FitRefused
    from isfc.search.measured import fit as fit
    from isfc.search.measured import format_profile as format_profile
    from isfc.search.measured import read as read
    from isfc.search.site_fitted import Fitted as Fitted

_HOMES = {
    "read": "isfc.search.measured:read",
    "compare": "isfc.answers.measured_compare:compare",
    "fit": "isfc.search.measured:fit",
    "format_profile": "isfc.search.measured:format_profile",
    "loads": "isfc.answers.loads:loads",
    "read_profile": "isfc.layout.site:read_site",
    "rows": "isfc.measured.measurement:table_rows",
    "Measurement": "isfc.measured.measurement:Measurement",
    "AboutFiles": "isfc.search.measured:AboutFiles",
    "Loads": "isfc.answers.loads:Loads",
    "ComparedInterval": "isfc.answers.measured_compare:ComparedInterval",
    "MeasuredComparison": "isfc.answers.measured_compare:MeasuredComparison",
    "Fitted": "isfc.search.site_fitted:Fitted",
    "FitRefused": "isfc.search.measured:FitRefused",
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
    "SiteProfile",
    "compare",
    "fit",
    "format_profile",
    "loads",
    "read",
    "read_profile",
    "rows",
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
