"""The traffic that a layout file names, held against the workloads that there are."""

from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection


def checked_traffic(collection: Collection, source: str) -> Collection:
    """The collection, whose traffic is of workloads that there are.

    A layout knows nothing of them, and what does not run its traffic would pass a misspelt name
    over. Raises `ConfigurationError` for one, in the file that is called ``source``.
    """
    if collection.traffic:
        from scenarios.runs.workload import find_workload  # most files name none

        for number, traffic in enumerate(collection.traffic, start=1):
            with within(f"{source}: [[traffic]] #{number} workload"):
                find_workload(traffic.workload)
    return collection
