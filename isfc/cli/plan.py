"""``isfc plan``: how two systems would use a layout, or what losses leave of it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from isfc.answers import plan as answers
from isfc.cli.capability import command_of
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument
from isfc.layout.catalogue import AnyLayout

if TYPE_CHECKING:
    from isfc.layout.site import GivenSite


def _plan(
    layout: AnyLayout,
    *,
    link: str | None = None,
    profile: "GivenSite" = None,
    lose: Annotated[
        bool, Argument("", "Show what is left with each piece of hardware gone.")
    ] = False,
    without: Annotated[
        Sequence[str],
        Argument(
            "WHAT",
            "Show what is left without this: 40, BOSTON:50, vary:BOSTON:50, director:1, "
            "port:1:04, path:NAME, isl:NAME, cec:NAME or system:NAME. May be repeated: all of "
            "them are gone together.",
        ),
    ] = (),
    simulate: Annotated[
        bool, Argument("", "With --lose or --without: by the model, as is usual.")
    ] = False,
    rule: Annotated[bool, Argument("", "By IBM's rule of thumb alone: no model is run.")] = False,
    why: Annotated[
        bool,
        Argument("", "Show also which constants of the model the rate rests on: it takes runs."),
    ] = False,
    jobs: int = 1,
) -> Any:
    """Show who writes on which CTC, what it carries, what to change.

    The table has one line for each CTC, in the order in which the two systems scan them:
    the one whose name comes first from the top down, the other from the bottom up. Capacities
    are for one direction: by IBM's rule of thumb, and what the model carries (a second's work).
    Of several links that share channels the model runs each alone and all together: what each
    carries then, and who gets how much of each channel. Where disks use a chpid ([[io]]), the
    model has them, and what each costs the other follows.
    """
    lost = lose or bool(without)
    if simulate and not lost:
        raise ConfigurationError(
            "--simulate: expected --lose or --without, which say what is to be run"
        )
    if lose and without:
        raise ConfigurationError("--lose and --without: expected one of them")
    if why and (lost or rule):
        raise ConfigurationError("--why: of what the model carries; expected no other question")
    if rule and simulate:
        raise ConfigurationError("--rule and --simulate: expected one of them")
    if profile is not None and rule:
        raise ConfigurationError("--profile: of the model, and none is run; expected no --rule")
    if not lost:
        return answers.plan(layout, link=link, profile=profile, rule=rule, why=why, jobs=jobs)
    from isfc.answers.losses import losses  # the model, which a plan by rule does without

    return losses(layout, link=link, without=without, rule=rule, profile=profile, jobs=jobs)


plan = command_of(_plan)
