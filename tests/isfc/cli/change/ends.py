"""Both sides of a change, drawn; what is active at the ends of a link, as shown and as said."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from isfc.layout.catalogue import given_collection


def up(answer: Sequence[str]) -> Iterator[str]:
    """The devices that a response of QUERY ISLINK shows to be up."""
    lines = [line.split() for line in answer]
    for number, line in enumerate(lines):
        if line[:2] == ["Link", "device:"] and lines[number + 2][1] == "Up":
            yield line[2]


def active(layout: Path | str) -> list[set[str]]:
    """The devices of the only link of a layout, at each end."""
    (link,) = given_collection(layout).links
    return [{f"{ctc.rdevs[end]:04X}" for ctc in link.ctcs} for end in (0, 1)]


def drawn_files(folder: Path, random: Random) -> list[Path]:
    """Two layouts of A and B with few numbers: many of them move from one CTC to another."""
    files = []
    for name in ("before", "after"):
        count = random.randint(1, 8)
        numbers = [random.sample(range(0x6000, 0x600A), count) for _ in (0, 1)]
        fibres = [
            f'[fibre.{n}]\nfeature = "FICON Express4"\nchpid = {{ A = "4{n}", B = "5{n}" }}\n'
            for n in range(3)
        ]
        ctcs = [
            f'[[ctc]]\nfibre = "{random.randrange(3)}"\nrdevs = {{ A = "{a:X}", B = "{b:X}" }}\n'
            for a, b in zip(*numbers, strict=True)
        ]
        used = [fibre for n, fibre in enumerate(fibres) if any(f'"{n}"' in ctc for ctc in ctcs)]
        files.append(folder / f"{name}.toml")
        files[-1].write_text("".join([*used, *ctcs]))
    return files
