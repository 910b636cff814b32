"""Numbered messages, and what the operator is told unasked."""

from ctc.address import Rdev
from isfc.link.events import Delivered, DeviceChanged, LinkDown, LinkUp, Sent, Severed
from isfc.system.cp.messages import (
    CONVERSATIONS_SEVERED,
    DEVICE_IN_USE,
    EXTRA_OPTION,
    INVALID_OPERAND,
    LINK_ACTIVATED,
    LINK_DOWN,
    LINK_UP,
    MESSAGES,
    NO_SUCH_DEVICE,
    NODE_ADDED,
    NODE_DELETED,
    CommandRefused,
    CpResponse,
    announcement,
)

RDEV = Rdev(0xCC3)


def test_message_has_number_severity_and_operands() -> None:
    assert {message("6009", "BOSTON") for message in MESSAGES} >= {
        "HCPCMD001E Unknown CP command: 6009",
        "HCP026E Operand missing or invalid",
        "HCP2706I Link 6009 activated by user BOSTON",
        "ISF9003E Node 6009 is not at the other end; BOSTON is",
    }


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
    response = CpResponse("ACT ISLINK 6000 6009 6001")
    response.say("Link 6000 activated.")
    response.refuse(NO_SUCH_DEVICE, "6009")
    response.refuse(DEVICE_IN_USE, "6001")
    response.announce(LINK_ACTIVATED, "6000", "OPERATOR")
    assert response.return_code == 40
    assert [line[:7] for line in response.lines] == ["Link 60", "HCP040E", "HCP049E"]
    assert response.announcements == [LINK_ACTIVATED("6000", "OPERATOR")]


def test_operator_is_told_of_devices_and_of_the_link() -> None:
    told = [
        announcement(event, "BOSTON")
        for event in (
            DeviceChanged(RDEV, usable=True),
            LinkUp(),
            DeviceChanged(RDEV, usable=False),
            LinkDown(),
            Severed("the partner restarted"),
            *(Delivered([]), Sent([])),  # not of traffic
        )
    ]
    assert told == [
        LINK_UP("0CC3"),
        NODE_ADDED("BOSTON"),
        LINK_DOWN("0CC3"),
        NODE_DELETED("BOSTON"),
        CONVERSATIONS_SEVERED("the partner restarted"),
        *(None, None),
    ]
