"""The fixtures, as somebody else's tests have them."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from hypothesis import settings

from isfc.live.session import Conversation, OpenNode
from isfc.testing.pair import Pair
from isfc.testing.plugin import register_profiles

pytest_plugins = ["pytester"]


def test_pair_of_the_fixture_carries_messages(isfc_pair: Callable[..., Pair]) -> None:
    pair = isfc_pair(ctc_count=2)
    pair.send(pair.first, 10)
    pair.until(pair.all_arrived)


def test_live_pair_of_the_fixture_holds_a_conversation(
    live_pair: Callable[..., AbstractAsyncContextManager[tuple[OpenNode, OpenNode]]],
) -> None:
    async def echo(conversation: Conversation) -> None:
        await conversation.send(await conversation.receive())

    async def main() -> None:
        async with live_pair("published-4") as (client, server):
            server.serve("ECHO", echo)
            async with asyncio.timeout(20), client.connect("ECHO") as conversation:
                await conversation.send(b"there and back")
                assert await conversation.receive() == b"there and back"

    asyncio.run(main())


def test_plugin_loads_nothing_until_asked_checks_pairs_and_opens_live_ones_in_any_folder(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import asyncio, sys

        def test_nothing_is_loaded():
            loaded = {name for name in sys.modules if name.split(".")[0] in ("isfc", "ctc")}
            assert "isfc.testing.plugin" in loaded
            assert "isfc.testing.pair" not in loaded and "isfc.system.system" not in loaded

        def test_pair_is_checked_when_the_test_is_over(isfc_pair):
            pair = isfc_pair(ctc_count=1)
            pair.send(pair.first, 10)
            pair.until(pair.all_arrived)
            pair.second.arrived *= 2

        def test_live_pair_opens(live_pair):
            async def main():
                async with live_pair("published-4"):
                    pass
            asyncio.run(main())
        """
    )
    folder = pytester.path / ("long" * 30)  # a Unix socket's path has at most 107 bytes
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", f"--basetemp={folder}", "-rE")
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["ERROR *::test_pair_is_checked_when_the_test_is_over*"])


def test_no_profile_has_a_deadline_and_ci_repeats_itself() -> None:
    register_profiles()
    profiles = [settings.get_profile(name) for name in ("dev", "ci", "nightly")]
    assert [profile.deadline for profile in profiles] == [None] * 3
    assert [profile.derandomize for profile in profiles] == [False, True, False]
