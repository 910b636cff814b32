"""What a computation loads when it begins; a module that itself loads nothing."""

import sys
from typing import Any


def loaded_by_asking(tell: Any, question: Any) -> list[str]:
    """The modules that are not there before the model is asked."""
    before = {*sys.modules}
    sys.modules["isfc.cli.studio.tasks"].ask(tell, question)
    return sorted({*sys.modules} - before)
