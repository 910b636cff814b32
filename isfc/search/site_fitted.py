"""What a fit to a site has found: its profile, how well each constant is known, and its doubts."""

from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from isfc.arguments import spelt
from isfc.errors import AnswerRefused
from isfc.layout.site import CONSTANTS, SiteProfile
from isfc.reported import Reported
from isfc.search.site_rivals import Explanation


class FittedConstant(Struct, frozen=True):
    """A constant of the model at a site."""

    constant: str
    factor: float
    """how many times today's value; 1 of one that is not told"""
    told: bool
    """whether the figures tell it: if not, it stays as it is"""
    uncertainty: float
    """how far the logarithm of its factor may be off: two standard deviations, wider by `misfit`"""
    low: float
    """between this and `high` its factor is, where 95 % of such ranges hold it; wider to one side
    where lines do not reach so far and the profile of the squares is"""
    high: float

    @property
    def meaning(self) -> str:
        """What it is, or that it is not told."""
        if not self.told:
            return "not told by these figures: it stays as it is"
        return next(each.meaning for each in CONSTANTS if each.name == self.constant)


class Fitted(Reported, Struct, frozen=True):
    """The model fitted to a site, and how well that is known."""

    reported_by = "isfc.answers.measured_fit.measured_fit_report"

    profile: SiteProfile
    """what `--profile` takes"""
    constants: tuple[FittedConstant, ...]
    """each that may be fitted"""
    misfit: float | None = None
    """how far the figures are off all in all, as a multiple of what noise and rounding leave; null
    without intervals"""
    explanations: tuple[Explanation, ...] = ()
    """what was held beside the fit, the best first"""
    notes: tuple[str, ...] = ()
    """what else is to be looked at, such as a line that is not as fast as the layout says"""

    @property
    def doubts(self) -> tuple[str, ...]:
        """The reasons not to use it."""
        return self.profile.doubts

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each constant, as a data frame takes them."""
        return [asdict(each) for each in self.constants]


class FitRefused(AnswerRefused):
    """A fit that is not to be believed; ``answer`` has it, and its ``doubts`` say why."""

    answer: Fitted

    def __init__(self, answer: Fitted) -> None:
        doubts = "; ".join(answer.doubts)
        super().__init__(f"the fit is refused: {doubts}; {spelt('anyway')} takes it all the same")
        self.answer = answer

    def __reduce__(self) -> tuple[type["FitRefused"], tuple[Fitted]]:
        """Let it go to another process."""
        return FitRefused, (self.answer,)
