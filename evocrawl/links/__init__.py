"""What links are worth: evidence, hashed words, and models that learn from where links led."""

from evocrawl.links.features import FEATURES, Tuning
from evocrawl.links.model import LinkModel

__all__ = ["FEATURES", "LinkModel", "Tuning"]
