"""The shipped layouts that describe one link: what takes a single link takes each of them."""

from typing import Final

from isfc.layout.catalogue import given_collection, shipped_layouts

ONE_LINK: Final = tuple(
    name for name in shipped_layouts() if len(given_collection(name).links) == 1
)
