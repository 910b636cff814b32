"""isfc with short runs, and without any for decisions: ``python -m tests.isfc.cli.studio.ruled``.

So are those of the processes that it begins, as they load the main module; what that loads is there
once for all of them.
"""

import pytest

from tests.isfc.answers.deciding import by_rule
from tests.short_isfc import SHORT

if __name__ in ("__main__", "__mp_main__"):
    by_rule(pytest.MonkeyPatch())
    for module, name, value in SHORT:
        setattr(module, name, value)

if __name__ == "__main__":
    from isfc.cli.script import main
    from isfc.cli.studio import work

    vars(work)["_PRELOADED"] += ("tests.isfc.answers.deciding", "isfc.cli.studio.deciding")
    raise SystemExit(main())
