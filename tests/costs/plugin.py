"""Say what took longest after a run, and hold a whole run to the work that it did before.

``--counted-work=NAME`` says that this is the whole of one of the runs in ``counted_work.toml``.
"""

from collections import defaultdict
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.costs.cost import Cost, count, so_far, total
from tests.costs.counted_work import MORE_WORK, check, counts

TESTS_MIN: Final = 100
"""Of fewer, ``--durations`` says more."""
DIRECTORIES_MAX: Final = 8
KINDS: Final = ("starts processes", "runs the model at length", "live", "property", "other")


class Costs:
    """What the tests of a run have cost."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._last = Cost()
        self._items: dict[str, pytest.Item] = {}
        self._of_tests: defaultdict[str, list[Cost]] = defaultdict(list)
        self._said: list[str] = []

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count from here on."""
        self._items = {item.nodeid: item for item in session.items}
        count()

    def pytest_runtest_logstart(self) -> None:
        """What was between two tests is of neither."""
        self._last = so_far()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Write what a phase has cost into its report, with which it leaves a worker."""
        report = yield
        now = so_far()
        vars(report)["cost"], self._last = [*(now - self._last)], now
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Sum up."""
        if hasattr(report, "cost"):
            self._of_tests[report.nodeid].append(Cost(*report.cost))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Compare a whole run that passed with what is written down."""
        option = self._config.option
        name = option.counted_work
        if not name or exitstatus or option.keyword or option.lf:
            return
        self._said, more = check(self._config, name, counts(self._by(_directory)))
        if more:
            session.exitstatus = MORE_WORK

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print both."""
        if len(self._of_tests) >= TESTS_MIN:
            terminalreporter.section("what took longest, in s of processor time")
            directories = sorted(self._by(_directory).items(), key=_dearest)
            for line in _table(directories[:DIRECTORIES_MAX]) + _table(self._by(_kind).items()):
                terminalreporter.write_line(line)
        if self._said:
            terminalreporter.section("counted work")
            for line in self._said:
                terminalreporter.write_line(line)

    def _by(self, key: Callable[[pytest.Item, Cost], str]) -> dict[str, list[Cost]]:
        """The costs of tests, by what they have in common."""
        found: defaultdict[str, list[Cost]] = defaultdict(list)
        for nodeid, phases in self._of_tests.items():
            cost = total(phases)
            found[key(self._items[nodeid], cost)].append(cost)
        return found


def _directory(item: pytest.Item, _cost: Cost) -> str:
    return str(Path(item.nodeid.partition("::")[0]).parent)


def _kind(item: pytest.Item, cost: Cost) -> str:
    """The first that applies."""
    drawn = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
    is_kind = (
        cost.processes > 0,
        item.get_closest_marker("at_length") is not None,
        "live" in item.path.parts or "run_live" in getattr(item, "fixturenames", ()),
        drawn,
        True,
    )
    return KINDS[is_kind.index(True)]


def _dearest(named: tuple[str, list[Cost]]) -> int:
    return -sum(cost.processor_ns for cost in named[1])


def _table(rows: Any) -> list[str]:
    lines = [f"{'s':>7}{'tests':>7}{'processes':>11}{'virtual s':>11}{'events':>11}"]
    for name, costs in sorted(rows, key=_dearest):
        used_ns, processes, virtual_ns, events = total(costs)
        first = f"{used_ns / 1e9:>7.1f}{len(costs):>7}{processes:>11}"
        lines.append(f"{first}{virtual_ns / 1e9:>11.1f}{events:>11}  {name}")
    return lines


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--counted-work``."""
    parser.addoption(
        "--counted-work",
        metavar="NAME",
        help="the whole of this run of tests/costs/counted_work.toml",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Look on."""
    config.pluginmanager.register(Costs(config))
