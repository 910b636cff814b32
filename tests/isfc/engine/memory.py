"""A journal in memory."""

from isfc.engine.journal_record import FILE_HEADER


class MemoryJournal:
    """Keeps a whole journal in ``data``."""

    def __init__(self) -> None:
        self.data = bytearray(FILE_HEADER)
        self.recording = True
        """May be set to False, to stop."""

    def __call__(self, record: bytes) -> None:
        """Keep the record."""
        self.data += record
