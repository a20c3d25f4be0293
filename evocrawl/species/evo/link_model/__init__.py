"""What links are worth: evidence, hashed words, and models that learn from where links led."""

from evocrawl.species.evo.link_model.features import FEATURES, Tuning
from evocrawl.species.evo.link_model.model import LinkModel

__all__ = ["FEATURES", "LinkModel", "Tuning"]
