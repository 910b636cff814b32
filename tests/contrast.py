"""How well one colour can be told from another, by WCAG 2.1."""

from typing import Final

CONTRAST_MIN: Final = 3.0
"""Of lines and marks on what is behind them: success criterion 1.4.11."""
TEXT_CONTRAST_MIN: Final = 4.5
"""Of text: success criterion 1.4.3."""

Colour = tuple[int, ...]
"""Red, green and blue, of 255."""


def parse_colour(text: str) -> Colour:
    """What ``#rgb``, ``#rrggbb`` or ``rgb(r, g, b)`` stands for."""
    if text.startswith("rgb("):
        return tuple(map(int, text[4:-1].split(",")))
    digits = text.removeprefix("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    return tuple(bytes.fromhex(digits))


def luminance(colour: Colour) -> float:
    """Relative luminance."""
    shares = [value / 255 for value in colour]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: Colour, other: Colour) -> float:
    """From 1, for equal colours, to 21, for black and white."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
