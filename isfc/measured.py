"""A site's own figures of a logical link: read them, hold the model against them, fit it to them.

It is public, as docs/api.md shows it; nothing is loaded before it is used. What reads files is in
`isfc.site`.
"""

from typing import TYPE_CHECKING

from isfc.errors.loading import public_face

if TYPE_CHECKING:
    from isfc.answers.loads import Loads as Loads
    from isfc.answers.loads import loads as loads
    from isfc.answers.measured_compare import ComparedInterval as ComparedInterval
    from isfc.answers.measured_compare import MeasuredComparison as MeasuredComparison
    from isfc.answers.measured_compare import compare as compare
    from isfc.answers.measured_fit import fit as fit
    from isfc.answers.measured_read import AboutFiles as AboutFiles
    from isfc.answers.measured_read import Measurements as Measurements
    from isfc.answers.measured_read import read as read
    from isfc.layout.site import SiteProfile as SiteProfile
    from isfc.layout.site import format_profile as format_profile
    from isfc.layout.site import read_profile as read_profile
    from isfc.site.measurement import Measurement as Measurement
    from scenarios.search.site_fitted import FitRefused as FitRefused
    from scenarios.search.site_fitted import Fitted as Fitted

_HOMES, __getattr__, __dir__ = public_face(
    "isfc.measured",
    {
        "isfc.answers.measured_read": "read AboutFiles Measurements",
        "isfc.answers.measured_compare": "compare ComparedInterval MeasuredComparison",
        "isfc.answers.measured_fit": "fit",
        "isfc.answers.loads": "loads Loads",
        "isfc.layout.site": "read_profile format_profile SiteProfile",
        "isfc.site.measurement": "Measurement",
        "scenarios.search.site_fitted": "Fitted FitRefused",
    },
)
if not TYPE_CHECKING:  # a checker has the names of the imports
    __all__ = [*_HOMES]
