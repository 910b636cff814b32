"""How late a live node is."""


class Lag:
    """How late a node's timers are: the machine is slower than the model, or busy.

    ``late_ns`` of ``waited_ns`` of model time between setting a deadline and handling it were
    lateness; ``late_ns_max`` is the worst single one.
    """

    __slots__ = ("late_ns", "late_ns_max", "waited_ns")

    def __init__(self) -> None:
        self.late_ns = 0
        self.late_ns_max = 0
        self.waited_ns = 0

    def note(self, set_ns: int, deadline_ns: int, now_ns: int) -> None:
        """A deadline, set at ``set_ns``, has been handled."""
        late_ns = now_ns - deadline_ns
        self.late_ns += late_ns
        self.late_ns_max = max(self.late_ns_max, late_ns)
        self.waited_ns += now_ns - set_ns

    @property
    def percent(self) -> float:
        """Lateness in percent of the time that deadlines were waited for."""
        return 100 * self.late_ns / self.waited_ns if self.waited_ns else 0.0
