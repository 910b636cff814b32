"""What outbound streams over an OSA cost the host, from a figure that the user has measured.

No absolute figure was published, only how adapters compare (`isfc.io.osa.CPU_RATIOS`). So a
workload says with ``cpu_us_per_mb`` what it costs on the reference adapter at the same MTU.
"""

from collections.abc import Sequence

from isfc.io.configuration import Channel, IoWorkload
from isfc.io.osa import CPU_RATIOS, CPU_REFERENCE


def sending_cpu_us_per_mb(
    channel: Channel, riding: Sequence[IoWorkload]
) -> tuple[float | None, str]:
    """Microseconds of CPU for 2**20 bytes sent over an OSA; None, and why, if that is not known.

    Workloads count by what they send; those that take as much as there is count alike.
    """
    sending = [one for one in riding if one.read_share < 1.0]
    if not sending:
        return None, "nothing is sent, and nothing was published of what comes in"
    costs = [one.cpu_us_per_mb for one in sending if one.cpu_us_per_mb is not None]
    if len(costs) < len(sending):
        return (
            None,
            f"no absolute figure was published; cpu_us_per_mb of {CPU_REFERENCE} is not given",
        )
    is_reference = channel.feature == CPU_REFERENCE
    if not (channel.large_send or is_reference):
        return None, f"{channel.feature} beside {CPU_REFERENCE} was published with large send only"
    ratio = 1.0 if is_reference else CPU_RATIOS.get((channel.feature, channel.mtu_bytes))
    if ratio is None:
        return (
            None,
            f"{channel.feature} beside {CPU_REFERENCE} was published at an MTU of 8992 and 1492",
        )
    weights = [_sent(one) for one in sending]
    if any(weight is None for weight in weights):
        weights = [1.0] * len(sending)
    each = [(weight or 0.0, cost) for weight, cost in zip(weights, costs, strict=True)]
    whole = sum(weight for weight, _ in each)
    return ratio * sum(weight * cost for weight, cost in each) / whole, ""


def _sent(workload: IoWorkload) -> float | None:
    """Bytes a second that a workload sends over each of its channels; None if as much as it can."""
    if workload.rate_per_s is None:
        return None
    sent = workload.rate_per_s * workload.io_bytes * (1.0 - workload.read_share)
    return sent / len(workload.channels)
