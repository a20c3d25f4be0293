"""The published experiments, run again with this code. One paper a file."""

from __future__ import annotations

from evocrawl.simulation.papers import biocrawler, energy, foragers, myspiders
from evocrawl.simulation.papers.base import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each
    for paper in (energy, myspiders, biocrawler, foragers)
    for each in paper.EXPERIMENTS
}
"""Name on the command line to experiment, paper by paper."""
