"""Draws charts: PNG files for papers, and one interactive HTML page that needs no network.

Needs the extra "sim" (matplotlib, plotly), which only this module imports. Names of species, worlds
and topics may come from untrusted files, so all names are escaped.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from evocrawl.simulation.evaluation.curves import Chart, charts
from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.evaluation.results import write_atomically
from evocrawl.simulation.evaluation.timed_curves import timed_charts

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem }}
table {{ border-collapse: collapse }} td, th {{ padding: .2rem .8rem; text-align: left }}
tr {{ border-bottom: 1px solid #ccc }}</style></head>
<body><h1>{title}</h1>{body}</body></html>
"""


def draw_pngs(rows: Sequence[Row], directory: Path) -> list[Path]:
    """Write a PNG for each chart of `rows` into `directory`; return their paths."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    paths = []
    for chart in charts(rows) + timed_charts(rows):
        figure = Figure(figsize=(8, 5), layout="constrained")
        axes = figure.add_subplot()
        for curve in chart.curves:
            (line,) = axes.plot(curve.x, curve.mean, label=_plain(curve.name))
            axes.fill_between(curve.x, curve.low, curve.high, alpha=0.15, color=line.get_color())
        axes.set(title=chart.title, xlabel=chart.x_label, ylabel=chart.y_label)
        axes.grid(alpha=0.3)
        axes.legend()
        path = directory / f"{chart.name}.png"
        FigureCanvasAgg(figure).print_figure(str(path), format="png")
        paths.append(path)
    return paths


def draw_html(rows: Sequence[Row], path: Path, title: str, table: Sequence[Sequence[str]]) -> None:
    """Write an interactive page with `table` (its first row is the head) and all charts of `rows`.

    The page has about 5 MB, since it contains its scripts.
    """
    from plotly.offline import get_plotlyjs

    parts = [_table(table)] if table else []
    drawn = charts(rows) + timed_charts(rows)
    if drawn:
        parts.append(f"<script>{get_plotlyjs()}</script>")
    parts += [_interactive(chart) for chart in drawn]
    page = _PAGE.format(title=html.escape(title), body="\n".join(parts))
    write_atomically(path, page)


def _interactive(chart: Chart) -> str:
    import plotly.graph_objects as go

    figure = go.Figure()
    for curve in chart.curves:
        # Plotly reads a subset of HTML in names.
        name = html.escape(curve.name)
        spread = [
            f"{low:.3g} to {high:.3g}" for low, high in zip(curve.low, curve.high, strict=True)
        ]
        figure.add_scatter(
            x=curve.x.tolist(),
            y=curve.mean.tolist(),
            name=name,
            text=spread,
            hovertemplate="%{y:.4g}, half of the runs %{text}",
        )
    figure.update_layout(
        title=chart.title,
        xaxis_title=chart.x_label,
        yaxis_title=chart.y_label,
        hovermode="x unified",
        template="plotly_white",
    )
    return str(figure.to_html(full_html=False, include_plotlyjs=False, div_id=chart.name))


def _table(rows: Sequence[Sequence[str]]) -> str:
    head, *body = ([html.escape(cell) for cell in row] for row in rows)
    lines = ["<tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in body]
    return f"<table>{''.join(lines)}</table>"


def _plain(text: str) -> str:
    """Return text that matplotlib neither reads as mathematics nor hides from the legend."""
    return text.replace("$", r"\$").lstrip("_") or "?"
