"""The parts of a decision, made one after the other of what was gathered."""

from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any, Final

from ctc.address import CtcError
from isfc.answers.asked_for import MoveWindow, RateWanted
from isfc.answers.change import change
from isfc.answers.check import check
from isfc.answers.decision_page import DecisionPart, named_options
from isfc.answers.evacuate import LEFT_BEHIND, evacuate, rolling_maintenance
from isfc.answers.gathered import MOVED, ORDERED, Gathered
from isfc.answers.io_size import io_size
from isfc.answers.loads import Loads, loads
from isfc.answers.loads_report import loads_failure
from isfc.answers.losses import Left, Losses, losses
from isfc.answers.measured_compare import compare
from isfc.answers.measured_fit import fit
from isfc.answers.move_window import window_found
from isfc.answers.moves import AllMoves
from isfc.answers.order import with_more, with_order
from isfc.answers.plan import plan
from isfc.answers.size import size
from isfc.errors import IsfcError
from isfc.errors.in_words import counted
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection, parse_layout
from isfc.layout.layout import CtcPair, Layout
from isfc.layout.sharing import with_ctcs
from isfc.layout.site import GivenSite
from isfc.reports.figure import NoteKind
from isfc.reports.units import with_unit
from isfc.site.file_kind import FileKind
from scenarios.moves.leaving import Tenant
from scenarios.runs.experiment import STATED_PAIRS
from scenarios.search.site_fitted import FitRefused, Fitted
from scenarios.search.sizing import fastest_mb_per_s, features_on, newest_of

_DOWN: Final = "As it is now"
_FITTED: Final = "The model fitted to the site"
_LOAD: Final = "The load by time"
_CHECKED: Final = "isfc.answers.check.check_report"
_EVACUATED: Final = "isfc.answers.evacuate.evacuate_report"

_BESIDE_MAX: Final = 2
"""Chpids that are tried beside what is there, before a link of new ones alone is sized. Chosen."""


