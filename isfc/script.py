"""The ``isfc`` command as it is installed: Ctrl-C ends it in silence from its first line on."""

import _signal  # type: ignore[import-not-found]  # what `signal` is made of; it loads nothing

if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

from isfc.__main__ import main as main  # Ctrl-C may come while it loads
