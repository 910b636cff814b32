"""The ``isfc`` command as a process; ``python -m isfc`` is that of the Python which is meant."""

from isfc.cli.interrupt import interrupts_ignored, interrupts_quit


def main() -> int:
    """Run the command line of the process; return its exit code."""
    interrupts_quit()
    from isfc.cli.main import run  # it loads much, and Ctrl-C may come meanwhile

    code = run()
    interrupts_ignored()
    return code


if __name__ == "__main__":
    raise SystemExit(main())
