"""Files of `isfc.cli` that pages are made of, and whether the libraries are there that do it."""

from importlib import resources

from isfc.library import check_library


def check_charts() -> None:
    """Raise `ConfigurationError` if what writes the page or draws its charts is not installed."""
    for library in ("jinja2", "vl_convert"):
        check_library(library, "isfc report")


def resource(name: str) -> str:
    """The text of a file of `isfc.cli`."""
    return resources.files("isfc.cli").joinpath(name).read_text("utf-8")
