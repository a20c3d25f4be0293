"""Draws line charts as SVG, without scripts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

_WIDTH, _HEIGHT = 460, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 10, 12, 26
_TICKS = 4


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its name, and points (x, y); a point whose y is None is left out."""

    name: str
    points: Sequence[tuple[float, float | None]]


def chart(title: str, lines: Sequence[Line], x_name: str = "requests") -> Markup:
    """Return an SVG image with axes from 0, a label for each line and a description."""
    drawn = [[(x, y) for x, y in line.points if y is not None] for line in lines]
    scale = _Scale.of([point for points in drawn for point in points])
    head = Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">').format(
        _WIDTH, _HEIGHT, f"{title} over {x_name}"
    )
    curves = [
        Markup('<polyline class="line{}" points="{}"><title>{}</title></polyline>').format(
            number, " ".join(scale.at(x, y) for x, y in points), line.name
        )
        for number, (line, points) in enumerate(zip(lines, drawn, strict=True))
    ]
    parts = [head, *_grid(scale), *_ticks(scale), *curves, Markup("</svg>")]
    return Markup("").join(parts) + _legend(lines)


@dataclass(frozen=True, slots=True)
class _Scale:
    """Maps values to places of the image: x from 0 to `right`, y from `bottom` to `top`."""

    right: float
    bottom: float
    top: float

    @classmethod
    def of(cls, points: Sequence[tuple[float, float]]) -> _Scale:
        return cls(
            max((x for x, _ in points), default=1.0) or 1.0,
            min(0.0, min((y for _, y in points), default=0.0)),
            _round_up(max((y for _, y in points), default=1.0)),
        )

    def at(self, x: float, y: float) -> str:
        across = _LEFT + (_WIDTH - _LEFT - _RIGHT) * x / self.right
        share = (y - self.bottom) / ((self.top - self.bottom) or 1.0)
        return f"{across:.1f},{_HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * share:.1f}"


def _grid(scale: _Scale) -> Iterator[Markup]:
    """Yield the horizontal lines, each with its value at the left."""
    for number in range(_TICKS + 1):
        y = scale.bottom + (scale.top - scale.bottom) * number / _TICKS
        height = scale.at(0, y).split(",")[1]
        yield Markup(
            '<line class="grid" x1="{}" x2="{}" y1="{}" y2="{}"/>'
            '<text class="tick" x="{}" y="{}" text-anchor="end">{}</text>'
        ).format(_LEFT, _WIDTH - _RIGHT, height, height, _LEFT - 6, height, _shown(y))


def _ticks(scale: _Scale) -> Iterator[Markup]:
    """Yield the values below the horizontal axis."""
    for number in range(_TICKS + 1):
        x = scale.right * number / _TICKS
        across = scale.at(x, scale.bottom).split(",")[0]
        anchor = "end" if number == _TICKS else "middle"
        yield Markup('<text class="tick" x="{}" y="{}" text-anchor="{}">{}</text>').format(
            across, _HEIGHT - 8, anchor, _shown(x)
        )


def _legend(lines: Sequence[Line]) -> Markup:
    if len(lines) < 2:
        return Markup("")
    names = [
        Markup('<span class="key{}">{}</span>').format(number, escape(line.name))
        for number, line in enumerate(lines)
    ]
    return Markup('<p class="legend">{}</p>').format(Markup(" ").join(names))


def _round_up(value: float) -> float:
    """Return the next of 1, 2, 4, 5, 8 times a power of ten that is at least `value`."""
    if value <= 0 or not math.isfinite(value):
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 5, 8, 10) if step * power >= value * 0.999)


def _shown(value: float) -> str:
    if value and abs(value) < 0.01:
        return f"{value:.3f}"
    return f"{value:,.0f}" if abs(value) >= 10 or value == int(value) else f"{value:.2f}"
