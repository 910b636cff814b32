"""``-o FILE``: writing a result into a file."""

from pathlib import Path

from isfc.errors import ConfigurationError


def check_file(option: str, name: str, suffixes: tuple[str, ...]) -> Path:
    """The file that an option names, before any work is done for it.

    Raises `ConfigurationError` for another suffix, and for a folder that does not exist.
    """
    path = Path(name)
    if suffixes and path.suffix.lower() not in suffixes:
        raise ConfigurationError(
            f"{option} {name[-60:]}: expected a file that ends with {' or '.join(suffixes)}"
        )
    if not path.parent.is_dir():
        raise ConfigurationError(f"{option} {name[-60:]}: there is no folder {path.parent}")
    return path
