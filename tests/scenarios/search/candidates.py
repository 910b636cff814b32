"""A link of three fibres, two of them alike, and sequences of these to draw."""

from hypothesis import strategies as st

from isfc.layout.file import parse_layout

LAYOUT = parse_layout("""
[fibre.a]
feature = "FICON Express4"
chpid = { A = "40", B = "50" }
[fibre.b]
feature = "FICON Express4"
chpid = { A = "41", B = "51" }
[fibre.f]
feature = "FICON Express8S"
chpid = { A = "42", B = "52" }
[[ctc]]
fibre = "a"
rdevs = { A = "6000-6001", B = "7000-7001" }
[[ctc]]
fibre = "b"
rdevs = { A = "6010", B = "7010" }
[[ctc]]
fibre = "f"
rdevs = { A = "6020", B = "7020" }
""")
FIBRES = LAYOUT.fibres
SEQUENCES = st.lists(st.integers(0, 2), min_size=1, max_size=16).map(tuple)
