"""A CTC that moves to another fibre, and one more."""

import isfc

links = isfc.parse_links(
    isfc.format_collection(isfc.Collection((isfc.load_layout("published-8"),)))
)
name = links.links[0].name
fibres = [fibre.name for fibre in links.links[0].fibres]
first = links.links[0].ctcs[0].rdev_names[0]
for change in (isfc.MoveCtc(name, first, fibres[-1]), isfc.AddCtc(fibres[0])):
    links = isfc.edit(links, change)
print(isfc.format_collection(links))
