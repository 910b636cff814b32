"""Numbered messages, and what the operator is told unasked."""

from ctc.address import Rdev
from isfc.cp.messages import (
    DEVICE_IN_USE,
    EXTRA_OPTION,
    INVALID_OPERAND,
    LINK_ACTIVATED,
    MESSAGES,
    NO_SUCH_DEVICE,
    UNKNOWN_COMMAND,
    CommandRefused,
    ResponseBuilder,
    announcement,
)
from isfc.link.events import Delivered, DeviceChanged, LinkDown, LinkUp, Sent, Severed

RDEV = Rdev(0xCC3)


def test_message_has_number_severity_and_operands() -> None:
    assert NO_SUCH_DEVICE("6009") == "HCP040E Device 6009 does not exist"
    assert LINK_ACTIVATED("6000", "OPERATOR") == "HCP2706I Link 6000 activated by user OPERATOR"
    assert UNKNOWN_COMMAND("FORMAT") == "HCPCMD001E Unknown CP command: FORMAT"


def test_long_operand_is_cut_so_that_the_line_stays_short() -> None:
    longest = "Q" * 1_000
    assert all(len(message(longest, longest)) <= 130 for message in MESSAGES)
    assert INVALID_OPERAND(longest) == "HCP002E Invalid operand - " + "Q" * 40


def test_numbers_are_used_once() -> None:
    numbers = [(message.origin, message.number) for message in MESSAGES]
    assert len(numbers) == len(set(numbers)) > 15


def test_refusal_carries_the_number_as_return_code() -> None:
    refused = CommandRefused(EXTRA_OPTION, "MORE")
    assert refused.return_code == 3
    assert str(refused).endswith("starting with MORE")


def test_first_error_decides_the_return_code() -> None:
    answer = ResponseBuilder()
    answer.say("Link 6000 activated.")
    answer.refuse(NO_SUCH_DEVICE, "6009")
    answer.refuse(DEVICE_IN_USE, "6001")
    answer.announce(LINK_ACTIVATED, "6000", "OPERATOR")
    response = answer.response("ACT ISLINK 6000 6009 6001")
    assert response.return_code == 40
    assert [line[:7] for line in response.lines] == ["Link 60", "HCP040E", "HCP049E"]
    assert response.announcements == ("HCP2706I Link 6000 activated by user OPERATOR",)


def test_operator_is_told_of_devices_and_of_the_link() -> None:
    told = [
        announcement(event, "BOSTON")
        for event in (
            DeviceChanged(RDEV, usable=True),
            LinkUp(),
            DeviceChanged(RDEV, usable=False),
            LinkDown(),
            Severed("the partner restarted"),
        )
    ]
    assert told == [
        "HCP2702I Link 0CC3 came up",
        "HCP2704I Node BOSTON added to collection",
        "HCP2703I Link 0CC3 went down",
        "HCP2705I Node BOSTON deleted from collection",
        "ISF9007I Conversations severed: the partner restarted",
    ]


def test_operator_is_not_told_of_traffic() -> None:
    assert announcement(Delivered([]), "BOSTON") is None
    assert announcement(Sent([]), "BOSTON") is None
