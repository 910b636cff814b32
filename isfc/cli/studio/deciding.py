"""A site's files, brought in together: what is asked of them, and what they come to."""

from typing import Any, Final

from msgspec import structs

import isfc
from isfc.answers.decision_page import GivenFile
from isfc.answers.site_asked import ASKED_OF, SiteAsked, SiteQuestion
from isfc.cli.output.progress import runs_told
from isfc.cli.studio.command_line import Printed, by_hundredths, what_runs
from isfc.cli.studio.importing import Asked, File, Import, Open, gathered, import_files, stop_at
from isfc.cli.studio.work import Failed, Tell
from isfc.errors.arguments import as_options

_TOGETHER: Final = {isfc.FileKind.CONSOLE_LOG}, {isfc.FileKind.CONFIGURATION}
"""Of what several make a layout, as one does; others are a site's if they are not of one layout."""

_LINKED: Final = {isfc.FileKind.DECK, isfc.FileKind.CONSOLE_LOG, isfc.FileKind.LAYOUT}
"""What says which CTCs there are."""

_OF_A_SITE: Final = {
    isfc.FileKind.GUESTS,
    isfc.FileKind.LOADS,
    isfc.FileKind.MEASURED,
    isfc.FileKind.RMF,
}
"""Of what one alone is about the layout that is there."""


def bring_in(tell: Tell, wanted: Import) -> Printed | Failed | Asked:
    """A layout; of what a site has beside one, or of several, what is asked before a decision."""
    kinds = {isfc.file_kind(data)[0] for data in wanted.contents.values()}
    if kinds in _TOGETHER or (len(wanted.files) == 1 and not kinds & _OF_A_SITE):
        return import_files(tell, wanted)
    site = _of_site(wanted)
    found = gathered(site)
    return _asked(site, found if isinstance(found, SiteQuestion) else None)


def decide(tell: Tell, wanted: Import) -> dict[str, Any] | Asked:
    """The page that ``isfc report`` writes with what was said, and its layouts; or a question."""
    from isfc.answers.decision import decided  # much to load for what only asks
    from isfc.answers.page.report import page_of_decision

    site = _of_site(wanted)
    about, link = site.about
    with site.in_folder() as names, runs_told(by_hundredths(tell)), as_options(("files",)):
        try:
            found = decided(names, about, link=link, tell=what_runs(tell), ask=stop_at)
        except Open as error:
            return _asked(site, error.question)
        layouts = {"layout.toml": found.layout, "ordered.toml": found.ordered}
        return {"page": page_of_decision(found), "layouts": layouts, "said": "Decided."}


def _of_site(wanted: Import) -> Import:
    """With the layout that the page shows, where the files name no CTC."""
    kinds = {isfc.file_kind(data)[0] for data in wanted.contents.values()}
    if not wanted.text or kinds & _LINKED:
        return wanted
    shown = File("layout.toml", wanted.text.encode())
    return structs.replace(wanted, files=[*wanted.files, shown])


def _asked(site: Import, question: SiteQuestion | None) -> Asked:
    """Beside a question, what else may be said of such files."""
    told = {name: isfc.file_kind(data) for name, data in site.contents.items()}
    kinds = {kind for kind, _ in told.values()}
    files = (GivenFile(name, kind.value, said) for name, (kind, said) in told.items())
    options = [
        option for option in SiteAsked.__struct_fields__ if kinds & ASKED_OF.get(option, kinds)
    ]
    return Asked(question, tuple(files), tuple(options))
