"""What a link shares with others, and with itself: channels, chpids and inter-switch links."""

from collections.abc import Iterator

from isfc.layout.layout import Channel, Collection, Layout


def channel_name(channel: Channel) -> str:
    """A channel in words: ``chpid 40 at ALPHA``, or ``the channel ALPHA 40 = BETA 41``."""
    if len(channel) == 1:
        (end,) = channel
        return f"chpid {str(end).rpartition(' ')[2]} at {end.node}"
    return f"the channel {' = '.join(map(str, channel))}"


def link_name(link: Layout) -> str:
    """``ALPHA-BETA``."""
    return "-".join(link.nodes)


def carried_by(collection: Collection) -> dict[Channel, tuple[Layout, ...]]:
    """Each channel with the links that use it, in the order of the file."""
    found: dict[Channel, list[Layout]] = {}
    for link in collection.links:
        for fibre in link.fibres:
            for channel in collection.channels_of(fibre, link.nodes):
                links = found.setdefault(channel, [])
                if link not in links:
                    links.append(link)
    return {channel: tuple(links) for channel, links in found.items()}


def shared_by(collection: Collection, link: Layout) -> tuple[str, ...]:
    """What ``link`` shares, each in words; nothing if it is alone on fibres of its own."""
    return tuple(dict.fromkeys(_shared(collection, link)))


def _shared(collection: Collection, link: Layout) -> Iterator[str]:
    carried = carried_by(collection)
    ends: list[Channel] = []
    for fibre in link.fibres:
        channels = collection.channels_of(fibre, link.nodes)
        if channels[0] == channels[1]:
            yield f"{channel_name(channels[0])} is both ends of fibre {fibre.name}"
        for channel in dict.fromkeys(channels):
            others = [link_name(other) for other in carried[channel] if other is not link]
            if others:
                yield f"{channel_name(channel)} carries {', '.join(others)} too"
        ends += dict.fromkeys(channels)
    for channel in dict.fromkeys(ends):
        if ends.count(channel) > 1:
            yield f"{channel_name(channel)} is on {ends.count(channel)} of its fibres"
    for path in dict.fromkeys(fibre.path for fibre in link.fibres):
        if path is not None and path.isl is not None:
            yield f"path {path.name} has inter-switch links"
