"""``isfc schema``: the JSON schema of layout files."""

from isfc.cli.render.output import show_json
from isfc.layout.schema import layout_schema


def schema() -> None:
    """Print the JSON schema of layout files.

    Editors that know TOML, such as those with Taplo, complete and check layouts with it.
    """
    show_json(layout_schema())
