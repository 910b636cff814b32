"""A workload of one's own, of three sizes, with think times and replies by size."""

import isfc

mail = isfc.Workload.own(
    "mail", {500: 70, 8_000: 25, 100_000: 5}, 200, replies={100_000: 1_000}, think_s=0.01
)
print(isfc.simulate("published-4", mail, pairs=10, seconds=0.2, warmup=0.05))
