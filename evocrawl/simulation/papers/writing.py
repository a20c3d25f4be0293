"""Writes the findings of an experiment: a table of claims, plots and rows.

Names of worlds and topics come from files, so they are escaped in Markdown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from evocrawl.simulation.evaluation.results import write_atomically
from evocrawl.simulation.papers.base import Claim, Experiment, Findings, Plot, Setup

_ESCAPED = str.maketrans({each: f"\\{each}" for each in "\\`*_[]<>|#"} | {"\n": " "})


def claims_table(claims: Iterable[Claim]) -> str:
    """Return the claims as a Markdown table."""
    lines = ["| claim | the paper | ours | holds |", "| --- | --- | --- | --- |"]
    for each in claims:
        cells = (each.what, each.paper, each.ours, "yes" if each.holds else "**no**")
        lines.append(f"| {' | '.join(part.replace('|', chr(92) + '|') for part in cells)} |")
    return "\n".join(lines)


def section(experiment: Experiment, findings: Findings, pictures: Sequence[Path]) -> str:
    """Return the section of one experiment; its plots are in the folder of the page."""
    notes = [f"- {each.what}: {each.note}" for each in findings.claims if each.note]
    parts = [
        f"## {experiment.name}: {experiment.title}",
        f"{experiment.paper}.",
        claims_table(findings.claims),
        "\n".join(notes),
        findings.notes,
        *(f"![{experiment.title}]({path.name})" for path in pictures),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def save(experiment: Experiment, setup: Setup, findings: Findings, directory: Path) -> str:
    """Write ``NAME.md``, ``NAME.json`` and a PNG for each plot; return the text of ``NAME.md``.

    Raises ImportError without matplotlib (the extra "sim"), OSError if a file cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    pictures = [_draw(plot, directory) for plot in findings.plots]
    text = section(experiment, findings, pictures)
    write_atomically(directory / f"{experiment.name}.md", text)
    content = {
        "experiment": experiment.name,
        "paper": experiment.paper,
        "setup": _described(setup),
        "claims": [
            {"what": c.what, "paper": c.paper, "ours": c.ours, "holds": c.holds, "note": c.note}
            for c in findings.claims
        ],
        "rows": list(findings.rows),
    }
    text_of_rows = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    write_atomically(directory / f"{experiment.name}.json", text_of_rows)
    return text


def made_before(experiment: Experiment, setup: Setup, directory: Path) -> str | None:
    """Return the text that `save` wrote for the same setup, None if there is none."""
    try:
        saved = json.loads((directory / f"{experiment.name}.json").read_text("utf-8"))
        text = (directory / f"{experiment.name}.md").read_text("utf-8")
    except (OSError, ValueError):
        return None
    return text if isinstance(saved, dict) and saved.get("setup") == _described(setup) else None


def _described(setup: Setup) -> dict[str, object]:
    return {
        "seeds": list(setup.seeds),
        "small": setup.small,
        "world": None if setup.world is None else [setup.world.name, len(setup.world)],
        "query": setup.query,
        "topic": setup.topic,
    }


def page(sections: Iterable[str], command: str, world: str) -> str:
    """Return the page of all experiments."""
    where = f" on {world.translate(_ESCAPED)}" if world else ""
    head = (
        "# The published experiments, repeated\n\n"
        f"Made by `{command}`{where}. Each figure is a mean over the seeds with the least and the "
        "greatest value. Claims that do not hold are listed too.\n"
    )
    return "\n".join([head, *sections])


def _draw(plot: Plot, directory: Path) -> Path:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    for name, points in plot.lines.items():
        axes.plot(*zip(*points, strict=True), label=name.replace("$", r"\$"))
    axes.set(title=plot.title.replace("$", r"\$"), xlabel=plot.x, ylabel=plot.y)
    axes.grid(alpha=0.3)
    axes.legend()
    path = directory / f"{plot.name}.png"
    FigureCanvasAgg(figure).print_figure(str(path), format="png")
    return path
