"""``python -m isfc.cli`` is ``isfc``, for a process that starts another."""

from isfc.cli.main import run

if __name__ == "__main__":
    raise SystemExit(run())
