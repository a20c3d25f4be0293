"""Repeats published experiments with this code; one module for each paper."""

from __future__ import annotations

from evocrawl.simulation.papers import biocrawler, energy, foragers, myspiders
from evocrawl.simulation.papers.base import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each
    for paper in (energy, myspiders, biocrawler, foragers)
    for each in paper.EXPERIMENTS
}
"""Maps the name on the command line to the experiment, in the order of the papers."""
