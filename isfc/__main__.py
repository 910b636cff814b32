"""``python -m isfc`` is ``isfc``, of the Python and the code that are meant."""

from isfc.cli.main import run

if __name__ == "__main__":
    raise SystemExit(run())
