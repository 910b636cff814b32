"""``python -m tools.pages``: what `tools.pages.renew` does."""

import sys

from tools.pages.renew import main

if __name__ == "__main__":
    sys.exit(main())