class Parts:
    """What has been ``found``, of the ``links`` as they are; ``then`` is what there is to be."""

    def __init__(
        self,
        site: Gathered,
        profile: GivenSite,
        jobs: int,
        tell: Callable[[str], None],
    ) -> None:
        self._site, self._link, self._profile = site, site.link, profile
        self._jobs, self._tell = jobs, tell
        self._left: dict[tuple[Collection, str | None], Losses] = {}
        self.found: list[DecisionPart] = []
        self.then: Collection | None = None
        self.links: Collection
        if site.now is not None:
            self.links = site.now

    def _add(self, title: str, **said: Any) -> None:
        self.found.append(DecisionPart(title=title, **said))

    def _also(self, **said: Any) -> None:
        """Say more in the last part."""
        self.found[-1] = replace(self.found[-1], **said)

    def _made(self, title: str, make: Callable[[], Any], report: str = "", **lines: str) -> Any:
        """The answer, which is a part; None where that is an error, which the part says then.

        ``lines`` are those with which the decision begins, by their labels with ``_`` for a blank,
        each with its name there.
        """
        self._tell(title[:1].lower() + title[1:])
        try:
            with named_options(title):
                answer = make()
        except (IsfcError, CtcError) as error:
            self._add(title, problem=str(error))
            return None
        named = {label.replace("_", " ").strip(): name for label, name in lines.items()}
        self._add(title, answer=answer, lines=named, reported_by=report)
        return answer

    def of_site(self, ran: Sequence[str]) -> None:
        """The model beside what was measured, and fitted to it: what follows is of that site."""
        title, pages = "The site's figures", self._site.paths(FileKind.MEASURED)
        if not pages:
            return self._add(title, needs="FCX108 pages or link activity of the links.")
        given = self.links, [*map(Path, pages)]
        said: dict[str, Any] = {"link": self._link, "ran": ran, "jobs": self._jobs}
        self._made(title, partial(compare, *given, profile=self._profile, **said), Model_is_off="")
        if self._profile is not None:
            return None

        def fitted() -> Fitted:
            try:
                return fit(*given, **said)
            except FitRefused as error:
                return error.answer

        found = self._made(_FITTED, fitted, Refused="The site", Held_back="A fit is")
        if found is not None and not found.doubts:
            self._profile = found.profile
            self._also(said="What follows is of the model as it is fitted to the site.")
        elif found is not None and found.corrected is not None:
            self.links = parse_collection(found.corrected)
            self._also(said="What follows is of the layout with that cause: is it there?")
        return None

    def of_links(self) -> None:
        """What they carry, with what is Down and with all; what losses leave and what is found."""
        if self._site.down:
            self._of_down(self._site.down)
        planned = partial(plan, self.links, profile=self._profile, jobs=self._jobs)
        found = self._made("What it carries", planned, Carries="", Carry="Carries", Limited_by="")
        notes = () if found is None else found.notes
        self._site.remarks += [each.text for each in notes if each.kind is NoteKind.MACHINE]
        self._made("What a loss leaves", partial(self._losses, self.links), Worst="Worst loss")
        self._made("What is found", partial(check, self.links), _CHECKED, Found="")

    def _of_down(self, down: Set[tuple[str, CtcPair]]) -> None:
        """What the CTCs carry that are not Down, beside what all do."""
        every = sum(len(link.ctcs) for link in self.links.links)
        gone = {(link, ctc.rdevs) for link, ctc in down}
        up = with_ctcs(self.links, lambda link, ctc: (link.name, ctc.rdevs) not in gone)
        count = f"{len(gone)} of {counted(every, 'CTC')} {'is' if len(gone) == 1 else 'are'} Down"
        if not up.links:
            said = f"{count} by the logs: no link is up. What follows is of all Up."
            return self._add(_DOWN, problem=said)
        left = self._made(_DOWN, partial(self._losses, up))
        whole = self._site.tried(_DOWN, partial(self._losses, self.links))
        if left is not None and whole is not None:
            rates = [with_unit(left.whole.rate)]
            worst = (each for each in left.losses if each.kind and each.name == left.worst)
            rates += [f"{with_unit(each.rate)} with {each.name} gone" for each in worst]
            said = f"{count} by the logs: {', and '.join(rates)}; with all Up, as in all that "
            self._also(problem=f"{said}follows, {with_unit(whole.whole.rate)}.")
        return None

    def _losses(self, links: Collection, link: str | None = None) -> Losses:
        """What losses leave of all links or of one, which is run once."""
        key = links, link if links.links[1:] else None
        if key not in self._left:
            self._left[key] = losses(links, link=link, profile=self._profile, jobs=self._jobs)
        return self._left[key]

    def of_moves(self, when: MoveWindow | None) -> None:
        """How long guests take to leave, and whether and when they can within a window."""
        tenants, leave = self._site.tenants, self._site.leave
        homes = dict.fromkeys(str(each.source) for each in tenants if each.source is not None)
        sources = [*leave] or [*homes]
        upper = [name.upper() for name in sources]
        tenants = [each for each in tenants if each.source is None or each.source in upper]
        busy = self._of_loads(sources, tenants, when)
        if not tenants:
            return self._add(MOVED, needs="guests as CSV: name, memory, change_rate, and from.")
        moved: AllMoves | None = None
        if sources[1:] and not leave:  # each in turn, as nobody says who leaves
            turns = partial(rolling_maintenance, self.links, tenants, profile=self._profile)
            moved = self._made(MOVED, turns, All_moves_take="", Longest_stop="")
        elif sources:
            away = partial(evacuate, self.links, sources, tenants, profile=self._profile)
            moved = self._made(MOVED, away, _EVACUATED, _="", Longest_stop="")
        if moved is not None and not moved.all_moved:
            lines = self.found[-1].of_answer.answer
            who = [line for line in lines if line[0] == LEFT_BEHIND] or lines
            self._also(problem=": ".join(who[0]))
        if moved is None or when is None:
            return self._add("The window", needs="guests that move, and --window SUN.")
        if not moved.all_moved:
            said = f"The moves do not fit into {when.text}: not every guest is moved."
            return self._add("The window", problem=said)
        fits = self._made("The window", partial(window_found, when, moved.seconds, busy), _="")
        self._also(problem=fits.problem)
        return None

    def _of_loads(
        self, sources: Sequence[str], tenants: Sequence[Tenant], when: MoveWindow | None
    ) -> Loads | None:
        """The load by time, and when the guests of a system leave soonest beside it."""
        pages = self._site.paths(FileKind.LOADS)
        if not pages:
            self._add(_LOAD, needs="CSV of begin and the MB/s that each node sent.")
            return None
        is_one = len(sources) == 1 and len(tenants) > 0
        found: Loads | None = self._made(
            _LOAD,
            lambda: loads(
                *(self.links, [*map(Path, pages)]),
                link=self._link,
                profile=self._profile,
                period="week" if when is not None and when.names_day else "day",
                guests=tenants if is_one else None,
                from_=sources[0] if is_one else None,
                jobs=self._jobs,
            ),
            Carried="Load",
        )
        if found is not None:
            self._also(problem=loads_failure(found))
        return found if is_one else None

    def of_order(self, wanted: RateWanted | None) -> None:
        """What to order for a rate, unless the link carries it, and the way from here to there."""
        target = self._site.then
        if wanted is not None:
            target = self._order(wanted) or target
        elif target is None:
            self._add(ORDERED, needs="--decide '1000 MB/s with a chpid lost'.")
        if target is None or target == self.links:
            return
        self.then = target
        self._made("The links as they are to be", partial(self._losses, target, self._link))
        changed = partial(change, self.links, target, jobs=self._jobs)
        self._made("The change and the way back", changed)

    def _order(self, wanted: RateWanted) -> Collection | None:
        """Links that carry what is wanted: as they are, as was given, or as ordered."""
        if self._link is None and self.links.links[1:]:
            return None  # what was asked has no answer
        try:
            link = self.links.link(self._link, "--link")
        except IsfcError as error:
            self._add(ORDERED, problem=str(error))
            return None
        for links in filter(None, (self.links, self._site.then)):
            if said := self._enough(links, link.name, wanted):
                self._add(ORDERED, said=f"Nothing: {said}.")
                return links
        if (added := self._beside(link, wanted)) is not None:
            return added
        machines = [on for on in link.machines if on is not None]
        sized = partial(
            size,
            mb_per_s=wanted.mb_per_s,
            lost=wanted.lost.value,
            feature=features_on({on.machine for on in machines}),
            machine=None if None in link.machines else ",".join(on.option for on in machines),
            km=max(fibre.km for fibre in link.fibres),
            pairs=STATED_PAIRS,
            systems=",".join(link.nodes),
            jobs=self._jobs,
        )
        found = self._made(ORDERED, sized, Fewest="Order", Carries="Then carries", Odds="")
        if found is None:
            return None
        if found.best is None:
            self._also(problem="No link carries what is wanted.")
            return None
        ordered = partial(with_order, self.links, link, parse_layout(found.best.layout))
        then = self._site.tried(ORDERED, ordered)
        if then is not None and self._enough(then, link.name, wanted) is None:
            self._also(problem=f"{link.name} carries less than is wanted with it; order for more.")
        return then

    def _beside(self, link: Layout, wanted: RateWanted) -> Collection | None:
        """The links with a chpid or two more, if these are enough beside what is there."""
        profile = newest_of({on.machine for on in link.machines if on is not None})
        least = self._least(self.links, link.name, wanted)
        if profile is None or least is None:
            return None
        fewest = ceil((wanted.mb_per_s - least.rate.value) / fastest_mb_per_s(profile))
        for more in range(max(1, fewest), _BESIDE_MAX + 1):
            try:
                links = with_more(self.links, link, profile, more)
            except IsfcError:  # no more CTCs or device numbers
                return None
            if said := self._enough(links, link.name, wanted):
                ctcs = len(links.link(link.name).ctcs) - len(link.ctcs)
                what = f"{counted(more, 'more chpid')} of {profile.feature} at each system"
                self._add(ORDERED, said=f"{what}, {counted(ctcs, 'more CTC')}: then {said}.")
                return links
        return None

    def _enough(self, links: Collection, link: str, wanted: RateWanted) -> str | None:
        """That a link carries what is wanted, with the piece gone that leaves least; None else."""
        least = self._least(links, link, wanted)
        if least is None or least.rate.value < wanted.mb_per_s:
            return None
        gone = f" with {least.name} gone" if least.kind else ""
        once = ", once every CTC is Up" if self._site.down else ""
        return f"{link} carries {with_unit(least.rate)}{gone}{once}"

    def _least(self, links: Collection, link: str, wanted: RateWanted) -> Left | None:
        """What is left of a link with the piece gone that leaves least; None if it has none."""
        found = self._losses(links, link)
        left = [each for each in found.losses if (each.kind or "none") == wanted.lost.value]
        return min(left, key=lambda each: each.rate.value, default=None)

    def of_rmf(self) -> None:
        """What channels the I/O of RMF's reports needs."""
        for page in self._site.paths(FileKind.RMF):
            self._made(f"Channels for {page}", partial(io_size, rmf=page), Order="Channels")
