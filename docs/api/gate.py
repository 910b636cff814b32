"""What IBM's advice finds, to gate a change."""

import sys

import isfc

found = isfc.check("atlanta-boston")
warnings = [each for link in found for each in link.findings if each.severity == "warning"]
for each in warnings:
    print(each.id, each.text, each.remedy)
sys.exit(1 if warnings else 0)
