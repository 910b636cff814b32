"""A journal of ``isfc ctce``, replayed: what ends are told has to be the same again."""

from pathlib import Path

import typer

from isfc.cli.live.ctce_observe import ShownOptions
from isfc.cli.output.exits import ExitCode
from isfc.cli.output.streams import show_error, show_lines
from isfc.ctce.exchange import Exchange
from isfc.ctce.journal import CtceJournal, replay
from isfc.errors import ConfigurationError, JournalError
from isfc.journal.framed import CTCE_HEADER, MAGIC_LENGTH


def is_ctce_journal(name: str) -> bool:
    """Whether an argument is a file that begins as such a journal does."""
    path = Path(name)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(MAGIC_LENGTH) == CTCE_HEADER[:MAGIC_LENGTH]


def replay_journal(name: str, shown: ShownOptions) -> None:
    """Replay one, and show of it what options ask for; ends with 1 at the first difference."""
    if shown.watch or shown.journal is not None or shown.metrics is not None:
        raise ConfigurationError(
            f"{name}: a journal has no --watch, --journal or --metrics: expected --trace, "
            "--timeline or --interval"
        )
    with Path(name).open("rb") as file:
        try:
            journal = CtceJournal(file.read)
            exchange = Exchange(journal.definition, lambda _at, _order: None)
            now_ns = 0

            def before(at_ns: int) -> None:
                nonlocal now_ns
                now_ns = at_ns
                reports.look(at_ns)

            with shown.observing(exchange, journal.ctcs, lambda: now_ns) as (book, reports):
                replay(journal, exchange, before)
        except JournalError as error:
            show_error(f"{name}: {error}")
            raise typer.Exit(ExitCode.FAILED) from None
    count = sum(tally.order_count for tally in book.tallies.values())
    cut = journal.framed.truncated_length
    show_lines(
        [
            f"{count:,} commands in {now_ns / 1e9:.1f} s: all that ends were told is the same "
            "again" + (f"; {cut:,} bytes at the end are no whole record" if cut else "")
        ]
    )
