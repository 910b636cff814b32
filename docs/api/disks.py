"""Channels and disks, as they are and as they should be."""

from pathlib import Path
from tempfile import mkdtemp

import isfc

CONFIG = """
[channel.40]
feature = "FICON Express8S"

[[io]]
name = "disks"
channels = ["40"]
protocol = "zhpf"
rate = 10000
"""

planned = isfc.io_plan(CONFIG)
print(planned.channels[0].processor_percent, planned.advice)
print(isfc.io_run(CONFIG, seconds=0.02).rows())
file = Path(mkdtemp(), "disks.toml")
file.write_text(CONFIG, "utf-8")
print(isfc.io_plan(isfc.io_size(file, growth=50.0).proposal))
