"""What our models have in the place of the rows of the channel tables, by table and measure."""

from collections.abc import Callable, Mapping
from typing import Final

from scenarios.published import ficon_rows, sas_rows, system_rows
from scenarios.published.table import PublishedRow

CHANNEL_ROWS: Final[Mapping[str, Callable[[PublishedRow], Mapping[str, float]]]] = {
    **ficon_rows.ROWS,
    **system_rows.ROWS,
    **sas_rows.ROWS,
}
"""Our figures by measure for a row of each table."""
