"""What can be wrong with the hardware's own names.

::

    CtcError
      BadRdev      not a real device number, or not a range of them
      BadChpid     not a channel-path identifier
      BadFeature   not a feature of FICON, OSA or zHyperLink that is known
"""


class CtcError(ValueError):
    """Root of the errors that ``ctc`` raises for bad input."""


class BadRdev(CtcError):
    """A text that is not a device number (RDEV) or a range of them."""


class BadChpid(CtcError):
    """A text that is not a chpid."""


class BadFeature(CtcError):
    """A feature (FICON, OSA or zHyperLink) that has no profile."""
