"""``isfc compare``: layouts, or two results, by what the files are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from isfc.answers.compare import Comparison, NamedWorkload, Pairs, compare
from isfc.answers.results import ComparedResults, compare_results
from isfc.arguments import Argument, spelt
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import Decks, shipped_layouts
from isfc.layout.foreign_text import SourceKind, source_kind
from scenarios.runs.at_site import GivenSite


def compare_files(
    files: Annotated[
        Sequence[str | Decks], Argument("A B...", "Two results (JSON), or two layouts or more.")
    ],
    *,
    workload: NamedWorkload = None,
    pairs: Pairs = None,
    link: str | None = None,
    profile: GivenSite = None,
    jobs: int = 1,
) -> Comparison | ComparedResults:
    """Lay results or layouts side by side and show the differences.

    Results are what 'isfc run --json' printed, or both what 'isfc replay --json' did. Layouts are
    run, HL with 50 pairs if nothing else is said: what each carries and what limits that, what its
    worst loss leaves, and the odds that one is ahead. Ends with 0 whether or not they differ.

    Raises `ConfigurationError` as `compare` and `compare_results` do, and for options of layouts
    with results.
    """
    results = [file for file in files if isinstance(file, str) and not _is_layout(file)]
    if len(results) < len(files):
        if len(files) < 2:
            raise ConfigurationError(f"{files[0]}: expected two layouts or more, or two results")
        return compare(files, workload, pairs, link=link, profile=profile, jobs=jobs)
    for name, value in {
        "workload": workload,
        "pairs": pairs,
        "link": link,
        "profile": profile,
    }.items():
        if value is not None:
            raise ConfigurationError(f"{spelt(name)}: of layouts; expected files that are layouts")
    if len(files) != 2:
        raise ConfigurationError(f"{len(files)} results: expected two, or layouts (.toml)")
    return compare_results(*results)


def _is_layout(file: str) -> bool:
    """Whether it is one, or decks or console logs; what can be read only once is a result."""
    path = Path(file)
    if path.suffix == ".toml" or file in shipped_layouts() or "," in file:
        return True
    return path.is_file() and source_kind(path.read_text(errors="replace")) is not SourceKind.LAYOUT
