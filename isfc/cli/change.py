"""``isfc change``: a page in Markdown, and the files with which a run tries the steps."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

from isfc.answers.change import change as answer
from isfc.answers.change_page import Change, ChangeTrial, change_lines
from isfc.cli.capability import command_of
from isfc.cli.options.formats import Files, Printing
from isfc.cli.options.option import JsonOption, LinkOption, valued
from isfc.cli.output.file import ForceOption, check_file, write_file
from isfc.cli.output.streams import show_json, show_lines, show_log
from isfc.errors import ConfigurationError
from isfc.errors.in_words import check_known

_LAYOUT, _SCRIPT = "change.toml", "change.cp"
"""What ``--try`` writes."""


class ChangePrinted(Printing, frozen=True):
    """How a change is printed, and where to what tries it."""

    link: LinkOption = None
    trial: Annotated[
        Path | None,
        valued(
            "FOLDER",
            "Write change.toml and change.cp there, with which 'isfc run' does the steps.",
            "--try",
        ),
    ] = None
    force: ForceOption = False
    json: JsonOption = False

    def check(self, own: Files) -> None:
        """Raise `ConfigurationError` for files that cannot be written, before anything is run."""
        is_new = self.trial is not None and not self.trial.exists()
        for name in (_LAYOUT, _SCRIPT)[: 0 if is_new else None]:
            check_file("--try", self.trial and self.trial / name, (), force=self.force)
        if self.link is not None and self.trial is None:
            raise ConfigurationError("--link: of --try; expected --try FOLDER with it")

    def show(self, found: Change, report: Callable[[Change], Iterable[str]]) -> None:
        """Write what tries it, and print the page; what is assumed goes to stderr."""
        for remark in found.assumed:
            show_log(remark if remark.startswith("isfc: ") else f"isfc: note: {remark}")
        if self.trial is not None:
            _write(_trial_of(found.trials, self.link), self.trial)
        if self.json:
            show_json(found)
        else:
            show_lines(report(found))


def _trial_of(trials: Sequence[ChangeTrial], link: str | None) -> ChangeTrial:
    """That of the link which is named, or the only one."""
    if not trials:
        raise ConfigurationError("--try: no CTC changes, so that there is nothing to try")
    by_link = {each.link: each for each in trials}
    name = link or "".join([*by_link][: len(by_link) == 1])
    check_known("--link", name, by_link)
    return by_link[name]


def _write(trial: ChangeTrial, folder: Path) -> None:
    """Write what a run does the steps with, and say how on stderr."""
    if trial.layout is None or trial.script is None:
        raise ConfigurationError(f"--try: {trial.problem}")
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / _LAYOUT, trial.layout)
    write_file(folder / _SCRIPT, trial.script)
    show_log(
        f"isfc: to try it: isfc run {folder / _LAYOUT} --cp {folder / _SCRIPT} --warmup 0 "
        f"--seconds {trial.seconds:g}"
    )


change: Any = command_of(answer, report=change_lines, printed=ChangePrinted)
