"""What the link driver's work costs: how long it holds a link lock, and processor time."""

from typing import final

from isfc.link.counters import LinkCounters
from isfc.link.package import Package
from isfc.link.parameters import LinkParameters


@final
class LinkCosts:
    """The costs that a set of parameters leads to, in ns."""

    def __init__(self, parameters: LinkParameters) -> None:
        self._parameters = parameters
        self.dispatch_ns = parameters.dispatch_ns
        """From an interrupt that brings no data to the SSCH that follows."""
        self._build_package_ns = parameters.build_package_ns
        self._appc_ns_per_byte_built = parameters.appc_ns_per_byte_built
        self._appc_ns_per_byte_taken = parameters.appc_ns_per_byte_taken
        self._receive_ns_per_byte = parameters.receive_ns_per_byte
        self._single_ctc_release_ns_per_byte = parameters.single_ctc_release_ns_per_byte

    def build_ns(self, package: Package) -> int:
        """Time to build ``package`` and start its write."""
        return (
            self._build_package_ns
            + self.dispatch_ns * package.appc_count
            + int(self._appc_ns_per_byte_built * package.appc_length)
        )

    def receive_ns(self, package: Package) -> int:
        """Time to receive ``package`` and hand its messages over."""
        return self.dispatch_ns * package.appc_count + int(
            self._appc_ns_per_byte_taken * package.appc_length
            + self._receive_ns_per_byte * (package.length - package.appc_length)
        )

    def single_ctc_release_ns(self, package: Package) -> int:
        """Time to release ``package`` once it is written on a link's only CTC."""
        return int(self._single_ctc_release_ns_per_byte * package.length)

    def cpu_ns(self, counters: LinkCounters, appc_count: int = 0) -> int:
        """Processor time of so many packages and bytes; ``appc_count`` pieces are APPC/VM's."""
        parameters = self._parameters
        package_count = counters.write_package_count + counters.read_package_count
        return int(
            parameters.cpu_package_ns * package_count
            + parameters.cpu_ns_per_byte_written * counters.write_length
            + parameters.cpu_ns_per_byte_read * counters.read_length
            + parameters.cpu_appc_message_ns * appc_count
        )
