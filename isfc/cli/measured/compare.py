"""``isfc measured compare``: the model beside what a site measured, of files."""

from isfc.answers.measured_compare import MeasuredComparison, Tolerance, compare
from isfc.cli.capability import command_of
from isfc.cli.measured.options import MeasuredFiles, MeasuredLink
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.streams import show_error
from scenarios.runs.at_site import GivenSite


def read_and_compare(
    measured: MeasuredLink,
    files: MeasuredFiles,
    *,
    profile: GivenSite = None,
    tolerance: Tolerance = None,
    jobs: int = 1,
) -> MeasuredComparison:
    """Hold the model against what a site measured.

    What ran is inferred from link activity, or told with --ran; it is emulated on the layout,
    and its figures laid beside the measured ones, with signed errors in percent; those of both
    ends beside one run. Of several intervals there is a line for each. Ends with 1 if
    a judged figure is further off than --tolerance.
    """
    layout, found = measured.open(files)
    return compare(layout, found, profile=profile, tolerance=tolerance, jobs=jobs)


def _code(found: MeasuredComparison) -> ExitCode:
    if not found.beyond_tolerance:
        return ExitCode.GOOD
    show_error(f"{found.beyond_tolerance} figures are more than {found.tolerance:g} % off")
    return ExitCode.FAILED


compare_measured = command_of(
    read_and_compare,
    _code,
    made={"measured": MeasuredLink, "files": MeasuredFiles},
)
"""The command."""
