"""A guest that moves."""

import isfc

memory = isfc.GuestMemory(size=2**30, touched=10 * 2**20)
guest = isfc.GuestPlan("LINUX1", memory, isfc.Limits(max_quiesce=5.0))
moved = isfc.relocate("published-4", guest)
print(moved.seconds, moved.longest_stop, moved.all_moved, moved.limits.text, len(moved.rows()))
