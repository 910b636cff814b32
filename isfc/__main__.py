"""``python -m isfc``: the ``isfc`` command of the Python which is meant."""

from isfc.cli.script import main

if __name__ == "__main__":
    raise SystemExit(main())
