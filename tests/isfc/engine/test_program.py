"""What an engine asks of a program, held to by those that are shipped."""

from random import Random

from isfc.engine.program import Program
from isfc.link.events import LinkDown
from scenarios.runs.guests import Clients, GuestCosts, Servers
from scenarios.runs.workload import find_workload


def test_the_guests_of_both_sides_are_programs() -> None:
    workload = find_workload("HS")
    programs: list[Program] = [
        Clients(workload, 1, GuestCosts(), Random(1)),
        Servers(workload, 1, GuestCosts()),
    ]
    assert [len(list(program.start(0))) for program in programs] == [workload.window, 0]
    assert not any(list(program.receive(LinkDown(), 0)) for program in programs)
