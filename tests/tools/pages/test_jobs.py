"""A newcomer's jobs, from README alone: a page that it names shows each, with the answer on top."""

import re
from typing import Final

import pytest

from tools import PROJECT
from tools.pages.console import GAP, blocks

SCREEN: Final = 24
"""Lines of a terminal."""
JOBS: Final = r"""
import    | import iocp tests/data/decks/cross-css.iocp                | Not paired: 8 devices
import    | import iocp tests/data/decks/cec-a.iocp                  | do not say which director
import    | import islink tests/data/logs/atlanta.txt                | feature = .* # assumed
import    | import dpm tests/data/dpm/links.json                     | chpid = { ZVM1
import    | export published-12 --as activate                        | ACTIVATE ISLINK 6000
import    | export published-1 --as iocp                             | CHPID PATH=
layouts   | new --systems ATLANTA,BOSTON                             | chpid = { ATLANTA
layouts   | show atlanta-boston                                      | chpid 40 =+ Express2
check     | check atlanta-boston published-10                        | 2 of 2 layouts read
loss      | plan atlanta-boston --lose                               | Worst chpid 40
loss      | plan published-12 --without 40                           | Limited by
report    | report published-12 -o report.html                       | Running throughput
size      | size --mb-per-s 650                                      | Fewest +\d chpids of FICON
size      | size --mb-per-s 1500                                     | Not reachable .* Limited by
optimise  | optimise docs/optimise-links.toml                        | (Best|Open|Nothing to gain) +
optimise  | optimise docs/optimise-cluster.toml                      | (Best|Open|Nothing to gain) +
sweep     | sweep docs/sweep-links.toml                              | Best of pairs 5 +ctcs_per_
collisions| collide published-4 --offer-out 160                      | rule +coll/s
changing  | change atlanta-boston docs/changing/wider.toml           | : 2 steps
changing  | change query-islink query-islink                         | remove 4 CTCs
check     | check two-cecs published-12                              | by the scheme 'alike'
layouts   | show denver.toml --connections                           | CTCs/fibres CHICAGO DENVER
cluster   | plan docs/cluster/third-member.toml                      | Keeps least
cluster   | evacuate two-cecs ALPHA                                  | ALPHA is empty +after
cluster   | run two-cecs --seconds 0.5                               | Together +\d+ MB/s
cluster   | up docs/cluster/third-member.toml --detach               | are up
run       | run atlanta-boston --workload HL --pairs 50              | Carries +\d+ MB/s
run       | run atlanta-boston .* --report link                      | Written
faults    | run published-4 .* --faults docs/faults.toml             | before during after
cp        | run atlanta-boston .* --cp docs/commands.cp              | Link 6003 deactivated
timeline  | run published-4 .* --trace link.json                     | seen from CLIENT
compare   | compare 8.json 10.json                                   | MB/s both ways +A .* B
relocation| relocate published-12 --memory 2G                        | Moved +after
relocation| relocate .* --max-quiesce 1                              | for longer than MAXQUIESCE
relocation| sweep docs/sweep-channels.toml                           | channels +MB/s
relocation| relocate .* --like direct-io                             | Moved +after
prove     | measured compare atlanta-boston docs/measured/site-1.txt | Model is off .* by the median
prove     | measured fit atlanta-boston                              | The fit is accepted
loads     | loads atlanta-boston .* --growth 3                       | layout carries what both
loads     | loads .* --move 1T                                       | Best begun at \d\d:\d\d
replay    | replay --suite HL --rdevs 12                             | MB/s
io-sizing | io size --rmf docs/io/rmf.txt                            | Order +2 FICON Express16SA
io-sizing | io plan docs/io/two-channels.toml                        | To change +nothing
io-sizing | io run docs/io/two-channels.toml                         | Limited by
live      | up query-islink --detach                                 | is up
live      | cp 2NDI 'DEACTIVE ISLINK 33C1'                           | deactivated
"""
"""What is wanted: a page, a command that it shows, and what the answer has before any detail."""


@pytest.mark.parametrize(
    "job", JOBS.strip().splitlines(), ids=lambda job: job.split("|")[1].strip()
)
def test_answer_is_on_the_first_screen_of_a_page_that_readme_names(job: str) -> None:
    name, command, answer = map(str.strip, job.split("|", 2))
    page = f"docs/{name}.md"
    assert f"({page}" in (PROJECT / "README.md").read_text("utf-8")
    shown = [
        each.shown.splitlines()
        for block in blocks(page, (PROJECT / page).read_text("utf-8"))
        for each in block
        if re.match(f"isfc {command}", each.command)
    ]
    assert shown, f"{page} shows no such command"
    lines, *_ = shown
    first = lines[: lines.index(GAP) if GAP in lines else SCREEN][:SCREEN]
    assert re.search(answer, " ".join(" ".join(first).split()))
