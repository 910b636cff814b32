"""Host CPU of streams over an OSA: from one figure and the published ratios, or not at all."""

import pytest

from isfc.answers.io_run import io_activity
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.osa import OsaActivity

TEXT = """
[channel.O1]
feature = "OSA-Express7S 25 GbE"
mtu = 8992
[[io]]
name = "copy"
workload = "streams-out"
channels = ["O1"]
cpu_us_per_mb = 200
"""


def osa(text: str) -> OsaActivity:
    (found,) = io_activity(parse_io_configuration(text.encode(), "x"), 0.01).osas
    return found


@pytest.mark.parametrize(
    ("old", "new", "us"),
    [
        ("8992", "8992", 148),
        ("8992", "1492", 158),
        ("7S 25 GbE", "6S 10 GbE", 200),
        ('7S 25 GbE"\nmtu = 8992', '6S 10 GbE"\nmtu = 4096\nlarge_send = false', 200),
        ("streams-out", "streams-mixed", 148),
    ],
)
def test_published_ratios_are_kept(old: str, new: str, us: float) -> None:
    found = osa(TEXT.replace(old, new))
    assert found.cpu_us_per_mb == pytest.approx(us)
    assert found.cpu_unknown == ""


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("cpu_us_per_mb = 200", "", "no absolute figure was published"),
        (
            "8992",
            "4096",
            "OSA-Express7S 25 GbE beside OSA-Express6S 10 GbE",
        ),
        (
            "8992",
            "8992\nlarge_send = false",
            "OSA-Express7S 25 GbE beside OSA-Express6S 10 GbE",
        ),
        ("streams-out", "streams-in", "nothing is sent"),
    ],
)
def test_what_is_not_known_says_why(old: str, new: str, why: str) -> None:
    found = osa(TEXT.replace(old, new))
    assert found.cpu_us_per_mb is None
    assert found.cpu_unknown.startswith(why)


def test_workloads_count_by_what_they_send() -> None:
    more = TEXT.replace("cpu", "rate = 10\ncpu") + TEXT[TEXT.index("[[io]]") :].replace(
        '"copy"', '"more"'
    ).replace("= 200", "= 400\nrate = 30")
    assert osa(more).cpu_us_per_mb == pytest.approx(0.74 * 350)
