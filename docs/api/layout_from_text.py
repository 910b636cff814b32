"""A layout from text, its write order and capacity by rule."""

import isfc

TEXT = """
[fibre.1]
feature = "FICON Express8S"
chpid = { ATLANTA = "40", BOSTON = "50" }

[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6000-6003", BOSTON = "7000-7003" }
"""

layout = isfc.parse_layout(TEXT)
judged = isfc.judge(layout)
print(judged.rows(), [way.sender for way in judged.directions])
