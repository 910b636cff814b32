"""Hardware: one end of one channel-to-channel device, and the fibre that it uses.

This ring imports nothing of the project outside itself. Software talks to it through
`ctc.subchannel`; an engine carries `ctc.frame` records between two ends.
"""
