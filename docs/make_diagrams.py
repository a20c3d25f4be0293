"""Draws project/house.svg and explanation/link-life.svg: `python docs/make_diagrams.py`.

The house is drawn from the levels of tests/test_layers.py and the imports of each package.
"""

from __future__ import annotations

import runpy
import textwrap
from collections import defaultdict
from html import escape
from pathlib import Path
from typing import NamedTuple

from evocrawl.population.link_status import LinkState

DOCS = Path(__file__).parent
HOUSE = DOCS / "project" / "house.svg"
LINK_LIFE = DOCS / "explanation" / "link-life.svg"

_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" \
font-family="system-ui, sans-serif" font-size="13">
<title>{title}</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" \
orient="auto"><path d="M0 0 8 4 0 8z" fill="#555"/></marker></defs>
<rect width="{width}" height="{height}" rx="8" fill="#fff"/>
"""


class Box(NamedTuple):
    """A rectangle: the place of its middle, its size, its name and the lines under the name."""

    x: float
    y: float
    width: float
    height: float
    name: str
    lines: tuple[str, ...] = ()
    fill: str = "#eef3f8"

    def svg(self) -> str:
        """Return the rectangle with its text."""
        left, top = self.x - self.width / 2, self.y - self.height / 2
        first = self.y - 8.5 * len(self.lines) + 4.5
        words = [_text(self.x, first, self.name, weight=600)]
        words += [
            _text(self.x, first + 17 * number, line, size=11, fill="#444")
            for number, line in enumerate(self.lines, 1)
        ]
        return (
            f'<rect x="{left:g}" y="{top:g}" width="{self.width:g}" height="{self.height:g}" '
            f'rx="6" fill="{self.fill}" stroke="#7a93ab"/>\n' + "".join(words)
        )


def _text(
    x: float, y: float, words: str, *, size: int = 13, weight: int = 400, fill: str = "#222",
    anchor: str = "middle",
) -> str:  # fmt: skip
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}" fill="{fill}">{escape(words)}</text>\n'
    )


def house() -> str:
    """Return the picture of the packages: a row for each level, and what each package imports."""
    layers = runpy.run_path(str(DOCS.parent / "tests" / "test_layers.py"))
    levels: dict[str, int] = layers["LEVELS"]
    used: dict[str, set[str]] = defaultdict(set)
    for module in layers["modules"]():
        package = layers["package_of"](module)
        used[package] |= {layers["package_of"](name) for name in layers["own_imports"](module)}
    rows: dict[int, list[str]] = defaultdict(list)
    for package, level in levels.items():
        rows[level].append(package)

    left, gap, width, high = 62, 10, 960, 84
    height = 36 + high * len(rows)
    parts = [_HEAD.format(width=width, height=height, title="Packages by level")]
    for row, level in enumerate(sorted(rows, reverse=True)):
        middle = 6 + high * row + high / 2
        parts.append(_text(14, middle + 5, f"level {level}", size=11, fill="#555", anchor="start"))
        wide = (width - left - 12 - gap * (len(rows[level]) - 1)) / len(rows[level])
        for number, package in enumerate(rows[level]):
            others = sorted(used[package] - {"", package}, key=lambda name: (-levels[name], name))
            uses = f"imports {', '.join(others)}" if others else "imports no other package"
            lines = tuple(textwrap.wrap(uses, int(wide / 5.9)))
            x = left + wide / 2 + number * (wide + gap)
            knows_scrapy = package in layers["ADAPTERS"]
            fill = "#fdf1e0" if knows_scrapy else "#eef3f8"
            parts.append(Box(x, middle, wide, high - gap, package, lines, fill).svg())
    key = "A package imports packages of lower levels only. Those in orange know Scrapy."
    parts.append(_text(left, height - 14, key, size=12, fill="#444", anchor="start"))
    return "".join(parts) + "</svg>\n"


_STATES = {
    LinkState.OPEN: (130, 60),
    LinkState.CHOSEN: (470, 60),
    LinkState.AWAITING: (830, 60),
    LinkState.HELD_BACK: (130, 220),
    LinkState.UNDER_WAY: (470, 220),
    LinkState.PUT_OFF: (830, 220),
    LinkState.SETTLED: (470, 350),
}
"""State to the place of its middle; `TAKEN` has no way from the others in this population."""


class Way(NamedTuple):
    """An arrow: its two ends, what makes the link take this way, and where the words stand."""

    ends: tuple[float, float, float, float]
    words: str
    at: tuple[float, float]
    anchor: str = "middle"


_WAYS = (
    Way((130, 8, 130, 36), "a page or a seed shows it", (142, 24), "start"),
    Way((205, 60, 395, 60), "an agent draws it", (300, 52)),
    Way((545, 50, 755, 50), "its origin is closed", (645, 42)),
    Way((755, 70, 545, 70), "the origin opens", (645, 86)),
    Way((100, 84, 100, 196), "it looks like|a link of a trap", (92, 134), "end"),
    Way((160, 196, 160, 84), "its group yields again,|or no other is open", (168, 112), "start"),
    Way((410, 84, 205, 205), "it looks like|a link of a trap", (330, 150), "start"),
    Way((470, 84, 470, 196), "its host has|a free slot", (478, 150), "start"),
    Way((755, 196, 530, 84), "an agent draws|it again", (556, 158), "start"),
    Way((830, 84, 830, 196), "the origin|stays closed", (838, 134), "start"),
    Way((545, 220, 755, 220), "to be tried again, or over budget", (650, 238)),
    Way((470, 244, 470, 326), "a page, or none for good", (478, 290), "start"),
)  # fmt: skip


def link_life() -> str:
    """Return the picture of the states of a link, with the names that the code gives them."""
    parts = [_HEAD.format(width=960, height=384, title="The life of a link")]
    for way in _WAYS:
        x1, y1, x2, y2 = way.ends
        parts.append(
            f'<path d="M{x1:g} {y1:g} {x2:g} {y2:g}" stroke="#555" fill="none" '
            'marker-end="url(#tip)"/>\n'
        )
        for number, line in enumerate(way.words.split("|")):
            x, y = way.at
            parts.append(_text(x, y + 14 * number, line, size=11, fill="#444", anchor=way.anchor))
    for state, (x, y) in _STATES.items():
        first, _, rest = state.value.partition(" robots")
        lines = (f"robots{rest}",) if rest else ()
        parts.append(Box(x, y, 150, 48, first, lines).svg())
    return "".join(parts) + "</svg>\n"


if __name__ == "__main__":
    HOUSE.write_text(house(), encoding="utf-8")
    LINK_LIFE.write_text(link_life(), encoding="utf-8")
