"""Pages and parts of pages as HTML: what they are made of, and the page about a layout."""

from importlib import resources


def resource(name: str) -> str:
    """The text of a file of `isfc.cli`."""
    return resources.files("isfc.cli").joinpath(name).read_text("utf-8")
