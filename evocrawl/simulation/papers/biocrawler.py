"""Batzios et al. 2008: BioCrawlers against a dumb crawler on a thousand sites (figures 2 to 4).

The paper gives the sites, the shares of semantic, forbidden and invalid ones, the reward and the
constants of the crawlers (tables 2 and 3). `evocrawl.simulation.worlds.made_up.sites` and
`evocrawl.species.biocrawler.species` list the choices made where the paper gives nothing.
Energies: food 15, a move 1, a trap or an obstacle 5.

A dumb crawler sees what a BioCrawler sees and goes to random links. The paper only states that its
dumb crawler uses "the simple algorithm" of a tutorial (Blum, Keislar, Wheaton & Wold), which works
through a list of links and visits no page twice: this is `breadth_first`, which is measured too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evocrawl.core.config.config import Config
from evocrawl.simulation.evaluation.measures import Row
from evocrawl.simulation.papers.base import (
    Claim,
    Experiment,
    Findings,
    Plot,
    Setup,
    average,
    mean_and_spread,
)
from evocrawl.simulation.papers.static_web import CrawlerGroup, CrawlerRecord, StaticWeb
from evocrawl.simulation.worlds.made_up.sites import Sites, SitesPlan
from evocrawl.species import SPECIES, Maker
from evocrawl.species.biocrawler.species import biocrawler

PAPER = "Batzios et al. 2008"

BIO, DUMB, ALONE, LITERAL = "BioCrawler", "dumb", "BioCrawler alone", "alone, whole vision"
BREADTH = "breadth-first"
_GREATLY = 2.0


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of crawlers: their number and their maker."""

    crawlers: int
    maker: Maker


_KINDS = {
    BIO: _Kind(2, SPECIES["biocrawler"]),
    DUMB: _Kind(1, SPECIES["biocrawler_dumb"]),
    ALONE: _Kind(1, lambda have: biocrawler(have.base.is_claimed, exchange_every=0)),
    LITERAL: _Kind(1, lambda have: biocrawler(have.base.is_claimed, exchange_every=0, condition=8)),
    BREADTH: _Kind(1, SPECIES["breadth_first"]),
}
_LONG = (BIO, DUMB, ALONE, LITERAL)
_SHORT = (BIO, DUMB, BREADTH)


@dataclass(frozen=True, slots=True)
class _Scale:
    """Scale: sites; visits of the first figure, of the second and of a restart; restarts."""

    sites: int
    first: int
    visits: int
    restart: int
    restarts: int


_PAPERS = _Scale(1000, 500, 30_000, 2_000, 100)
_SMALL = _Scale(30, 100, 800, 200, 4)


