"""Decks into a layout."""

import isfc

decks = isfc.export("atlanta-boston", "iocp").texts
print(isfc.deck_partitions(decks["ATLANTA.iocp"]))
found = isfc.import_iocp([*decks.values()], partitions="ATLANTA,BOSTON")
for remark in found.remarks:
    print(remark)
print(found.collection, [each.text for each in found.unpaired])
