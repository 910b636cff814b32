"""What the loss of a channel, a director, inter-switch links or a CEC leaves of a cluster."""

from isfc.layout.catalogue import load_collection
from isfc.layout.file import parse_collection
from isfc.layout.loss import ClusterLoss, cluster_losses
from tests.isfc.layout.test_channels import CLUSTER

LINKS = ("ALPHA-BETA", "ALPHA-DELTA", "ALPHA-GAMMA", "BETA-DELTA", "BETA-GAMMA", "DELTA-GAMMA")


def losses(name: str) -> dict[str, ClusterLoss]:
    return {loss.name: loss for loss in cluster_losses(load_collection(name))}


def test_a_channel_of_two_systems_takes_ctcs_of_both() -> None:
    loss = losses("two-cecs")["the channel ALPHA 40 = BETA 40"]
    assert (loss.kind, loss.cut, loss.untouched) == ("channel", (), ("DELTA-GAMMA",))
    assert loss.fewer == (
        ("ALPHA-BETA", 4, 8),
        ("ALPHA-DELTA", 6, 8),
        ("ALPHA-GAMMA", 6, 8),
        ("BETA-DELTA", 6, 8),
        ("BETA-GAMMA", 6, 8),
    )


def test_a_director_takes_half_of_every_link() -> None:
    loss = losses("two-cecs")["director 2"]
    assert loss.fewer == tuple((name, 4, 8) for name in LINKS)
    assert loss.cut == loss.untouched == ()


def test_a_cec_takes_all_links_of_its_systems() -> None:
    loss = losses("two-cecs")["CEC EAST"]
    assert loss.cut == LINKS[:5]
    assert loss.untouched == ("DELTA-GAMMA",)


def test_inter_switch_links_take_what_crosses_them() -> None:
    by_name = {loss.name: loss for loss in cluster_losses(parse_collection(CLUSTER))}
    path = by_name["inter-switch links of path far"]
    assert path.cut == ("BETA-GAMMA",)
    assert path.fewer == (("ALPHA-GAMMA", 1, 5),)
    # the straight channel is an end of every link
    channel = by_name["the channel ALPHA 40 = BETA 41"]
    assert channel.cut == ("ALPHA-BETA", "ALPHA-GAMMA", "BETA-GAMMA")


def test_a_layout_of_one_link_loses_its_chpids_alone() -> None:
    kinds = [loss.kind for loss in cluster_losses(load_collection("atlanta-boston"))]
    assert kinds == ["channel"] * 4
