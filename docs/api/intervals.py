"""Intervals of a run, with what belongs to its figures."""

import isfc

run = isfc.simulate("published-4", "HS", pairs=5, seconds=0.1, warmup=0.05, interval=0.05)
for row in run.rows():
    print(row["until_s"], row["node"], row["mb_per_s"])
within = run.figures["mb_per_s"]
print(run.mb_per_s, str(within), *(note.text for note in run.notes), run.device_rows()[0])
