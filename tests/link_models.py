"""Link models, links and pages for tests of the link model of `evo`."""

import numpy as np

from evocrawl.core.model import Content, Link, Page
from evocrawl.core.urls.identity import fingerprint
from evocrawl.relevance.terms import Analyser
from evocrawl.species.evo.link_model import FEATURES, LinkModel, prior


def match(anchor: str, context: str) -> float:
    """Return the match, with the weights of the relevance model."""
    return 0.8 * ("coral" in anchor) + 0.2 * ("coral" in context)


def fresh() -> LinkModel:
    """Return a model without any page."""
    return LinkModel(match, Analyser("en"), 0.2, prior.shipped())


def link(name: str, anchor: str = "", context: str = "", host: str = "a.test") -> Link:
    """Return a link to a page, of one host unless given."""
    url = f"http://{host}/{name}"
    return Link(url, fingerprint(url), anchor, context)


def page(name: str, relevance: float, *links: Link, text: str = "", host: str = "a.test") -> Page:
    """Return a page, of one host unless given."""
    url = f"http://{host}/{name}"
    return Page(url, fingerprint(url), relevance, 0.0, links, content=Content("", text))


def worth(model: LinkModel, row: int) -> float:
    """Return the score of a target."""
    return float(model.scores(model.features(np.array([row])))[0])


def column(model: LinkModel, row: int, name: str) -> float:
    """Return one feature of a target."""
    return float(model.features(np.array([row]))[0, FEATURES.index(name)])
