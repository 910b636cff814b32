"""What is wrong is said by name."""

import isfc

for call in (
    lambda: isfc.load_layout("atlanta-bostn"),
    lambda: isfc.simulate("published-1", "HX", pairs=1),
    lambda: isfc.parse_layout("[fibre.1]\nfeature = 1"),
):
    try:
        print(call())
    except isfc.IsfcError as error:
        print(type(error).__name__, error)
