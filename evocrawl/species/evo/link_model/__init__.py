"""The link model: evidence, hashed words, and models that learn from the pages behind links."""

from evocrawl.species.evo.link_model.features import FEATURES, Tuning
from evocrawl.species.evo.link_model.model import LinkModel

__all__ = ["FEATURES", "LinkModel", "Tuning"]