def learning(setup: Setup) -> Findings:
    """Repeat figures 2 and 3: 30 000 visits; the rules are kept over all passes."""
    scale = _SMALL if setup.small else _PAPERS
    records: dict[str, list[CrawlerRecord]] = {kind: [] for kind in _LONG}
    passes: dict[str, list[int | None]] = {BIO: [], DUMB: []}
    rows: list[Row] = []
    for seed in setup.seeds:
        web = _web(scale, seed)
        start = web.any_page()
        for kind in _LONG:
            setup.progress(f"{kind}, seed {seed}, {scale.visits} visits")
            crawlers = _crawlers(web, kind, start, seed)
            seen = crawlers.play(scale.visits)
            records[kind] += seen
            rows += _rows(kind, seed, seen, web)
            if kind in passes:
                passes[kind] += crawlers.first_passes(3 * scale.visits)
    claims = (
        _of_the_beginning(records, scale),
        _of_throughput(f"s-throughput over {scale.visits} visits", records[BIO], records[DUMB]),
        _of_throughput("also without communication", records[ALONE], records[DUMB]),
        _of_all_sites(records[BIO], scale),
        _of_passes(passes),
        _of_revisits(rows),
    )
    plots = (
        _plot("first", f"the first {scale.first} visits", records, 1, scale.first),
        _plot("long", f"{scale.visits} visits", records, max(scale.visits // 100, 1)),
    )
    literal = mean_and_spread([each.throughput for each in records[LITERAL]])
    notes = (
        "The literal reading of the paper, with rules that match the whole vision or do not match, "
        f"gives a single BioCrawler an s-throughput of {literal}: such a rule is only useful at "
        "the page where it was made."
    )
    return Findings(claims, plots, rows, notes)


def restarts(setup: Setup) -> Findings:
    """Repeat figure 4: the mean of a hundred starts at random pages, without rules."""
    scale = _SMALL if setup.small else _PAPERS
    records: dict[str, list[CrawlerRecord]] = {kind: [] for kind in _SHORT}
    rows: list[Row] = []
    ahead = 0
    each_seed = -(-scale.restarts // len(setup.seeds))
    for seed in setup.seeds:
        web = _web(scale, seed)
        setup.progress(f"{each_seed} restarts, seed {seed}")
        for number in range(each_seed):
            start = web.any_page()
            seen = {
                kind: _crawlers(web, kind, start, 1000 * seed + number).play(scale.restart)
                for kind in _SHORT
            }
            for kind in _SHORT:
                records[kind] += seen[kind]
                rows += [{"restart": number, **row} for row in _rows(kind, seed, seen[kind], web)]
            ahead += _worst(seen[BIO]) > seen[DUMB][0].throughput
    total = each_seed * len(setup.seeds)
    claims = (
        _of_throughput(f"mean s-throughput of {total} restarts", records[BIO], records[DUMB]),
        Claim(
            "no lucky start: BioCrawlers are ahead wherever they begin",
            "do not consistently out-perform due to a lucky start",
            f"in {ahead} of {total} restarts both are ahead of the dumb crawler",
            ahead >= 0.95 * total,
        ),
        _of_throughput("also over the tutorial's algorithm", records[BIO], records[BREADTH]),
    )
    notes = (
        f"{each_seed} restarts on each of {len(setup.seeds)} webs, of {scale.restart} visits "
        "a crawler; the paper's go on to the end of a pass."
    )
    plot = _plot("restarts", f"mean of {total} restarts", records, max(scale.restart // 100, 1))
    return Findings(claims, (plot,), rows, notes)


def _web(scale: _Scale, seed: int) -> StaticWeb:
    rng = np.random.default_rng(seed)
    return StaticWeb(Sites(SitesPlan(sites=scale.sites), rng), rng)


def _crawlers(web: StaticWeb, kind: str, start: str, seed: int) -> CrawlerGroup:
    made = _KINDS[kind]
    options = {"species": "biocrawler", "agents": made.crawlers, "seed": seed, "max_requests": 0}
    return CrawlerGroup(web, Config.read({}, options), start, made.maker)


def _of_the_beginning(records: Mapping[str, Sequence[CrawlerRecord]], scale: _Scale) -> Claim:
    """Check whether the dumb crawler leads the mean BioCrawler at an early visit."""
    bio, dumb = records[BIO], records[DUMB]
    crews = len(bio) // len(dumb)
    behind = sum(
        any(
            alone > sum(together) / crews
            for alone, *together in zip(
                one.energy[: scale.first],
                *(each.energy for each in bio[crews * number : crews * (number + 1)]),
                strict=False,
            )
        )
        for number, one in enumerate(dumb)
    )
    early = [_early(some, scale.first) for some in (bio, dumb)]
    return Claim(
        f"in the first {scale.first} visits BioCrawlers fluctuate, at some point dumb ones lead",
        "at some point, Dumb Crawlers even surpass BioCrawlers",
        f"the dumb crawler leads at some visit on {behind} of {len(dumb)} webs; after "
        f"{scale.first} visits {early[0]}, dumb {early[1]}",
        behind > len(dumb) / 2,
        "holds where it is so on most webs. A rule is made at the first food found and followed "
        "from then on; the paper's crawlers seem to have begun to use theirs later",
    )


def _early(records: Sequence[CrawlerRecord], visits: int) -> str:
    return mean_and_spread([each.energy[visits - 1] / visits for each in records])


def _of_throughput(
    what: str, bio: Sequence[CrawlerRecord], other: Sequence[CrawlerRecord]
) -> Claim:
    better, worse = ([each.throughput for each in some] for some in (bio, other))
    return Claim(
        what,
        "greatly surpasses that of the Dumb Crawlers",
        f"{mean_and_spread(better)} against {mean_and_spread(worse)}",
        float(np.mean(better)) > _GREATLY * max(float(np.mean(worse)), 0.0),
        f"greatly: more than {_GREATLY:g} times",
    )


def _of_all_sites(bio: Sequence[CrawlerRecord], scale: _Scale) -> Claim:
    sites = [len(each.at) for each in bio]
    return Claim(
        f"each visits all {scale.sites} sites in {scale.visits} visits",
        "crawlers did, in fact, visit all available sites",
        f"sites visited: {mean_and_spread(sites, 1)}; "
        f"{sites.count(scale.sites)} of {len(sites)} crawlers visit all",
        min(sites) == scale.sites,
        "by rules no new site is found, and the last of a thousand takes long by chance, dumb "
        "crawlers too; the links, which the paper does not describe, may be fewer or more even "
        "there. A tax of 16 was tried, on one web: one crawler of two finished",
    )


def _of_passes(passes: Mapping[str, Sequence[int | None]]) -> Claim:
    """Check whether every pass takes at most the visits that the paper allows."""
    done = {kind: [each for each in some if each is not None] for kind, some in passes.items()}
    outcomes = {
        kind: f"{len(done[kind])} of {len(some)} finish"
        + (f", in {mean_and_spread(done[kind], 0)} visits" if done[kind] else "")
        for kind, some in passes.items()
    }
    all_finish = all(len(done[kind]) == len(some) for kind, some in passes.items())
    return Claim(
        "a pass of all sites takes at most twice the visits of a dumb crawler",
        "a rate that will not increase the time to more than twice",
        f"however long it takes: {outcomes[BIO]}; dumb: {outcomes[DUMB]}",
        all_finish and bool(np.mean(done[BIO]) <= 2 * np.mean(done[DUMB])),
    )


def _of_revisits(rows: Sequence[Row]) -> Claim:
    more = {kind: [row["rich_rate"] for row in rows if row["kind"] == kind] for kind in (BIO, DUMB)}
    return Claim(
        "known rich sites are revisited",
        "periodically re-visited known sites with semantic content",
        "visits to a site with semantic content for each visit to another site: "
        f"{mean_and_spread(more[BIO], 2)}; dumb {mean_and_spread(more[DUMB], 2)}",
        min(more[BIO]) > max(more[DUMB]),
    )


def _worst(records: Sequence[CrawlerRecord]) -> float:
    return min(each.throughput for each in records)


def _rows(kind: str, seed: int, records: Sequence[CrawlerRecord], web: StaticWeb) -> Iterator[Row]:
    for number, record in enumerate(records, 1):
        rich = sum(count for host, count in record.at.items() if host in web.rich)
        plain = len(record.energy) - rich
        yield {
            "kind": kind,
            "seed": seed,
            "crawler": number,
            "visits": len(record.energy),
            "energy": record.energy[-1],
            "s_throughput": record.throughput,
            "sites": len(record.at),
            "passes": list(record.passes),
            "rich_rate": (rich / len(web.rich)) / (max(plain, 1) / (web.sites - len(web.rich))),
        }


def _plot(
    name: str,
    title: str,
    records: Mapping[str, Sequence[CrawlerRecord]],
    every: int,
    most: int | None = None,
) -> Plot:
    lines = {
        kind: average([each.curve(every)[:most] for each in some]) for kind, some in records.items()
    }
    return Plot(
        f"biocrawler-{name}", f"{PAPER}: energy over {title}", "site visits", "energy gained", lines
    )


EXPERIMENTS = (
    Experiment(
        "biocrawler", PAPER, "BioCrawlers against a dumb crawler, over 30 000 visits", learning
    ),
    Experiment("biocrawler-restarts", PAPER, "the same, over 100 starts at random pages", restarts),
)
"""Experiments for figures 2 and 3, and for figure 4."""
