"""A page of Performance Toolkit, and what a fit says of a link that was quiet."""

from pathlib import Path
from tempfile import mkdtemp

import isfc

PAGE = """\
Addr Type ths I/O Pend Disc Conn Serv Busy
6000 CTCA 1 .0 ... ... ... ... 0
"""

page = Path(mkdtemp(), "fcx108.txt")
page.write_text(PAGE, "utf-8")
about = isfc.measured.AboutFiles(system="ATLANTA")
seen = isfc.measured.read([page], ran=["HL:50"], about=about)
print(seen.rows())
try:
    profile = isfc.measured.fit("atlanta-boston", seen).profile
    print(isfc.measured.format_profile(profile))
except isfc.measured.FitRefused as refused:
    print(refused.answer.doubts)
except isfc.ConfigurationError as error:
    print(error)
