"""Writes a report as one HTML file: no script, no other file, nothing from the network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from evocrawl.monitor.final import why_ended
from evocrawl.monitor.report.svg import Line, chart
from evocrawl.monitor.scores import scored, threshold
from evocrawl.monitor.views import Row

_DEEPEST = 60
"""Generations that unfold one inside the other; deeper ones are listed flat."""
_CURVES = (
    ("relevant", "Relevant pages"),
    ("harvest", "Harvest rate of the last requests"),
    ("recall", "Recall, an estimate"),
    ("agents", "Agents"),
    ("energy", "Energy of the agents"),
    ("threshold", "Threshold R"),
    ("pages_per_second", "Pages a second"),
)


def report_html(found: dict[str, Any]) -> bytes:
    """Return the report of one crawl."""
    return _render("crawl.html", crawl=found, charts=charts([("", found["curve"])]))


def comparison_html(found: dict[str, Any]) -> bytes:
    """Return the report of two crawls side by side."""
    first, second = found["crawls"]
    names = [f"1: {first['store']}", f"2: {second['store']}"]
    both = charts([*zip(names, (first["curve"], second["curve"]), strict=True)])
    return _render("comparison.html", found=found, names=names, charts=both)


def charts(curves: Sequence[tuple[str, list[Row]]]) -> list[tuple[str, Markup]]:
    """Return title and image of each curve; a curve without a value is left out."""
    drawn = []
    for key, title in _CURVES:
        lines = [Line(name, [(row["requests"], row[key]) for row in rows]) for name, rows in curves]
        if any(y is not None for line in lines for _, y in line.points):
            drawn.append((title, chart(title, lines)))
    return drawn


def family(agents: list[Row]) -> Iterator[tuple[str, Row | None]]:
    """Yield the family tree in writing order: ("open", agent), ("leaf", agent), ("close", None).

    Agents come parents first; an agent whose parent is left out is shown as a founder.
    """
    children: dict[int | None, list[Row]] = {}
    known = {each["id"] for each in agents}
    for each in agents:
        parent = each["parent"] if each["parent"] in known else None
        children.setdefault(parent, []).append(each)
    stack: list[Row | None] = [*reversed(children.get(None, []))]
    depth = 0
    while stack:
        one = stack.pop()
        if one is None:
            depth -= 1
            yield "close", None
            continue
        young = children.get(one["id"], [])
        if young and depth < _DEEPEST:
            depth += 1
            yield "open", one
            stack += [None, *reversed(young)]
        else:
            yield "leaf", one
            stack += reversed(young)


def safe_href(url: str) -> str:
    """Return an http(s) URL unchanged, and "" for any other text.

    >>> safe_href("javascript:alert(1)"), safe_href("https://a.test/")
    ('', 'https://a.test/')
    """
    return url if url.lower().startswith(("http://", "https://")) else ""


def date(iso: str) -> str:
    """Return an ISO 8601 date to the second.

    >>> date("2026-11-29T07:42:46.769+00:00")
    '2026-11-29 07:42:46 UTC'
    """
    return f"{iso[:19].replace('T', ' ')} UTC" if iso else ""


def _render(template: str, **values: Any) -> bytes:
    environment = Environment(
        loader=PackageLoader("evocrawl.monitor.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        href=safe_href,
        number=_number,
        whole=_whole,
        date=date,
        why_ended=why_ended,
        scored=scored,
        threshold=threshold,
    )
    environment.globals["family"] = family
    # A page may have lone surrogates, which have no UTF-8.
    return environment.get_template(template).render(values).encode("utf-8", "replace")


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"


def _whole(value: float | None) -> str:
    return "–" if value is None else f"{value:,.0f}"
