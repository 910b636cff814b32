"""``python -m tools.pages``: what `tools.pages.renew` does."""

import typer

from tools.pages.renew import main

if __name__ == "__main__":
    typer.run(main)
