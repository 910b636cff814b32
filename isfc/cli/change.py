"""``isfc change``: a page in Markdown, and the files with which a run tries the steps."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

from isfc.answers.change import change as answer
from isfc.answers.change_page import Change, change_lines
from isfc.cli.capability import command_of
from isfc.cli.options.formats import Files, Printing
from isfc.cli.options.option import JsonOption, LinkOption, valued
from isfc.cli.output.file import ForceOption, check_file, check_force, write_file
from isfc.cli.output.streams import show_json, show_lines, show_log, show_remark
from isfc.errors import ConfigurationError
from isfc.errors.in_words import check_known, grouped
from isfc.layout.change import ChangeTrial

_NAME = "change"
"""Of what ``--try`` writes, with a number where it takes several runs."""


class ChangePrinted(Printing, frozen=True):
    """How a change is printed, and where to what tries it."""

    link: LinkOption = None
    trial: Annotated[
        Path | None,
        valued(
            "FOLDER",
            "Write change.toml and change.cp there, with which 'isfc run' does the steps, or "
            "several of each.",
            "--try",
        ),
    ] = None
    force: ForceOption = False
    json: JsonOption = False

    def check(self, own: Files) -> None:
        """Raise `ConfigurationError` for files that cannot be written, before anything is run."""
        check_force("--try", self.trial, force=self.force)
        if self.trial is not None and self.trial.exists():
            there = (path.name for path in sorted(self.trial.glob(f"{_NAME}-*.*")))
            for name in (f"{_NAME}.toml", f"{_NAME}.cp", *there):
                check_file("--try", self.trial / name, (), force=self.force)
        if self.link is not None and self.trial is None:
            raise ConfigurationError("--link: of --try; expected --try FOLDER with it")

    def show(self, found: Change, report: Callable[[Change], Iterable[str]]) -> None:
        """Write what tries it, and print the page; what is assumed goes to stderr."""
        for remark in found.assumed:
            show_remark(remark if remark.startswith("isfc: ") else f"isfc: note: {remark}")
        if self.trial is not None:
            _write(_trials_of(found.trials, self.link), self.trial)
        if self.json:
            show_json(found)
        else:
            show_lines(report(found))


def _trials_of(trials: Sequence[ChangeTrial], link: str | None) -> list[ChangeTrial]:
    """Those of the link which is named, or of the only one."""
    if not trials:
        raise ConfigurationError("--try: no CTC changes, so that there is nothing to try")
    by_link = grouped((each.link, each) for each in trials)
    name = link or "".join([*by_link][: len(by_link) == 1])
    check_known("--link", name, by_link)
    return by_link[name]


def _write(trials: Sequence[ChangeTrial], folder: Path) -> None:
    """Write what runs do the steps with, and say how on stderr."""
    folder.mkdir(parents=True, exist_ok=True)
    made = set[Path]()
    for number, trial in enumerate(trials, start=1):
        name = f"{_NAME}-{number}" if len(trials) > 1 else _NAME
        layout, script = folder / f"{name}.toml", folder / f"{name}.cp"
        write_file(layout, trial.layout)
        write_file(script, trial.script)
        made |= {layout, script}
        show_log(
            f"isfc: to try it: isfc run {layout} --cp {script} --workload HL --pairs 20 "
            f"--warmup 0 --seconds {trial.seconds:g}"
        )
    there = {path for kind in ("toml", "cp") for path in folder.glob(f"{_NAME}*.{kind}")}
    if left := sorted(path.name for path in there - made):
        show_remark(f"isfc: note: not of this change: {', '.join(left)}")


change: Any = command_of(answer, report=change_lines, printed=ChangePrinted)
