"""Several links of a file together."""

import isfc

together = isfc.simulate_links(
    "two-cecs", ["ALPHA-BETA:HS:2", "ALPHA-GAMMA:HS:2"], seconds=0.05, warmup=0.01
)
for name, link in together.links.items():
    print(name, link.mb_per_s)
print(together.mb_per_s)
