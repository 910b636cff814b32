"""Waits that nothing bounds are found in tests, and nothing else is taken for one."""

import ast
from pathlib import Path

import pytest

from tools.checks import tidy, waits


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("subprocess.run(['true'], check=True)", "subprocess.run"),
        ("process.wait()", "wait"),
        ("threading.Thread(target=print).join()", "join"),
        ("from queue import Queue; Queue().get()", "get"),
        ("threads.submit(print).result()", "result"),
        ("socket.create_connection(address)", "create_connection"),
    ],
)
def test_found(line: str, name: str) -> None:
    found = [*waits.unbounded([*ast.walk(ast.parse(line))])]
    assert found == [(1, f"{name} without a timeout: it may wait for ever")]


@pytest.mark.parametrize(
    "line",
    [
        "subprocess.run(['true'], timeout=60)",
        "subprocess.run(['true'], **options)",
        "process.wait(60)",
        "', '.join(words)",
        "task.result()",
        "threads.submit(print).result(60)",
        "async def main(): await stop.wait()",
        "while text:\n    text = text[1:]",
    ],
)
def test_allowed(line: str) -> None:
    assert [*waits.unbounded([*ast.walk(ast.parse(line))])] == []


def test_loop_that_sleeps_is_found() -> None:
    loop = "while not path.exists():\n    time.sleep(0.1)"
    said = "a loop that sleeps: wait with tests/waiting.py, which has a bound"
    assert [*waits.unbounded([*ast.walk(ast.parse(loop))])] == [(1, said)]


def test_only_tests_are_looked_at_and_not_where_waiting_is_written(tmp_path: Path) -> None:
    text = '"""A module."""\n\nthread.join()\n'
    for name in ("tests/waiting.py", "tests/test_it.py", "tools/it.py", "scenarios/search/it.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    said = "tests/test_it.py:3: join without a timeout: it may wait for ever"
    assert [*tidy.check(tmp_path)] == [said]
