"""Which command a CCW's code means, for all 256."""

from ctc.order import RESET, Order, command_of, name_of
from ctc.state import State
from ctc.subchannel import Command


def test_every_command_has_its_own_code() -> None:
    """What the program may vary is in the bits above."""
    assert all(command_of(command) is command for command in Command)


def test_a_programs_own_bits_do_not_change_the_command() -> None:
    """X'21' is a WRITE as X'01' is, X'F1' a WRITE EOF, X'2A' a READ, X'17' and X'0F' CONTROLs."""
    codes = (0x21, 0xF1, 0x2A, 0x17, 0x0F)
    wanted = [Command.WRITE, Command.WRITE_EOF, Command.READ, Command.CONTROL, Command.CONTROL]
    assert [command_of(code) for code in codes] == wanted


def test_what_is_no_command_is_named_by_its_code() -> None:
    """A reset has a code, and is no command."""
    assert command_of(0x08) is None
    assert command_of(RESET) is None
    assert [name_of(code) for code in (0x08, RESET, 0x81)] == ["X'08'", "RESET", "WRITE EOF"]


def test_orders_of_the_same_content_are_equal() -> None:
    """Also as keys; the data are shown by their first bytes."""
    order, same = (Order(1, State.WRITE, 9, bytes(range(9))) for _ in "12")
    assert order == same
    assert Order(2, State.READ) == Order(2, State.READ, 0, b"", eof=False)
    assert {order: 1}[same] == 1
    assert order != Order(1, State.WRITE, 9, bytes(range(1, 10)))
    assert repr(order) == "Order(WRITE WRITE 9 0001020304050607)"
