"""A new layout, its drawing, and the decks for it."""

from pathlib import Path
from tempfile import mkdtemp

import isfc

layout = isfc.new("ATLANTA,BOSTON", "40:50,41:51", ctcs=2)
folder = Path(mkdtemp())
(folder / "link.svg").write_text(isfc.drawing(layout), "utf-8")
for name, text in isfc.export(layout, "iocp").texts.items():
    (folder / name).write_text(text, "utf-8")
print(sorted(file.name for file in folder.iterdir()))
