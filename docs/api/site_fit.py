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
seen = isfc.measured.read([page], system="ATLANTA", ran=("HL", 50))
print(seen[0].rows())
try:
    profile = isfc.measured.fit("atlanta-boston", seen).profile
    print(isfc.measured.format_profile(profile))
except isfc.measured.FitRefused as refused:
    print(refused.fitted.doubts)
except isfc.ConfigurationError as error:
    print(error)
